// Counters: many threads change and read the same atomics, most of them without any order.
#include <array>
#include <atomic>

#include "kernel.h"

int main(int argc, char** argv) {
  constexpr int kThreads = 24;
  const long rounds = 20000L * kernel::scale(argc, argv);
  std::atomic<long> all{0};
  std::array<std::atomic<long>, 64> slots{};
  kernel::run_threads(kThreads, [&](int me) {
    for (long i = 0; i < rounds; ++i) {
      all.fetch_add(1, std::memory_order_relaxed);
      slots[(i + me) % 64].store(i, std::memory_order_release);
      if (slots[i % 64].load(std::memory_order_acquire) < 0) all.fetch_add(1, std::memory_order_relaxed);
    }
  });
  kernel::print_checksum(static_cast<uint64_t>(all));
}
