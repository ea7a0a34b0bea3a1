// Integers of which each belongs to one thread, with a lock each all the same; every thread does arithmetic on its own.
// The LocalSpot microbenchmark of Goldilocks
//
// Planted: with --race every thread's first step is on an integer of its neighbour.
#include <algorithm>

#include "program.h"

namespace {

constexpr int kSpots = 64;
constexpr int kPerLock = 8;  // additions under one lock

struct Spot {
  std::mutex mutex;
  long value = 0;
  long steps = 0;
};

OWN_LINES void add_to_neighbour(Spot& spot) {
  spot.value += 1;  // race neighbour
}

OWN_LINES void add(Spot& spot, int me) {
  std::scoped_lock lock(spot.mutex);
  for (int i = 0; i < kPerLock; ++i) {
    spot.value += me;  // race neighbour
    ++spot.steps;
    asm volatile("" ::: "memory");  // each addition is an access of memory
  }
}

}  // namespace

int main(int argc, char** argv) {
  const program::Arguments given = program::arguments("localspot", argc, argv);
  const int rounds = std::max(1, 128 * given.size / given.threads);  // at least one, so many threads make more accesses
  std::vector<std::vector<Spot>> spots;
  for (int i = 0; i < given.threads; ++i) spots.emplace_back(static_cast<std::size_t>(kSpots));
  program::run_threads(given.threads, [&](int me) {
    if (given.race) add_to_neighbour(spots[(me + 1) % given.threads][0]);
    for (int round = 0; round < rounds; ++round) {
      for (Spot& spot : spots[me]) add(spot, me);
    }
  });

  bool right = true;
  const long times = static_cast<long>(rounds) * kPerLock;
  for (int i = 0; i < given.threads; ++i) {
    for (const Spot& spot : spots[i]) right = right && spot.value == times * i && spot.steps == times;
  }
  return program::verdict("localspot", given, right);
}
