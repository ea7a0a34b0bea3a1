// Locks and barriers: what they order, by the rules of detect/order_rules.h, and how programs misuse them.
#include <new>

#include "live/entry.h"
#include "live/ground/heap.h"
#include "live/ground/inside.h"
#include "live/ground/options.h"
#include "live/order/lock_order.h"
#include "live/order/party.h"
#include "live/order/steps.h"
#include "live/report/misuse.h"
#include "live/report/report.h"
#include "live/shadow/shadow.h"

namespace deadheat::live {
namespace {

using record::What;

// Locks have no accesses of their own in the shadow, but those in freed memory are told, once for each pair.
void use_if_freed(const Entry& entry, const void* lock) {
  if (__builtin_expect(is_freed_at(key(lock)), 0)) access_range(key(lock), 1, AccessKind::kAtomicRead, entry.pc());
}

// The interceptor's use of the object as an access of one byte.
OriginId use_of(const Entry& entry, Thread& t, AccessKind kind) {
  return origin_of(t, entry.pc(), what_code(0, 1, static_cast<unsigned>(kind)));
}

// The initialisation is an access to the object, and counts as such for the thread's epoch.
void made_now(SyncObject& o, Thread& t) {
  o.made = t.C.own();
  o.made_by = t.uid;
  t.used = true;
}

void become_lock(SyncObject& o, NodeId where) {
  if (o.is_lock) return;
  o.is_lock = true;
  o.created_at = where;
}

}  // namespace

void mutex_create(const Entry& entry, const void* mutex, LockTraits traits) {
  Thread* t = ordering(entry);
  if (t == nullptr) return;
  Inside inside;
  SyncLock lock(key(mutex));
  if constexpr (record::kOn)
    if (!traits.static_storage) record::ordered(*t, What::kLockGone, key(mutex));
  if (!traits.static_storage) lock.remove();  // a static one may be in use already
  SyncObject& o = lock.make();
  become_lock(o, place_of(entry, *t));
  if (!traits.static_storage) made_now(o, *t);
  o.reentrant = traits.reentrant;
  o.static_storage = traits.static_storage;
  o.not_static = traits.not_static;
}

bool mutex_is_static(const void* mutex, bool destroyed_as_not_static) {
  Inside inside;
  SyncLock lock(key(mutex));
  const SyncObject* o = lock.find();
  return o != nullptr && (o->static_storage || (destroyed_as_not_static && !o->not_static));
}

void mutex_destroying(const Entry& entry, const void* mutex) {
  Thread* t = ordering(entry);
  if (t == nullptr) return;
  NodeId locked_at;
  ThreadUid last_owner;
  bool locked, unordered;
  {
    Inside inside;
    SyncLock lock(key(mutex));
    SyncObject* o = lock.find();
    if (o == nullptr) return;
    locked = o->owner != kNobody;
    // All unlocks are in order, so it is enough to know the last.
    unordered = o->S.pure() && !t->C.knows(o->S.own());
    locked_at = o->locked_at;
    last_owner = o->last_owner;
  }
  if (locked) {
    if (options.report_destroy_locked)
      report_misuse(FindingKind::kDestroyLocked, key(mutex), place_of(entry, *t), locked_at);
  } else if (unordered) {
    ++t->races_in_hand;
    report_object_race(*t, key(mutex), AccessKind::kWrite, use_of(entry, *t, AccessKind::kWrite), last_owner,
                       AccessKind::kAtomicRead, locked_at);
    --t->races_in_hand;
  }
}

void mutex_destroy(const Entry& entry, const void* mutex) {
  Thread* t = ordering(entry);
  if (t == nullptr) return;
  Inside inside;
  {
    SyncLock lock(key(mutex));
    if constexpr (record::kOn) record::ordered(*t, What::kLockGone, key(mutex));
    lock.remove();
  }
  if (HeldLock* held = held_find(*t, key(mutex))) held_remove(*t, held);
}

void mutex_locking(const Entry& entry, const void* mutex, LockMode mode) {
  Thread* t = ordering(entry);
  if (t == nullptr) return;
  use_if_freed(entry, mutex);  // whatever lies there now, the real lock may wait for it for ever
  if (t->held_count == 0) return;
  NodeId where;
  {
    Inside inside;
    if (held_find(*t, key(mutex)) != nullptr) return;
    where = place_of(entry, *t);
  }
  lock_order_waiting(*t, key(mutex), mode == LockMode::kRead, where);
}

namespace {

// A mutex taken by a thread that does not hold it yet and finds it as it should be. A thread that holds the program's
// mutex also has its clock for itself: no lock of ours is needed. False, with nothing done, if anything is unusual.
bool lock_ordinary(Thread& t, uintptr_t mutex, NodeId where) {
  SyncObject* o = sync_peek(mutex);
  if (o == nullptr || o->owner != kNobody || o->alone[0] == kNoNode || o->readers != nullptr || !t.C.knows(o->made))
    return false;
  if (held_find(t, mutex) != nullptr) return false;
  Party party(t);
  order::lock(party, o->S, o->readers);
  if constexpr (record::kOn) record::ordered(t, What::kLock, mutex, where);
  o->owner = t.uid;
  o->last_owner = t.uid;
  o->locked_at = where;
  held_push(t, mutex, o, false, where, o->alone[0]);
  return true;
}

// The same for the unlock of the mutex that was taken last.
bool unlock_ordinary(Thread& t, uintptr_t mutex) {
  if (t.held_count == 0) return false;
  const HeldLock& held = t.held[t.held_count - 1];
  SyncObject& o = *held.object;
  if (held.lock != mutex || held.depth != 1 || held.for_reading || o.address != mutex || o.owner != t.uid ||
      o.readers != nullptr)
    return false;
  o.owner = kNobody;
  Party party(t);
  order::unlock(party, o.S, o.readers);
  if constexpr (record::kOn) record::ordered(t, What::kUnlock, mutex);
  held_pop(t);
  return true;
}

}  // namespace

void pthread_lock(const Entry& entry, const void* mutex) {
  Thread* t = ordering(entry);
  if (t == nullptr) return;
  {
    Inside inside;
    const NodeId where = place_of(entry, *t);
    if (__builtin_expect(lock_ordinary(*t, key(mutex), where), 1))
      return note_step(*t, StepKind::kLock, key(mutex), where);
  }
  mutex_lock(entry, mutex);
}

void pthread_unlock(const Entry& entry, const void* mutex) {
  Thread* t = ordering(entry);
  if (t == nullptr) return;
  use_if_freed(entry, mutex);
  {
    Inside inside;
    if (__builtin_expect(unlock_ordinary(*t, key(mutex)), 1))
      return note_step_at(*t, StepKind::kUnlock, key(mutex), entry.pc());
  }
  mutex_unlock(entry, mutex);
}

void mutex_lock(const Entry& entry, const void* mutex, LockMode mode, LockEvent event) {
  Thread* t = ordering(entry);
  if (t == nullptr) return;
  const bool reading = mode == LockMode::kRead;
  const ThreadUid me = t->uid;
  FindingKind misuse{};
  bool misused = false, unordered = false;
  OriginId use{};
  NodeId where, made_at{};
  ThreadUid made_by{};
  {
    Inside inside;
    where = place_of(entry, *t);
    HeldLock* held = held_find(*t, key(mutex));
    SyncLock lock(key(mutex));
    SyncObject& o = lock.make();
    if (!o.is_lock) o.reentrant = !event.annotated;
    become_lock(o, where);
    if (o.alone[reading] == kNoNode) o.alone[reading] = t->stack_cache.child(kNoNode, lock_key(key(mutex), reading));
    if (held != nullptr && !held->for_reading && o.owner != me) {  // another thread unlocked it meanwhile
      held_remove(*t, held);
      held = nullptr;
    }
    if (held != nullptr) {
      // Recursion (or a second read lock, which orders nothing that the first did not).
      ++held->depth;
      misused = !o.reentrant && !held->for_reading;
      misuse = reading ? FindingKind::kBadReadLock : FindingKind::kDoubleLock;
    } else {
      misused = o.owner != kNobody && !event.owner_died;
      misuse = reading ? FindingKind::kBadReadLock : FindingKind::kDoubleLock;
      unordered = !t->C.knows(o.made);
      if (__builtin_expect(unordered, 0)) {
        ++t->races_in_hand;
        use = use_of(entry, *t, AccessKind::kAtomicRead);  // not yet holding it
        made_at = o.created_at;
        made_by = o.made_by;
      }
      Party party(*t);
      if (reading) {
        order::lock_shared(party, o.S);
      } else {
        order::lock(party, o.S, o.readers);
        o.owner = me;
        o.last_owner = me;
        o.locked_at = where;
      }
    }
    if constexpr (record::kOn)
      if (held == nullptr) record::ordered(*t, reading ? What::kReadLock : What::kLock, key(mutex), where);
    if (held == nullptr) held_push(*t, key(mutex), &o, reading, where, o.alone[reading]);
  }
  note_step_at(*t, reading ? StepKind::kReadLock : StepKind::kLock, key(mutex), entry.pc());
  if (misused) report_misuse(misuse, key(mutex), where, kNoNode);
  if (__builtin_expect(unordered, 0)) {
    report_object_race(*t, key(mutex), AccessKind::kAtomicRead, use, made_by, AccessKind::kWrite, made_at);
    --t->races_in_hand;
  }
}

void mutex_invalid(const Entry& entry, const void* mutex) {
  Thread* t = ordering(entry);
  if (t != nullptr) report_misuse(FindingKind::kInvalidMutex, key(mutex), place_of(entry, *t), kNoNode);
}

namespace {

void unlock_outermost(Thread& t, uintptr_t mutex, bool reading) {
  Party party(t);
  SyncLock lock(mutex);
  SyncObject& o = lock.make();
  if (reading) {
    order::unlock_shared(party, o.readers);
  } else {
    o.owner = kNobody;
    order::unlock(party, o.S, o.readers);
  }
  if constexpr (record::kOn) record::ordered(t, reading ? What::kReadUnlock : What::kUnlock, mutex);
}

// By a thread that does not hold it. The next lock is ordered after this all the same.
void unlock_foreign(const Entry& entry, Thread& t, uintptr_t mutex) {
  const NodeId where = place_of(entry, t);
  {
    Inside inside;
    Party party(t);
    SyncLock lock(mutex);
    SyncObject& o = lock.make();
    become_lock(o, where);
    o.owner = kNobody;
    order::post(party, o.S);
    if constexpr (record::kOn) record::ordered(t, What::kUnlockForeign, mutex, where);
  }
  report_misuse(FindingKind::kBadUnlock, mutex, where, kNoNode);
}

}  // namespace

void mutex_unlock(const Entry& entry, const void* mutex) {
  Thread* t = ordering(entry);
  if (t == nullptr) return;
  HeldLock* held = held_find(*t, key(mutex));
  if (held == nullptr) return unlock_foreign(entry, *t, key(mutex));
  Inside inside;
  if (--held->depth != 0) return;
  const bool reading = held->for_reading;
  held_remove(*t, held);
  unlock_outermost(*t, key(mutex), reading);
  note_step_at(*t, reading ? StepKind::kReadUnlock : StepKind::kUnlock, key(mutex), entry.pc());
}

void mutex_unlock_as(const Entry& entry, const void* mutex, LockMode mode) {
  Thread* t = ordering(entry);
  if (t == nullptr) return;
  const HeldLock* held = held_find(*t, key(mutex));
  if (held != nullptr && held->for_reading != (mode == LockMode::kRead))
    report_misuse(mode == LockMode::kRead ? FindingKind::kBadReadUnlock : FindingKind::kBadUnlock, key(mutex),
                  place_of(entry, *t), kNoNode);
  mutex_unlock(entry, mutex);
}

uint32_t mutex_unlock_all(const Entry& entry, const void* mutex) {
  Thread* t = ordering(entry);
  if (t == nullptr) return 0;
  Inside inside;
  HeldLock* held = held_find(*t, key(mutex));
  if (held == nullptr) return 0;  // a bug of the program that the real function answers for
  const uint32_t levels = held->depth;
  held_remove(*t, held);
  unlock_outermost(*t, key(mutex), false);
  note_step_at(*t, StepKind::kUnlock, key(mutex), entry.pc());
  return levels;
}

void mutex_lock_again(const Entry& entry, const void* mutex, uint32_t levels) {
  if (entry.thread() == nullptr || levels == 0) return;
  mutex_lock(entry, mutex);
  Inside inside;
  if (HeldLock* held = held_find(*entry.thread(), key(mutex))) held->depth = levels;
}

void expect_no_locks(const Entry& entry) {
  if (Thread* t = entry.thread()) report_locks_held(*t, place_of(entry, *t));
}

void barrier_init(const Entry& entry, const void* barrier, uint32_t count) {
  if (entry.thread() == nullptr) return;
  Inside inside;
  SyncLock lock(key(barrier));
  lock.remove();
  SyncObject& o = lock.make();
  o.barrier_count = count;
  o.created_at = place_of(entry, *entry.thread());
  made_now(o, *entry.thread());
}

void barrier_destroy(const Entry& entry, const void* barrier) {
  if (!entry.watched()) return;
  Inside inside;
  SyncLock lock(key(barrier));
  lock.remove();
}

BarrierGeneration* barrier_enter(const Entry& entry, const void* barrier, uint32_t count) {
  Thread* t = entry.thread();
  if (t == nullptr) return nullptr;
  Inside inside;
  BarrierGeneration* g;
  bool unordered;
  NodeId made_at;
  ThreadUid made_by;
  {
    Party party(*t);
    SyncLock lock(key(barrier));
    SyncObject& o = lock.make();
    if (count != 0) o.barrier_count = count;
    unordered = !t->C.knows(o.made);
    made_at = o.created_at;
    made_by = o.made_by;
    if (o.generation == nullptr) {
      o.generation = new (heap_allocate(sizeof(BarrierGeneration))) BarrierGeneration;
      o.generation->barrier = key(barrier);
      if constexpr (record::kOn) o.generation->number = record::new_object();
    }
    g = o.generation;
    ++g->references;
    order::post(party, g->clock);
    if constexpr (record::kOn) record::ordered(*t, What::kPost, g->number);
    if (++g->entered == o.barrier_count) {  // complete: the next to enter begins another
      o.generation = nullptr;
      drop_generation(g);
    }
  }
  note_step_at(*t, StepKind::kRelease, key(barrier), entry.pc());
  if (__builtin_expect(unordered, 0))
    report_object_race(*t, key(barrier), AccessKind::kAtomicRead, use_of(entry, *t, AccessKind::kAtomicRead), made_by,
                       AccessKind::kWrite, made_at);
  return g;
}

void barrier_look(const Entry& entry, BarrierGeneration* generation) {
  Thread* const t = entry.thread();
  if (generation == nullptr || t == nullptr) return;
  Inside inside;
  Party party(*t);
  SyncLock lock(generation->barrier);
  order::wait(party, generation->clock);
  if constexpr (record::kOn) record::ordered(*t, What::kTake, generation->number);
}

void barrier_tell(const Entry& entry, BarrierGeneration* generation) {
  Thread* const t = entry.thread();
  if (generation == nullptr || t == nullptr) return;
  Inside inside;
  Party party(*t);
  SyncLock lock(generation->barrier);
  order::post(party, generation->clock);
  if constexpr (record::kOn) record::ordered(*t, What::kPost, generation->number);
}

void barrier_leave(const Entry& entry, BarrierGeneration* generation) {
  if (generation == nullptr) return;
  Inside inside;
  barrier_look(entry, generation);
  const uintptr_t barrier = generation->barrier;
  {
    SyncLock lock(barrier);
    drop_generation(generation);
  }
  if (entry.thread() != nullptr) note_step_at(*entry.thread(), StepKind::kAcquire, barrier, entry.pc());
}

}  // namespace deadheat::live
