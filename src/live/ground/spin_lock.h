// A lock of one word for short sections that run no code of the program.
//
// A signal handler that interrupted the run time must not take such a lock, so entries check `tls.busy` first. Every lock
// has a row in the table of locks.h.
#pragma once

#include <atomic>
#include <cstdint>

#include "live/ground/locks.h"
#include "live/ground/patience.h"

namespace deadheat::live {

class SpinLock {
 public:
#ifdef NDEBUG
  constexpr explicit SpinLock(Lock) {}
#else
  constexpr explicit SpinLock(Lock row) : row_(row) {}
#endif
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;
  void lock() {
    taking();
    if (__builtin_expect(word_.exchange(1, std::memory_order_acquire) != 0, 0)) lock_slow();
  }
  void unlock() {
    word_.store(0, std::memory_order_release);
    left();
  }

 private:
  __attribute__((noinline)) void lock_slow() {
    for (Patience patience;; patience.wait())
      if (word_.load(std::memory_order_relaxed) == 0 && word_.exchange(1, std::memory_order_acquire) == 0) return;
  }

  std::atomic<uint32_t> word_{0};
#ifdef NDEBUG
  void taking() const {}
  void left() const {}
#else
  void taking() const { lock_taking(row_); }
  void left() const { lock_left(row_); }
  Lock row_;
#endif
};

class SpinGuard {
 public:
  explicit SpinGuard(SpinLock& lock) : lock_(lock) { lock_.lock(); }
  ~SpinGuard() { lock_.unlock(); }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;

 private:
  SpinLock& lock_;
};

}  // namespace deadheat::live
