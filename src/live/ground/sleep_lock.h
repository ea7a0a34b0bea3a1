// A lock for long sections: a thread that waits for it sleeps.
//
// For sections that read or write files and sockets. They run no code of the program, take no lock of the C library or
// the loader, and no thread forks while it holds one: the child of a fork makes the lock anew (`renew`).
#pragma once

#include <atomic>
#include <cstdint>

#include "live/ground/locks.h"
#include "live/ground/sys.h"

namespace deadheat::live {

class SleepLock {
 public:
  constexpr SleepLock() = default;
  void lock() {
    calling_out(Runs::kProgram);  // a thread that waits here holds no lock of the table
    uint32_t expected = kFree;
    if (word_.compare_exchange_strong(expected, kHeld, std::memory_order_acquire)) return;
    while (word_.exchange(kAwaited, std::memory_order_acquire) != kFree) futex(FUTEX_WAIT_PRIVATE, kAwaited);
  }
  void unlock() {
    if (word_.exchange(kFree, std::memory_order_release) == kAwaited) futex(FUTEX_WAKE_PRIVATE, 1);
  }
  void renew() { word_.store(kFree, std::memory_order_relaxed); }

 private:
  enum : uint32_t { kFree, kHeld, kAwaited };
  void futex(int operation, uint32_t value) { sys::call(SYS_futex, reinterpret_cast<long>(&word_), operation, value); }

  std::atomic<uint32_t> word_{kFree};
};

}  // namespace deadheat::live
