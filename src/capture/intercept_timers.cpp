// Timers whose function runs in a thread that the C library makes (SIGEV_THREAD).
//
// What a thread did before it made or set the timer is ordered before the function. The C library calls a function of ours,
// which has a note of the program's. We keep the note for good, because nothing says when the timer's last thread has begun.
// Tested by test/programs/timer_thread.c, timer_thread_race.c
#include <signal.h>
#include <time.h>

#include "capture/intercept.h"

using namespace deadheat::live;

namespace {

struct Note {
  void (*function)(sigval);
  sigval value;
  std::atomic<timer_t> timer;  // before it is set for the first time
};

// No program has an address there, nor has a descriptor or a queue its clock.
const void* clock_of(timer_t timer) {
  return reinterpret_cast<const void*>(uintptr_t{3} << 60 |
                                       (reinterpret_cast<uintptr_t>(timer) << 6 & ~uintptr_t{0} >> 4));
}

void expired(sigval of) {
  const Note& note = *static_cast<const Note*>(of.sival_ptr);
  {
    Entry entry(DEADHEAT_CALLER);
    acquire(entry, &note);
    acquire(entry, clock_of(note.timer.load(std::memory_order_relaxed)));
  }
  note.function(note.value);
}

Note* note_of(const Entry& entry, const sigevent* event) {
  if (event == nullptr || event->sigev_notify != SIGEV_THREAD) return nullptr;
  Note* const note = make<Note>(event->sigev_notify_function, event->sigev_value, timer_t{});
  release(entry, note);
  expect_foreign_threads(entry);
  return note;
}

}  // namespace

DEADHEAT_INTERCEPT(int, timer_create, clockid_t clock, sigevent* event, timer_t* timer) {
  Entry entry(DEADHEAT_CALLER);
  Note* const note = note_of(entry, event);
  if (note == nullptr) return REAL(timer_create)(clock, event, timer);
  sigevent ours = *event;
  ours.sigev_notify_function = expired;
  ours.sigev_value.sival_ptr = note;
  const int result = REAL(timer_create)(clock, &ours, timer);
  if (result == 0) note->timer.store(*timer, std::memory_order_relaxed);
  return result;
}
DEADHEAT_WATCHED(int, timer_settime, (timer_t timer, int flags, const itimerspec* wanted, itimerspec* left),
                 release(entry, clock_of(timer)), REAL(timer_settime)(timer, flags, wanted, left))
DEADHEAT_WATCHED(int, timer_delete, (timer_t timer), forget(clock_of(timer)), REAL(timer_delete)(timer))
