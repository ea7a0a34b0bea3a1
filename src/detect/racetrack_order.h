// The order that RaceTrack knows: vector clocks B of threads, moved by what starts, ends and wakes threads.
//
// State    thread t: B(t), bounded (base/bounded_clock.h); condition, semaphore, message, barrier generation: a clock
// Promises Figure 2's rules for fork and join. Everything else that hands something over from one thread to another
//          publishes like a fork and takes like a join: notify and wait (the paper's Pulse and Wait), a message, a post
//          and the wait it answers, a barrier. A thread that was seen to have ended counts as joined.
//          Locks make no edge: the lockset speaks for them. Atomic operations and fences make none either: the paper
//          does not look at interlocked and volatile accesses.
// Cost     O(threads known) for each such event; nothing for locks and atomics.
// Tested by test/rules/racetrack_order_test.cpp
#pragma once

#include "base/bounded_clock.h"
#include "base/table.h"
#include "detect/barrier.h"
#include "detect/detector.h"

namespace deadheat {

class RaceTrackOrder {
 public:
  explicit RaceTrackOrder(Arena& arena) : arena_(arena) {}
  void limit_clocks(uint32_t entries) { limit_ = entries; }

  void sync(const Event& e);

  // B of a thread; one that nobody forked begins here.
  const BoundedClock& B(ThreadId id) {
    BoundedClock& B = threads_.at(arena_, index(id));
    if (B.empty()) [[unlikely]]
      B.set(arena_, id, 1, limit_);
    return B;
  }
  uint64_t ticks() const { return ticks_; }

 private:
  BoundedClock& thread(ThreadId id) { return const_cast<BoundedClock&>(B(id)); }
  void take(ThreadId id, const BoundedClock& clock) { thread(id).merge(arena_, clock, limit_, id); }
  // What `id` did so far is in `clock`; what it does from now on is not.
  void publish(ThreadId id, BoundedClock& clock) {
    clock.merge(arena_, B(id), limit_, id);
    tick(id);
  }
  void tick(ThreadId id);

  Arena& arena_;
  uint32_t limit_ = BoundedClock::kLimit;
  IdTable<BoundedClock> threads_;
  IdTable<BoundedClock> conditions_;
  IdTable<BoundedClock> semaphores_;
  IdTable<BoundedClock> messages_;
  IdTable<Barrier<BoundedClock>> barriers_;
  uint64_t ticks_ = 0;
};

}  // namespace deadheat
