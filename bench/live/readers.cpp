// Readers: many threads read the same arrays, from one end to the other and at random, in ever new epochs.
#include <mutex>

#include "kernel.h"

int main(int argc, char** argv) {
  constexpr int kThreads = 24, kSwept = 1 << 16, kLookedUp = 1 << 12, kLookups = 20000;
  const int rounds = 4 * kernel::scale(argc, argv);
  std::vector<double> swept(kSwept, 1.0);
  std::vector<int> looked_up(kLookedUp, 1);
  std::mutex mutex;
  uint64_t sum = 0;
  kernel::run_threads(kThreads, [&](int me) {
    kernel::Random random(static_cast<uint64_t>(me));
    for (int round = 0; round < rounds; ++round) {
      double own = 0;
      for (const double value : swept) own += value;
      for (int i = 0; i < kLookups; ++i) own += looked_up[random() % kLookedUp];
      const std::scoped_lock lock(mutex);
      sum += static_cast<uint64_t>(own);
    }
  });
  kernel::print_checksum(sum);
}
