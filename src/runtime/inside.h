// Within the run time: interceptors that are called meanwhile, by the C library or by us, stay out, and a signal
// handler waits.
//
// A handler that came is run when the outermost section is left, however long the program then goes without calling
// anything of ours: so whoever raises `busy` leaves by leave_run_time().
// Tested by test/programs/signal_in_loops.c
#pragma once

#include <atomic>

#include "runtime/signals.h"
#include "runtime/spin_lock.h"
#include "runtime/thread.h"

namespace deadheat::live {

inline void leave_run_time() {
  --tls.busy;
  // A handler that comes before that store waits, and is seen below; one that comes after it does not wait.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (tls.busy == 0 && __builtin_expect(signals_waiting != 0, 0)) run_waiting_signals();
}

class Inside {
 public:
  Inside() { ++tls.busy; }
  ~Inside() { leave_run_time(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

// With a lock of the run time.
class BusyGuard {
 public:
  explicit BusyGuard(SpinLock& lock) : guard_(lock) {}

 private:
  Inside inside_;
  SpinGuard guard_;
};

}  // namespace deadheat::live
