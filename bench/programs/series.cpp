// Fourier coefficients of (x + 1)^x on [0, 2], each thread a share of them.     Java Grande, section 2: Series
//
// The original has no race. Planted: with --race the threads count finished coefficients without a lock.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "program.h"

namespace {

struct Coefficient {
  double a = 0;
  double b = 0;
};

// The trapezoid rule, with the samples of the function in a table that all threads read.
Coefficient coefficient(const std::vector<double>& samples, int n) {
  const int intervals = static_cast<int>(samples.size()) - 1;
  const double step = 2.0 / intervals, omega = std::numbers::pi * n;
  Coefficient result;
  for (int i = 0; i <= intervals; ++i) {
    const double value = samples[i] * (i == 0 || i == intervals ? 0.5 : 1.0);
    result.a += value * std::cos(omega * step * i);
    result.b += value * std::sin(omega * step * i);
  }
  return {result.a * step, result.b * step};
}

std::vector<double> sample(int intervals) {
  std::vector<double> samples(static_cast<std::size_t>(intervals) + 1);
  for (int i = 0; i <= intervals; ++i) {
    const double x = 2.0 * i / intervals;
    samples[i] = std::pow(x + 1, x);
  }
  return samples;
}

int finished = 0;
std::mutex finished_mutex;

}  // namespace

int main(int argc, char** argv) {
  const program::Arguments given = program::arguments("series", argc, argv);
  const int count = std::max(50 * given.size, given.threads);
  const std::vector<double> samples = sample(1000);
  std::vector<Coefficient> results(static_cast<std::size_t>(count));

  program::run_threads(given.threads, [&](int me) {
    const program::Share share = program::share_of(count, given.threads, me);
    int done = 0;
    for (int n = share.first; n < share.last; ++n) {
      results[n] = coefficient(samples, n);
      ++done;
    }
    if (given.race) {
      finished += done;  // race progress
    } else {
      std::scoped_lock lock(finished_mutex);
      finished += done;
    }
  });

  const std::vector<double> finer = sample(4000);
  bool right = finished == count;
  for (int n = 0; n < std::min(count, 4); ++n) {
    const Coefficient better = coefficient(finer, n);
    right = right && std::fabs(results[n].a - better.a) < 1e-3 && std::fabs(results[n].b - better.b) < 1e-3;
  }
  return program::verdict("series", given, right);
}
