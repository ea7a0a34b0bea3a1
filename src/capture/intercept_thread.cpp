// Threads: create, join, detach, exit. An edge from create to the child's start, and from its end to a join.
//
// The child registers itself before the program's function runs. We notice its end in the last round of destructors of
// thread-specific data, so that the program's own destructors are still watched.
#include <pthread.h>
#include <signal.h>

#include <cerrno>

#include "capture/intercept.h"
#include "capture/signal_stack.h"

using namespace deadheat::live;

namespace {

// Which thread a handle is, for those that were neither joined nor detached. A handle is used again only after its
// thread is gone, so a younger thread replaces an older one.
void name_thread(pthread_t handle, ThreadId thread) {
  table_raise(Table::kThreads, handle, static_cast<uint32_t>(thread));
}
ThreadId thread_of(pthread_t handle) {
  uint64_t number;
  return table_find(Table::kThreads, handle, number) ? ThreadId{static_cast<uint32_t>(number)} : kNoThread;
}
// Unless the handle already names a younger thread.
void forget_name(pthread_t handle, ThreadId thread) {
  table_remove_if(Table::kThreads, handle, static_cast<uint32_t>(thread));
}

struct Start {
  void* (*function)(void*);
  void* argument;
  ThreadStart* told;
};

pthread_key_t end_key;
pthread_once_t end_key_made = PTHREAD_ONCE_INIT;
ThreadId main_thread = kNoThread;  // if it made the key

void watch_end() {
  const StayOut stay_out;
  pthread_setspecific(end_key, reinterpret_cast<void*>(uintptr_t{PTHREAD_DESTRUCTOR_ITERATIONS}));
}

// Called in each round of destructors; the last one is ours. The main thread has such rounds only in pthread_exit.
void at_thread_end(void* round) {
  const uintptr_t rounds_left = reinterpret_cast<uintptr_t>(round) - 1;
  if (rounds_left > 0) {
    pthread_setspecific(end_key, reinterpret_cast<void*>(rounds_left));
    return;
  }
  const ThreadId me = current_thread_id();
  if (me == kNoThread) return;
  if (me == main_thread) return main_thread_leaves();
  if (is_detached(me)) forget_name(pthread_self(), me);
  leave_signal_stack();
  thread_ends();
}

void* run_thread(void* data) {
  const Start start = *static_cast<Start*>(data);
  unmake(static_cast<Start*>(data));
  watch_end();
  name_thread(pthread_self(), thread_begins(*start.told));
  thread_goes_on(start.told);
  void* const result = start.function(start.argument);
  __asm__ volatile("");  // no tail call: the outermost frame of a thread is ours, and reports leave it out
  return result;
}

}  // namespace

DEADHEAT_REAL_OF(int, pthread_once, pthread_once_t*, void (*)())
DEADHEAT_REAL_OF(int, pthread_key_create, pthread_key_t*, void (*)(void*))

DEADHEAT_INTERCEPT(int, pthread_create, pthread_t* handle, const pthread_attr_t* attributes, void* (*function)(void*),
                   void* argument) {
  Entry entry(DEADHEAT_CALLER);
  if (!entry.watched()) return REAL(pthread_create)(handle, attributes, function, argument);
  REAL(pthread_once)(&end_key_made, [] {
    REAL(pthread_key_create)(&end_key, at_thread_end);
    if (!is_main_thread()) return;
    main_thread = current_thread_id();
    watch_end();
  });
  int detached = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) pthread_attr_getdetachstate(attributes, &detached);
  const bool is_detached = detached == PTHREAD_CREATE_DETACHED;
  sigset_t wanted;
  const bool masks_signals = attributes != nullptr && pthread_attr_getsigmask_np(attributes, &wanted) == 0;
  const ThreadCreation creation = thread_creating(entry, {is_detached, masks_signals});
  Start* const start = make<Start>(function, argument, creation.start);
  const int result = REAL(pthread_create)(handle, attributes, run_thread, start);
  if (result != 0) unmake(start);
  thread_created(entry, creation, result == 0);
  if (result == 0 && !is_detached) name_thread(*handle, creation.thread);
  return result;
}

namespace {

// A join first looks up its thread: afterwards the handle may already be another thread's.
template <class RealJoin>
int join_by(const Entry& entry, pthread_t handle, void** value, RealJoin real_join) {
  const ThreadId thread = entry.watched() ? thread_of(handle) : kNoThread;
  const int result = real_join();
  if (result != 0) return result;
  if (thread != kNoThread) {
    forget_name(handle, thread);
    thread_joined(entry, thread);
  }
  if (value != nullptr) write_range(entry, value, sizeof *value);
  return result;
}

}  // namespace

DEADHEAT_INTERCEPT(int, pthread_join, pthread_t handle, void** value) {
  Entry entry(DEADHEAT_CALLER);
  return join_by(entry, handle, value, [&] { return REAL(pthread_join)(handle, value); });
}
DEADHEAT_INTERCEPT(int, pthread_tryjoin_np, pthread_t handle, void** value) {
  Entry entry(DEADHEAT_CALLER);
  return join_by(entry, handle, value, [&] { return REAL(pthread_tryjoin_np)(handle, value); });
}
DEADHEAT_INTERCEPT(int, pthread_timedjoin_np, pthread_t handle, void** value, const timespec* until) {
  Entry entry(DEADHEAT_CALLER);
  return join_by(entry, handle, value, [&] { return REAL(pthread_timedjoin_np)(handle, value, until); });
}
DEADHEAT_INTERCEPT(int, pthread_clockjoin_np, pthread_t handle, void** value, clockid_t clock, const timespec* until) {
  Entry entry(DEADHEAT_CALLER);
  return join_by(entry, handle, value, [&] { return REAL(pthread_clockjoin_np)(handle, value, clock, until); });
}

DEADHEAT_INTERCEPT(int, pthread_detach, pthread_t handle) {
  Entry entry(DEADHEAT_CALLER);
  const ThreadId thread = entry.watched() ? thread_of(handle) : kNoThread;
  const int result = REAL(pthread_detach)(handle);
  if (thread != kNoThread && result == 0) {
    forget_name(handle, thread);
    thread_detached(thread);
  }
  return result;
}

DEADHEAT_INTERCEPT(int, pthread_setname_np, pthread_t handle, const char* name) {
  Entry entry(DEADHEAT_CALLER);
  const int result = REAL(pthread_setname_np)(handle, name);
  if (result != 0 || !entry.watched()) return result;
  const ThreadId thread = handle == pthread_self() ? current_thread_id() : thread_of(handle);
  if (thread != kNoThread) thread_named(thread, name);
  return result;
}
