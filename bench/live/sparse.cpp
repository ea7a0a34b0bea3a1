// Sparse: products of a sparse matrix with a vector, read all over the place, written row by row.
#include <barrier>

#include "kernel.h"

int main(int argc, char** argv) {
  constexpr int kRows = 40000, kPerRow = 12, kThreads = 4;
  const int products = 30 * kernel::scale(argc, argv);
  std::vector<int> columns(kRows * kPerRow);
  std::vector<float> values(kRows * kPerRow), x(kRows, 1.0f), y(kRows);
  kernel::Random random(1);
  for (int i = 0; i < kRows * kPerRow; ++i) {
    columns[i] = static_cast<int>(random() % kRows);
    values[i] = static_cast<float>(random() % 100) / 1200.0f;
  }
  std::barrier barrier(kThreads);
  kernel::run_threads(kThreads, [&](int me) {
    std::vector<float>* from = &x;
    std::vector<float>* to = &y;
    for (int product = 0; product < products; ++product) {
      for (int row = kRows * me / kThreads; row < kRows * (me + 1) / kThreads; ++row) {
        float sum = 0;
        for (int i = row * kPerRow; i < (row + 1) * kPerRow; ++i) sum += values[i] * (*from)[columns[i]];
        (*to)[row] = sum + 0.5f;
      }
      barrier.arrive_and_wait();
      std::swap(from, to);
    }
  });
  double sum = 0;
  for (const float value : x) sum += value;
  kernel::print_checksum(static_cast<uint64_t>(sum));
}
