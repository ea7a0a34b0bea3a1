// Stencil: a heat equation on a grid of doubles, rows divided over the threads, a barrier after every sweep.
#include <barrier>

#include "kernel.h"

int main(int argc, char** argv) {
  constexpr int kSide = 512, kThreads = 4;
  const int sweeps = 150 * kernel::scale(argc, argv);
  std::vector<double> from(kSide * kSide), to(kSide * kSide);
  for (int i = 0; i < kSide; ++i) from[i] = to[i] = 100;
  std::barrier barrier(kThreads);
  kernel::run_threads(kThreads, [&](int me) {
    double* a = from.data();
    double* b = to.data();
    const int first = 1 + (kSide - 2) * me / kThreads, last = 1 + (kSide - 2) * (me + 1) / kThreads;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (int y = first; y < last; ++y)
        for (int x = 1; x < kSide - 1; ++x) {
          const int i = y * kSide + x;
          b[i] = 0.25 * (a[i - 1] + a[i + 1] + a[i - kSide] + a[i + kSide]);
        }
      barrier.arrive_and_wait();
      std::swap(a, b);
    }
  });
  double sum = 0;
  for (const double value : from) sum += value;
  kernel::print_checksum(static_cast<uint64_t>(sum * 1000));
}
