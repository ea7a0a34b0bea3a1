#include "detect/atomic_clocks.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

namespace deadheat::test {
namespace {

// Against a sorted table: keys in a few regions, ranges from a byte to many regions, up to the end of memory.
TEST(AtomicClocks, ForgetsWhatLiesInTheRangeAndNothingElse) {
  std::mt19937_64 random(1);
  Arena arena;
  AtomicClocks<uint64_t> clocks;
  std::map<std::pair<uint32_t, uint64_t>, uint64_t> expected;
  const auto some_number = [&] {
    const uint64_t base = random() % 4 == 0 ? UINT64_MAX - 300000 : uint64_t{0x10000} * (random() % 8);
    return base + random() % 300000;
  };
  for (int step = 0; step < 20000; ++step) {
    const AtomicKey key{some_number(), static_cast<uint32_t>(random() % 3)};
    if (random() % 3 != 0) {
      const uint64_t value = random();
      clocks.at(arena, key) = expected[{key.space, key.number}] = value;
      continue;
    }
    const uint64_t most = UINT64_MAX - key.number,
                   count = random() % 8 == 0 ? random() % 4 : random() >> (40 + random() % 24);
    const uint64_t last = key.number + std::min(most, count);
    const uint64_t keys = last - key.number + (count != 0 ? 1 : 0);
    uint64_t sum = 0, expected_sum = 0;
    for (auto at = expected.lower_bound({key.space, key.number});
         keys != 0 && at != expected.end() && at->first.first == key.space && at->first.second <= last;) {
      expected_sum += at->second;
      at = expected.erase(at);
    }
    clocks.forget(key, keys, [&](uint64_t& clock) { sum += clock; });
    ASSERT_EQ(sum, expected_sum) << step;
    ASSERT_EQ(clocks.size(), expected.size()) << step;
  }
  for (const auto& [key, value] : expected) {
    const uint64_t* const found = clocks.find({key.second, key.first});
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(*found, value);
  }
}

}  // namespace
}  // namespace deadheat::test
