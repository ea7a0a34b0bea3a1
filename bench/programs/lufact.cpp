// LU factorisation with partial pivoting and the solution of a linear system; the rows are divided among the threads.
// Java Grande, section 2: LUFact
//
// The original has no race. Planted: with --race the first barrier between the choice of a pivot and its use is left out.
#include <algorithm>
#include <cmath>

#include "program.h"

namespace {

class Matrix {
 public:
  explicit Matrix(int n) : n_(n), elements_(static_cast<std::size_t>(n) * n) {}
  double* operator[](int column) { return elements_.data() + static_cast<std::size_t>(column) * n_; }
  int n() const { return n_; }

 private:
  int n_;
  std::vector<double> elements_;  // by columns, as in the original
};

// Finds the pivot of column k, brings it up and turns the column below it into multipliers.
OWN_LINES void choose_pivot(double* column, int n, int k, int& pivot) {
  int best = k;
  for (int i = k + 1; i < n; ++i) {
    if (std::fabs(column[i]) > std::fabs(column[best])) best = i;
  }
  pivot = best;  // race pivot
  const double value = column[best];
  column[best] = column[k];                             // race pivot
  column[k] = value;                                    // race pivot
  for (int i = k + 1; i < n; ++i) column[i] /= -value;  // race pivot
}

OWN_LINES void eliminate(double* column, const double* multipliers, int n, int k, const int& pivot) {
  const int row = pivot;  // race pivot
  const double value = column[row];
  column[row] = column[k];
  column[k] = value;
  for (int i = k + 1; i < n; ++i) column[i] += value * multipliers[i];  // race pivot
}

}  // namespace

int main(int argc, char** argv) {
  const program::Arguments given = program::arguments("lufact", argc, argv);
  // n^3 / 3 updates of three accesses each.
  const int n = std::max(8, static_cast<int>(std::cbrt(100'000.0 * given.size)));
  Matrix a(n);
  program::Random random(2);
  std::vector<double> b(static_cast<std::size_t>(n));
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) b[i] += a[j][i] = random.unit() - 0.5;  // so that all x are 1
  }

  std::vector<int> pivots(static_cast<std::size_t>(n));
  program::Barrier barrier(given.threads);
  program::run_threads(given.threads, [&](int me) {
    for (int k = 0; k + 1 < n; ++k) {
      if (me == 0) choose_pivot(a[k], n, k, pivots[k]);
      if (!(given.race && k == 0)) barrier.wait();
      for (int j = k + 1 + me; j < n; j += given.threads) eliminate(a[j], a[k], n, k, pivots[k]);
      barrier.wait();
    }
  });

  for (int k = 0; k + 1 < n; ++k) {
    std::swap(b[k], b[pivots[k]]);
    for (int i = k + 1; i < n; ++i) b[i] += b[k] * a[k][i];
  }
  double error = 0;
  for (int k = n - 1; k >= 0; --k) {
    b[k] /= a[k][k];
    for (int i = 0; i < k; ++i) b[i] -= b[k] * a[k][i];
    error = std::fmax(error, std::fabs(b[k] - 1));
  }
  return program::verdict("lufact", given, error < 1e-6);
}
