// Happens-before: the clocks of threads and of everything that orders them.
//
// State    thread t: C (its vector clock), E = C(t)@t, Fr, Fa;   lock: Lw, Lr;   barrier generation, semaphore,
//          message: one clock each;   atomic object: S
// Promises a happens before b iff the epoch of a precedes the clock that b's thread has at b. Every rule below is one
//          row of the tables in docs/semantics.md.
// Cost     O(1) to publish; O(1) to take a clock that contains the thread's own or whose publisher's epoch is known: a
//          lock that passes from thread to thread, a barrier, a lock that is taken again; else O(threads).
// Tested by test/differential (against reachability over events), test/rules/happens_before_test.cpp
//
// Slots. A vector clock has an entry for each slot, and a thread owns a slot. When a thread is joined, its slot goes to
// the joiner, which may hand it to a thread that it creates. The joiner's clock covers everything that the former owner
// did, so the new owner's clocks go on from there and no epoch is ever ambiguous.
#pragma once

#include "base/shared_clock.h"
#include "base/table.h"
#include "detect/atomic_clocks.h"
#include "detect/barrier.h"
#include "detect/detector.h"

namespace deadheat {

class HappensBefore {
 public:
  struct Thread {
    SharedClock C;   // its own entry is E
    Epoch E;         // kNever: the thread was not seen yet
    Clock learnt;    // the clock of E when C last changed otherwise than by a tick
    SharedClock Fr;  // the clock of the last release fence
    SharedClock Fa;  // what relaxed loads saw released
    // Slots of joined threads, ours to give away: a list through SlotRecord::next.
    int64_t first_retired = kNone, last_retired = kNone;
  };

  explicit HappensBefore(Arena& arena) : arena_(arena) {}

  void sync(const Event& e);
  void acquire_part(const Event& e);
  void release_part(const Event& e);
  void forget_atomics(AtomicKey first, uint64_t count);

  // The thread's clocks; a thread that nobody forked starts here, unordered with everybody.
  Thread& thread(ThreadId id) {
    Thread& t = threads_.at(arena_, index(id));
    if (t.E.is_never()) [[unlikely]]
      begin(t, id);
    return t;
  }
  const Thread* find(ThreadId id) const { return threads_.find(index(id)); }
  // The thread that owned the epoch's slot at the epoch's clock.
  ThreadId owner(Epoch e) const;

  const VectorClockCost& cost() const { return cost_; }
  void count(CounterSink& sink) const;

 private:
  static constexpr int64_t kNone = -1;

  struct Lock {
    SharedClock Lw, Lr;
  };
  // An atomic object, of which most have no clock: S by its key.
  struct AtomicObject {
    AtomicKey key;
  };
  struct Party;
  struct Ownership {
    Clock first;  // the owner's first clock
    ThreadId owner;
  };
  struct SlotRecord {
    ArenaVector<Ownership> owners;  // ascending
    Clock last;                     // of the last owner, once it was joined
    int64_t next;                   // in the list of retired slots it is part of
  };

  void begin(Thread& t, ThreadId id);
  void own(Thread& t, ThreadId id, Slot slot, Clock first);
  void tick(Thread& t);
  void fork(Thread& parent, ThreadId child_id);
  void join(Thread& joiner, Thread& ended);
  void learn(Thread& t, const SharedClock& X) {
    if (t.C.join(arena_, cost_, X, t.learnt)) t.learnt = t.E.clock();
  }

  Arena& arena_;
  VectorClockCost cost_;
  IdTable<Thread> threads_;
  IdTable<Lock> locks_;
  IdTable<Barrier<SharedClock>> barriers_;
  IdTable<SharedClock> semaphores_;
  IdTable<SharedClock> messages_;
  AtomicClocks<SharedClock> atomics_;  // S, by atomic_key
  ArenaVector<SlotRecord> slots_;
};

}  // namespace deadheat
