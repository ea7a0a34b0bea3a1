// Price paths by Monte Carlo simulation: tasks read shared historical data and put their results under a lock.
// Java Grande, section 3: MonteCarlo
//
// Known race of the original: every object's constructor sets the same static flag for debugging, without a lock.
#include <cmath>
#include <memory>

#include "program.h"

namespace {

constexpr int kTimeSteps = 500;

struct Settings {
  bool debug = false;
};
Settings settings;

struct Rates {
  double drift = 0;
  double volatility = 0;
  std::vector<double> history;
};

// Drift and volatility of a historical path, as every task computes them anew.
Rates estimate(const std::vector<double>& history) {
  Rates rates;
  const int returns = static_cast<int>(history.size()) - 1;
  for (int i = 0; i < returns; ++i) rates.drift += std::log(history[i + 1] / history[i]) / returns;
  for (int i = 0; i < returns; ++i)
    rates.volatility += std::pow(std::log(history[i + 1] / history[i]) - rates.drift, 2) / returns;
  rates.volatility = std::sqrt(rates.volatility);
  return rates;
}

OWN_LINES void set_debug_flag() {
  settings.debug = true;  // race debug-flag
}

class Path {
 public:
  Path(const std::vector<double>& history, uint64_t seed, bool race) : values_(kTimeSteps) {
    if (race) set_debug_flag();
    const Rates rates = estimate(history);
    program::Random random(seed);
    values_[0] = history[0];
    for (int i = 1; i < kTimeSteps; ++i) {
      double normal = -6;
      for (int k = 0; k < 12; ++k) normal += random.unit();
      values_[i] = values_[i - 1] * std::exp(rates.drift + rates.volatility * normal);
    }
  }
  double growth() const { return std::log(values_.back() / values_.front()) / (kTimeSteps - 1); }

 private:
  std::vector<double> values_;
};

}  // namespace

int main(int argc, char** argv) {
  const program::Arguments given = program::arguments("montecarlo", argc, argv);
  const int tasks = std::max(24 * given.size, given.threads);
  std::vector<double> history(200);
  program::Random random(6);
  history[0] = 100;
  for (std::size_t i = 1; i < history.size(); ++i) history[i] = history[i - 1] * (1 + 0.02 * (random.unit() - 0.45));

  std::mutex mutex;
  std::vector<std::unique_ptr<Path>> results(static_cast<std::size_t>(tasks));
  double sum = 0;
  program::run_threads(given.threads, [&](int me) {
    for (int task = me; task < tasks; task += given.threads) {
      auto path = std::make_unique<Path>(history, static_cast<uint64_t>(task) + 1, given.race);
      const double growth = path->growth();
      std::scoped_lock lock(mutex);
      results[task] = std::move(path);
      sum += growth;
    }
  });

  const Rates rates = estimate(history);
  const double tolerance = 6 * rates.volatility / std::sqrt(static_cast<double>(tasks) * kTimeSteps);
  bool right = settings.debug == given.race && std::fabs(sum / tasks - rates.drift) < tolerance;
  for (int task = 0; task < tasks; task += tasks / 8 + 1) {
    right = right && results[task]->growth() == Path(history, static_cast<uint64_t>(task) + 1, false).growth();
  }
  return program::verdict("montecarlo", given, right);
}
