// Threads and fibers: create, begin, end, join; the shadow stack after a jump out of functions; accesses that a thread
// asks to ignore.
#include <atomic>

#include "live/entry.h"
#include "live/ground/heap.h"
#include "live/ground/inside.h"
#include "live/ground/sys.h"
#include "live/order/sleeps.h"
#include "live/order/steps.h"
#include "live/process/call_stack.h"
#include "live/process/signals.h"
#include "live/report/misuse.h"

namespace deadheat::live {

namespace {

ThreadUid uid_of(ThreadId id) { return static_cast<ThreadUid>(id); }
ThreadId thread_id(ThreadUid uid) { return static_cast<ThreadId>(uid); }

}  // namespace

ThreadId current_thread_id() { return tls.thread == nullptr ? kNoThread : thread_id(tls.thread->uid); }
void watch_this_thread() {
  const bool is_first = tls.thread == nullptr;
  current_thread();
  if constexpr (record::kOn)
    if (!is_first) record::modules();  // a library has come: its constructor calls
}
void expect_foreign_threads(const Entry& entry) {
  if (!entry.watched()) return;
  const Inside inside;
  live::expect_foreign_threads(*entry.thread());
}

// ---- threads ----

struct ThreadStart {
  Birth* birth;
  bool signals_held;
  SignalSet signals;  // blocked when it goes on
};

// A handler that ran in the child before we know it would be that of an unknown thread. (Attributes may say which
// signals the child blocks; then that is so from the beginning.)
ThreadCreation thread_creating(const Entry& entry, NewThread as) {
  Thread& t = *entry.thread();
  Inside::enter();
  ThreadStart* const start = static_cast<ThreadStart*>(heap_allocate(sizeof(ThreadStart)));
  Birth* const birth = thread_create(t, call_stack(t, entry.pc()));
  if (as.detached) info_of(birth->uid).joined_or_detached = true;
  const bool hold = !as.masks_signals;
  const SignalSet before = hold ? block_all_signals() : 0;
  *start = {birth, hold, blocked_by_program(before)};
  return {start, thread_id(birth->uid), before, hold};
}

void thread_created(const Entry& entry, const ThreadCreation& creation, bool success) {
  if (creation.signals_held) set_signal_mask(creation.signals_before);
  if (!success) {
    thread_create_failed(*entry.thread(), creation.start->birth);
    heap_free(creation.start, sizeof(ThreadStart));
  }
  Inside::leave();
}

ThreadId thread_begins(const ThreadStart& start) {
  const ThreadUid uid = start.birth->uid;
  thread_begin(start.birth);
  return thread_id(uid);
}

void thread_goes_on(ThreadStart* start) {
  const ThreadStart copy = *start;
  own_free(start, sizeof(ThreadStart));
  if (copy.signals_held) set_signal_mask(copy.signals);
}

void thread_ends() {
  Thread* const t = tls.thread;
  if (t == nullptr) return;
  if (tls.ignoring != 0) report_ended_ignoring(*t);
  const Inside inside;
  thread_end(*t);
  Inside::stay_for_good();
  run_last_signals();
}

bool is_main_thread() { return sys::thread_id() == sys::process_id(); }

namespace {
std::atomic<const Thread*> left_main{nullptr};  // written by that thread only
}  // namespace
void main_thread_leaves() { left_main.store(tls.thread, std::memory_order_relaxed); }
void exit_function_begins(const Entry& entry) {
  Thread* const t = entry.thread();
  if (t == nullptr || t != left_main.load(std::memory_order_relaxed)) return;
  left_main.store(nullptr, std::memory_order_relaxed);
  const Inside inside;
  learn_of_ended(*t);
}

void thread_joined(const Entry& entry, ThreadId thread) {
  const Inside inside;
  thread_join(*entry.thread(), uid_of(thread));
  note_step_at(*entry.thread(), StepKind::kJoin, number_of(uid_of(thread)), entry.pc());
}
void thread_detached(ThreadId thread) {
  const Inside inside;
  thread_detach(uid_of(thread));
}
bool is_detached(ThreadId thread) { return info_of(uid_of(thread)).joined_or_detached; }
void thread_named(ThreadId thread, const char* name) { set_thread_name(uid_of(thread), name); }

void functions_left(uintptr_t stack_pointer) {
  if (tls.thread == nullptr) return;
  signals_left_by_jump(stack_pointer);
  // The entry call of the target function was made with its stack pointer, less one return address.
  const uint32_t target = static_cast<uint32_t>(stack_pointer) - 8;
  while (tls.sp != tls.base && static_cast<int32_t>(tls.sp[-1].stack - target) < 0) --tls.sp;
}

void slept(const Entry& entry) {
  if (Thread* const t = entry.thread()) note_slept(*t, entry.pc());
}

// ---- fibers ----
//
// A fiber has a clock, a number and a shadow stack, as a thread has. A switch exchanges what the thread-local state
// points to.

namespace {

Thread* thread_of(Fiber* fiber) { return reinterpret_cast<Thread*>(fiber); }
Fiber* fiber_of(Thread* thread) { return reinterpret_cast<Fiber*>(thread); }

void put_aside() { tls.thread->fiber_sp = tls.sp; }

void take_up(Thread* fiber) {
  tls.thread = fiber;
  tls.base = static_cast<Frame*>(fiber->shadow_stack);
  tls.limit = tls.base + fiber->shadow_stack_bytes / sizeof(Frame);
  tls.sp = fiber->fiber_sp;
  set_current(*fiber, fiber->current);
}

}  // namespace

Fiber* fiber_current() { return fiber_of(current_thread()); }

Fiber* fiber_create(const Entry& entry) {
  Thread* const t = entry.thread();
  if (t == nullptr) return nullptr;
  const Inside inside;
  Birth* const birth = thread_create(*t, place_of(entry, *t));
  info_of(birth->uid).joined_or_detached = true;  // nobody joins a fiber
  put_aside();
  thread_begin(birth, true);
  Thread* const fiber = tls.thread;
  put_aside();
  take_up(t);
  return fiber_of(fiber);
}

void fiber_destroy(Fiber* fiber) {
  Thread* const t = current_thread();
  if (fiber == nullptr || t == nullptr || fiber == fiber_of(t)) return;
  const Inside inside;
  put_aside();
  take_up(thread_of(fiber));
  thread_end(*thread_of(fiber));
  take_up(t);
}

// One step for handlers of signals: one that came in between would act for a fiber that has told all it did, or for one
// that has not yet learned what was done before it.
void fiber_switch(const Entry& entry, Fiber* to, bool orders) {
  const Inside inside;
  const bool ordered = orders && ordering(entry) != nullptr;
  if (ordered) release(entry, to);
  put_aside();
  take_up(thread_of(to));
  if (ordered) acquire_at(*thread_of(to), entry.pc(), to);
}

void fiber_named(Fiber* fiber, const char* name) {
  if (fiber != nullptr) set_thread_name(thread_of(fiber)->uid, name);
}

// ---- what is not looked at ----

void ignore_accesses_begin(const Entry* entry) {
  Thread* const t = current_thread();
  if (entry != nullptr && t != nullptr) {
    NodeId* const since = t->ignoring_since;
    if (tls.ignoring == 0) since[0] = since[1] = since[2] = since[3] = kNoNode;
    for (unsigned i = 0; i < 4; ++i) {
      if (since[i] != kNoNode) continue;
      since[i] = place_of(*entry, *t);
      break;
    }
  }
  ++tls.ignoring;
}
void ignore_accesses_end() {
  if (tls.ignoring > 0) --tls.ignoring;
}
void ignore_sync_begin() { ++tls.ignoring_sync; }
void ignore_sync_end() {
  if (tls.ignoring_sync > 0) --tls.ignoring_sync;
}
uint32_t exchange_ignored_accesses(uint32_t depth) {
  const uint32_t before = tls.ignoring;
  tls.ignoring = depth;
  return before;
}
size_t shadow_stack_depth() { return current_thread() != nullptr ? static_cast<size_t>(tls.sp - tls.base) : 0; }

}  // namespace deadheat::live
