// A lock of one word for short sections that run no code of the program.
//
// After some hundred failed looks the waiter gives its processor away: the holder may have been preempted. A thread
// must not take one in a signal handler that interrupted the run time: entries check `tls.busy` first.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/sys.h"

namespace deadheat::live {

class SpinLock {
 public:
  constexpr SpinLock() = default;
  void lock() {
    if (__builtin_expect(word_.exchange(1, std::memory_order_acquire) != 0, 0)) lock_slow();
  }
  bool try_lock() { return word_.exchange(1, std::memory_order_acquire) == 0; }
  void unlock() { word_.store(0, std::memory_order_release); }

 private:
  __attribute__((noinline)) void lock_slow() {
    for (unsigned looks = 0;; ++looks) {
      if (word_.load(std::memory_order_relaxed) == 0 && try_lock()) return;
      if (looks % 256 == 255)
        sys::yield();
      else
        __builtin_ia32_pause();
    }
  }

  std::atomic<uint32_t> word_{0};
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
