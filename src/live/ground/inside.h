// Inside the run time: interceptors that the C library or we call meanwhile do nothing, and signal handlers wait.
//
// What had to wait is done when the thread leaves the outermost section: the program may not call us again for a long
// time. So there is one way in and one way out, and only this class changes the depth (Depth, tls.h).
// Tested by test/programs/signal_in_loops.c, signal_at_thread_end.c
#pragma once

#include <atomic>

#include "live/ground/spin_lock.h"
#include "live/ground/tls.h"

namespace deadheat::live {

// Does what `postponed` says. Defined by the room that knows how (process/signals.cpp).
void do_postponed();

class Inside {
 public:
  Inside() { enter(); }
  ~Inside() { leave(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  // For a section that begins in one function and ends in another.
  static void enter() { ++tls.busy.count_; }
  static void leave() {
    --tls.busy.count_;
    // A handler that comes before that store waits, and is seen below; one that comes after it does not wait.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (tls.busy.count_ == 0 && __builtin_expect(postponed.any(), 0)) do_postponed();
  }
  // Into the handler of a signal, which comes before those that wait.
  static void leave_into_handler() { --tls.busy.count_; }
  // The thread is at its end: what the C library still does in it is none of our business.
  static void stay_for_good() { tls.busy.count_ |= Depth::kForGood; }
};

// Out of the run time for a call of the program's code.
class Outside {
 public:
  Outside() { Inside::leave(); }
  ~Outside() { Inside::enter(); }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;
};

// Inside and with a lock of the run time, of either kind: no handler of a signal comes in between.
template <class Lock>
class BusyGuard {
 public:
  explicit BusyGuard(Lock& lock) : lock_(lock) { lock_.lock(); }
  ~BusyGuard() { lock_.unlock(); }
  BusyGuard(const BusyGuard&) = delete;
  BusyGuard& operator=(const BusyGuard&) = delete;

 private:
  Inside inside_;
  Lock& lock_;
};

}  // namespace deadheat::live
