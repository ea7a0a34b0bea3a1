// Dining philosophers: forks are taken in order of their numbers, with a monitor of mutex and condition variable each.
// The ETH benchmark of the same name, as used by FastTrack
//
// The original has no race. Planted: with --race the philosophers count how often anybody was hungry, without a lock.
#include <algorithm>

#include "program.h"

namespace {

class Fork {
 public:
  void take() {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [&] { return !taken_; });
    taken_ = true;
    ++uses_;
  }
  void put() {
    std::scoped_lock lock(mutex_);
    taken_ = false;
    freed_.notify_one();
  }
  long uses() {
    std::scoped_lock lock(mutex_);
    return uses_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable freed_;
  bool taken_ = false;
  long uses_ = 0;
};

long hungry = 0;
std::mutex hungry_mutex;

OWN_LINES void count_hungry_unlocked() {
  ++hungry;  // race hungry
}

void count_hungry() {
  std::scoped_lock lock(hungry_mutex);
  ++hungry;
}

}  // namespace

int main(int argc, char** argv) {
  const program::Arguments given = program::arguments("philo", argc, argv);
  const int philosophers = std::max(2, given.threads);
  const int meals = std::max(1, 3'000 * given.size / philosophers);
  std::vector<Fork> forks(static_cast<std::size_t>(philosophers));
  std::vector<long> eaten(static_cast<std::size_t>(philosophers));
  program::run_threads(philosophers, [&](int me) {
    const int left = me, right = (me + 1) % philosophers;
    Fork& first = forks[std::min(left, right)];
    Fork& second = forks[std::max(left, right)];
    for (int meal = 0; meal < meals; ++meal) {
      given.race ? count_hungry_unlocked() : count_hungry();
      first.take();
      second.take();
      ++eaten[me];
      second.put();
      first.put();
    }
  });

  bool right = hungry == static_cast<long>(philosophers) * meals;
  for (long count : eaten) right = right && count == meals;
  for (Fork& fork : forks) right = right && fork.uses() == 2L * meals;
  return program::verdict("philo", given, right);
}
