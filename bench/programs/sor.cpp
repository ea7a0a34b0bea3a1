// Successive over-relaxation on a grid, red and black points in turn; the rows are divided among the threads.
// Java Grande, section 2: SOR
//
// The original's threads wait for their neighbours' rows through plain variables, which ReX's Table 5 counts as races. Here a
// barrier separates the colours, and with --race the first one is left out: a thread reads border rows that its neighbour writes.
#include <algorithm>
#include <cmath>

#include "program.h"

namespace {

constexpr double kOmega = 1.25;
constexpr int kSweeps = 10;

using Grid = std::vector<std::vector<double>>;

OWN_LINES void relax_row(const double* above, double* row, const double* below, int columns, int first) {
  for (int j = first; j < columns - 1; j += 2) {                              // race border
    const double neighbours = above[j] + below[j] + row[j - 1] + row[j + 1];  // race border
    row[j] += kOmega * (0.25 * neighbours - row[j]);                          // race border
  }
}

// A harmonic function: where the border has these values, the solution has them everywhere.
double solution(int i, int j) { return 2.0 * i - 3.0 * j; }

double distance(const Grid& grid) {
  double sum = 0;
  for (int i = 0; i < static_cast<int>(grid.size()); ++i) {
    for (int j = 0; j < static_cast<int>(grid[i].size()); ++j) sum += std::pow(grid[i][j] - solution(i, j), 2);
  }
  return std::sqrt(sum);
}

}  // namespace

int main(int argc, char** argv) {
  const program::Arguments given = program::arguments("sor", argc, argv);
  // Six accesses for each point and sweep.
  const int n = std::max(static_cast<int>(std::sqrt(100'000.0 * given.size / (6 * kSweeps))), given.threads) + 2;
  Grid grid(static_cast<std::size_t>(n), std::vector<double>(static_cast<std::size_t>(n)));
  program::Random random(3);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const bool border = i == 0 || j == 0 || i == n - 1 || j == n - 1;
      grid[i][j] = solution(i, j) + (border ? 0 : random.unit() - 0.5);
    }
  }
  const double before = distance(grid);

  program::Barrier barrier(given.threads);
  program::run_threads(given.threads, [&](int me) {
    const program::Share share = program::share_of(n - 2, given.threads, me);
    for (int half = 0; half < 2 * kSweeps; ++half) {
      for (int i = 1 + share.first; i < 1 + share.last; ++i) {
        relax_row(grid[i - 1].data(), grid[i].data(), grid[i + 1].data(), n, 1 + (i + half) % 2);
      }
      if (!(given.race && half == 0)) barrier.wait();
    }
  });
  return program::verdict("sor", given, distance(grid) < 0.5 * before);
}
