// Calls of interceptors, accesses, and what orders threads at any address.
#include "live/api.h"

#include "live/entry.h"
#include "live/ground/inside.h"
#include "live/modules/loaded.h"
#include "live/order/party.h"
#include "live/order/steps.h"
#include "live/order/sync.h"
#include "live/shadow/shadow.h"

namespace deadheat::live {

// ---- calls ----

namespace {

// True in the child of a vfork, which runs in its parent's memory.
bool in_vfork_child() {
  if (static_cast<uint32_t>(sys::process_id()) != tls.vfork_parent) return true;
  tls.vfork_parent = 0;
  return false;
}

}  // namespace

Thread* Entry::enter() {
  if (tls.busy != 0) return nullptr;
  if (__builtin_expect(tls.vfork_parent != 0, 0) && in_vfork_child()) return nullptr;
  if (__builtin_expect(postponed.any(), 0)) do_postponed();
  return current_thread();
}
Thread* Entry::enter(const void* caller) {
  Thread* t = enter();
  if (t != nullptr) push_frame<kOurFrame>(reinterpret_cast<uintptr_t>(caller));
  return t;
}
uintptr_t Entry::caller() const { return framed_ ? tls.sp[-1].pc : caller_in(pc_); }
bool Entry::is_alone() const { return thread_ == nullptr || is_left_alone(*thread_); }
void Entry::leave() const {
  if (tls.thread == thread_) pop_frame();
}

// ---- accesses ----

namespace {

bool looked_at(const Entry& entry) { return entry.watched() && !caller_ignored(entry.caller()); }

}  // namespace

void accessed(const void* begin, size_t bytes, AccessKind kind, uintptr_t pc) {
  access_range(key(begin), bytes, kind, pc);
}
void read_range(const Entry& entry, const void* begin, size_t bytes) {
  if (looked_at(entry)) access_range(key(begin), bytes, AccessKind::kRead, entry.pc());
}
void write_range(const Entry& entry, const void* begin, size_t bytes) {
  if (looked_at(entry)) access_range(key(begin), bytes, AccessKind::kWrite, entry.pc());
}

bool copying(uintptr_t pc, const void* to, const void* from, size_t bytes) {
  if (stays_out()) return false;
  if (caller_ignored(pc)) return true;
  access_range(key(from), bytes, AccessKind::kRead, pc);
  access_range(key(to), bytes, AccessKind::kWrite, pc);
  return true;
}
bool filling(uintptr_t pc, const void* to, size_t bytes) {
  if (stays_out()) return false;
  if (!caller_ignored(pc)) access_range(key(to), bytes, AccessKind::kWrite, pc);
  return true;
}

void use_object(const Entry& entry, const void* object) {
  if (entry.watched()) access_range(key(object), 1, AccessKind::kAtomicRead, entry.pc());
}

// ---- acquire and release ----

namespace {

using record::What;

constinit SpinLock all_lock(Lock::kFinalizer);

// One step of the thread, with respect to all others at the object.
template <class Step>
void at_object(Thread& t, uintptr_t pc, const void* object, What what, StepKind kind, Step step) {
  const Inside inside;
  {
    Party party(t);
    SyncLock lock(key(object));
    step(party, lock);
    if constexpr (record::kOn) record::ordered(t, what, key(object));
  }
  note_step_at(t, kind, key(object), pc);
}
template <class Step>
void at_object(const Entry& entry, const void* object, What what, StepKind kind, Step step) {
  if (Thread* const t = ordering(entry)) at_object(*t, entry.pc(), object, what, kind, step);
}

}  // namespace

DEADHEAT_TAKEN_AT_FORK(kFinalizer, all_lock)

void acquire_at(Thread& t, uintptr_t pc, const void* object) {
  at_object(t, pc, object, What::kTake, StepKind::kAcquire,
            [](Party& party, SyncLock& lock) { order::wait(party, lock); });
}
void acquire(const Entry& entry, const void* object) {
  if (Thread* const t = ordering(entry)) acquire_at(*t, entry.pc(), object);
}
void release(const Entry& entry, const void* object) {
  at_object(entry, object, What::kPost, StepKind::kRelease,
            [](Party& party, SyncLock& lock) { order::post(party, lock); });
}
void release_store(const Entry& entry, const void* object) {
  at_object(entry, object, What::kPostAnew, StepKind::kRelease,
            [](Party& party, SyncLock& lock) { order::atomic_store(party, lock, MemoryOrder::kRelease); });
}
void told_acquire(const Entry& entry, const void* object) {
  at_object(entry, object, What::kToldTake, StepKind::kAcquire, [](Party& party, SyncLock& lock) {
    const SyncObject* const o = lock.find();
    if (o == nullptr) return;
    order::wait(party, o->S);
    order::wait(party, o->told);
  });
}
void told_release(const Entry& entry, const void* object, bool anew) {
  at_object(entry, object, What::kToldPost, StepKind::kRelease, [anew](Party& party, SyncLock& lock) {
    party.publish(lock.make().told, anew ? order::How::kAssign : order::How::kJoin);
  });
}

void forget(const void* object) {
  if (!started.load(std::memory_order_acquire)) return;
  Inside inside;
  SyncLock lock(key(object));
  if constexpr (record::kOn)
    if (const SyncObject* o = lock.find()) record::ordered(o->is_lock ? What::kLockGone : What::kForget, key(object));
  lock.remove();
}

void acquire_all(const Entry& entry) {
  Thread* const t = entry.thread();
  if (t == nullptr) return;
  constexpr size_t kMost = 1024;
  static Epoch come[kMost];
  const BusyGuard held(all_lock);
  const LiveClock none;
  for (size_t i = 0, count = live_epochs(come, kMost); i < count; ++i)
    if (t->C.join(none, come[i])) t->learned = true;
}

}  // namespace deadheat::live
