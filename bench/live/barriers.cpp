// Barriers: short phases; each thread fills its part of an array and reads its neighbour's from the phase before.
#include <pthread.h>

#include "kernel.h"

int main(int argc, char** argv) {
  constexpr int kThreads = 2, kPart = 2000;
  const int phases = 6000 * kernel::scale(argc, argv);
  std::vector<uint32_t> data[2] = {std::vector<uint32_t>(kThreads * kPart), std::vector<uint32_t>(kThreads * kPart)};
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, kThreads);
  kernel::run_threads(kThreads, [&](int me) {
    const int neighbour = (me + 1) % kThreads;
    for (int phase = 0; phase < phases; ++phase) {
      const uint32_t* from = data[phase % 2].data() + neighbour * kPart;
      uint32_t* to = data[1 - phase % 2].data() + me * kPart;
      for (int i = 0; i < kPart; ++i) to[i] = from[i] * 5 + static_cast<uint32_t>(phase);
      pthread_barrier_wait(&barrier);
    }
  });
  pthread_barrier_destroy(&barrier);
  uint64_t sum = 0;
  for (const uint32_t value : data[phases % 2]) sum = sum * 31 + value;
  kernel::print_checksum(sum);
}
