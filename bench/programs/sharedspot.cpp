// Integers that each have a lock of their own; all threads do arithmetic on all of them.
// The SharedSpot microbenchmark of Goldilocks
//
// Planted: with --race every thread's first step on the first integer forgets the lock.
#include <algorithm>
#include <array>
#include <memory>

#include "program.h"

namespace {

constexpr int kSpots = 64;
constexpr int kPerLock = 8;  // additions under one lock

struct Spot {
  std::mutex mutex;
  long value = 0;
  long steps = 0;
};

OWN_LINES void add_unlocked(Spot& spot) {
  spot.value += 1;  // race forgotten-lock
}

OWN_LINES void add(Spot& spot, int me) {
  std::scoped_lock lock(spot.mutex);
  for (int i = 0; i < kPerLock; ++i) {
    spot.value += me;  // race forgotten-lock
    ++spot.steps;
    asm volatile("" ::: "memory");  // each addition is an access of memory
  }
}

}  // namespace

int main(int argc, char** argv) {
  const program::Arguments given = program::arguments("sharedspot", argc, argv);
  const int rounds = std::max(1, 128 * given.size / given.threads);  // at least one, so many threads make more accesses
  const auto spots = std::make_unique<std::array<Spot, kSpots>>();
  program::run_threads(given.threads, [&](int me) {
    if (given.race) add_unlocked((*spots)[0]);
    for (int round = 0; round < rounds; ++round) {
      for (int i = 0; i < kSpots; ++i) add((*spots)[(i + me) % kSpots], me);
    }
  });

  bool right = true;
  const long threads = given.threads, times = static_cast<long>(rounds) * kPerLock;
  for (const Spot& spot : *spots)
    right = right && spot.value == times * (threads * (threads - 1) / 2) && spot.steps == times * threads;
  return program::verdict("sharedspot", given, right);
}
