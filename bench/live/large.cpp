// Large: 400 MB of data, written once by its owner and read once by a neighbour after a barrier.
#include <barrier>
#include <memory>

#include "kernel.h"

int main(int argc, char** argv) {
  constexpr int kThreads = 2;
  constexpr size_t kWords = size_t{400} * 1000 * 1000 / sizeof(uint64_t);
  const int rounds = kernel::scale(argc, argv);
  const std::unique_ptr<uint64_t[]> data(new uint64_t[kWords]);
  uint64_t sums[kThreads] = {};
  std::barrier barrier(kThreads);
  kernel::run_threads(kThreads, [&](int me) {
    const size_t part = kWords / kThreads;
    for (int round = 0; round < rounds; ++round) {
      for (size_t i = part * me; i < part * (me + 1); ++i) data[i] = i * 3 + static_cast<uint64_t>(round);
      barrier.arrive_and_wait();
      const int neighbour = (me + 1) % kThreads;
      uint64_t sum = 0;
      for (size_t i = part * neighbour; i < part * (neighbour + 1); ++i) sum += data[i];
      sums[me] = sum;
      barrier.arrive_and_wait();
    }
  });
  kernel::print_checksum(sums[0] * 31 + sums[1]);
}
