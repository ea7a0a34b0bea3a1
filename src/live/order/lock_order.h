// Potential deadlocks: locks taken in orders that can block each other, although this run got away with it.
//
// Idea     An edge A -> B says that a thread asked for B while it held A. A cycle of edges can become a deadlock if
//            - the edges are of different threads (a thread does not wait for itself),
//            - no two of them were made under a common lock (it would keep them apart), unless both only read it,
//            - each waits for a lock that the next holds; two readers of a lock do not wait for each other.
//          An edge is kept once for each set of locks held, with a few threads that made it, and both stacks.
// Promises Every cycle of up to 8 locks that meets these conditions is reported when its last edge is made, before the
//          thread waits; so a deadlock that really happens is reported, too. Tries and waits with a time limit make no
//          edge, because they give up. A thread may hold any number of locks. After a million edges no new ones are
//          kept; option coverage says so.
// Cost     Nothing for a thread that holds no lock; for others one look into a cache of their own.
// Tested by test/unit/live_lock_order_test.cpp, test/programs/deadlock_*.c
#pragma once

#include <cstdint>

#include "live/order/thread.h"

namespace deadheat::live {

// The thread is about to wait for the lock; `where` is the call. It holds others.
void lock_order_waiting(Thread& t, uintptr_t lock, bool for_reading, NodeId where);
// A cycle that can become a deadlock: step i asked for the lock of step i + 1, of the last one for the first, while
// holding its own.
struct LockCycle {
  static constexpr unsigned kLongest = 8;
  struct Step {
    uintptr_t lock;
    ThreadUid thread;
    NodeId where;       // asked for the next one
    NodeId held_where;  // took its own
  };
  unsigned length;
  Step steps[kLongest];
};
// Called with no lock held. The room that tells the user defines it (report/lock_cycles.cpp).
void report_lock_cycle(const LockCycle& cycle);

// The lock is gone; another one may come at its address.
void lock_order_forget(uintptr_t lock);

}  // namespace deadheat::live
