// Travelling salesman by branch and bound: a queue of partial tours, and the length of the best tour as bound.
// The ETH benchmark of the same name, as used by FastTrack and ReX
//
// Known race of the original: a thread reads the bound without the lock under which others lower it.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "program.h"

namespace {

class Search {
 public:
  Search(int cities, bool race) : cities_(cities), race_(race), distances_(static_cast<std::size_t>(cities) * cities) {
    // On a circle, where the best tour is the one around.
    program::Random random(7);
    std::vector<double> angles;
    for (int i = 0; i < cities; ++i) angles.push_back(2 * std::numbers::pi * (i + 0.6 * random.unit()) / cities);
    order_.resize(static_cast<std::size_t>(cities));
    std::iota(order_.begin(), order_.end(), 0);
    for (int i = cities - 1; i > 0; --i) std::swap(order_[i], order_[random.below(i + 1)]);
    for (int i = 0; i < cities; ++i) {
      for (int j = 0; j < cities; ++j)
        distances_[order_[i] * cities + order_[j]] =
            static_cast<int>(20'000 * std::fabs(std::sin((angles[i] - angles[j]) / 2)));
    }
    // Of the tours that start at city 0, one for every pair of next cities.
    for (int a = 1; a < cities; ++a) {
      for (int b = 1; b < cities; ++b) {
        if (a != b) queue_.push_back({0, a, b});
      }
    }
  }

  void work(int me) {
    std::vector<int> tour(static_cast<std::size_t>(cities_));
    std::iota(tour.begin(), tour.end(), 0);
    std::rotate(tour.begin() + 1, tour.begin() + 1 + me % (cities_ - 1), tour.end());
    offer(length(tour));
    while (true) {
      {
        std::scoped_lock lock(queue_mutex_);
        if (queue_.empty()) return;
        tour = queue_.back();
        queue_.pop_back();
      }
      extend(tour, distance(tour[0], tour[1]) + distance(tour[1], tour[2]));
    }
  }

  bool is_right() const { return best_ == length(order_); }

 private:
  int distance(int a, int b) const { return distances_[a * cities_ + b]; }
  int length(const std::vector<int>& tour) const {
    int sum = distance(tour.back(), tour.front());
    for (int i = 0; i + 1 < cities_; ++i) sum += distance(tour[i], tour[i + 1]);
    return sum;
  }

  OWN_LINES int bound_unlocked() const {
    return best_;  // race bound
  }
  int bound() {
    if (race_) return bound_unlocked();
    std::scoped_lock lock(best_mutex_);
    return best_;
  }

  OWN_LINES void offer(int found) {
    if (found >= bound()) return;
    std::scoped_lock lock(best_mutex_);
    if (found < best_) best_ = found;  // race bound
  }

  void extend(std::vector<int>& tour, int so_far) {
    if (so_far >= bound()) return;
    if (static_cast<int>(tour.size()) == cities_) {
      offer(so_far + distance(tour.back(), tour.front()));
      return;
    }
    for (int city = 1; city < cities_; ++city) {
      if (std::find(tour.begin(), tour.end(), city) != tour.end()) continue;
      tour.push_back(city);
      extend(tour, so_far + distance(tour[tour.size() - 2], city));
      tour.pop_back();
    }
  }

  const int cities_;
  const bool race_;
  std::vector<int> distances_;
  std::vector<int> order_;
  std::mutex queue_mutex_, best_mutex_;
  std::vector<std::vector<int>> queue_;
  int best_ = 1 << 30;
};

}  // namespace

int main(int argc, char** argv) {
  const program::Arguments given = program::arguments("tsp", argc, argv);
  const int cities = 8 + static_cast<int>(std::log2(given.size) / 2.2);  // a city more is some five times the work
  Search search(cities, given.race);
  program::run_threads(given.threads, [&](int me) { search.work(me); });
  return program::verdict("tsp", given, search.is_right());
}
