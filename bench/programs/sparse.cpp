// Sparse matrix times vector, many times; the rows are divided among the threads.     Java Grande, section 2: SparseMatmult
//
// The original has no race. Planted: with --race the non-zeros are divided in the middle of a row, so that two threads add to
// one element of the result.
#include <algorithm>
#include <cmath>

#include "program.h"

namespace {

constexpr int kIterations = 20;
constexpr int kPerRow = 5;

OWN_LINES void multiply(const std::vector<double>& values, const std::vector<int>& row, const std::vector<int>& column,
                        const std::vector<double>& x, std::vector<double>& y, int first, int last) {
  for (int k = first; k < last; ++k) y[row[k]] += values[k] * x[column[k]];  // race border
}

}  // namespace

int main(int argc, char** argv) {
  const program::Arguments given = program::arguments("sparse", argc, argv);
  // Six accesses for each non-zero and iteration.
  const int n = std::max(100'000 * given.size / (6 * kPerRow * kIterations), 2 * given.threads);
  const int nonzeros = n * kPerRow;
  std::vector<double> values(static_cast<std::size_t>(nonzeros)), x(static_cast<std::size_t>(n)), y(x.size()),
      once(x.size());
  std::vector<int> row(values.size()), column(values.size());
  program::Random random(4);
  for (int k = 0; k < nonzeros; ++k) {
    values[k] = random.unit();
    row[k] = k / kPerRow;
    column[k] = random.below(n);
  }
  for (double& element : x) element = random.unit();

  program::run_threads(given.threads, [&](int me) {
    const program::Share share = program::share_of(n, given.threads, me);
    const int first = share.first * kPerRow + (given.race && me > 0 ? 2 : 0);
    const int last = share.last * kPerRow + (given.race && me + 1 < given.threads ? 2 : 0);
    for (int i = 0; i < kIterations; ++i) multiply(values, row, column, x, y, first, last);
  });

  multiply(values, row, column, x, once, 0, nonzeros);
  double error = 0;
  for (int i = 0; i < n; ++i) error = std::fmax(error, std::fabs(y[i] - kIterations * once[i]));
  return program::verdict("sparse", given, error < 1e-9);
}
