// The study beside SlimState: partitions for any set, against brute force, and what the variants need on small
// examples.
#include "detect/slimstate_study.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>

namespace deadheat::test {
namespace {

std::set<std::set<uint32_t>> parts_of(const Partition& P) {
  std::map<uint32_t, std::set<uint32_t>> parts;
  for (uint32_t i = 0; i < P.length(); ++i) parts[P.part_of(i)].insert(i);
  std::set<std::set<uint32_t>> all;
  for (const auto& [p, part] : parts) all.insert(part);
  return all;
}
bool is_union_of(const std::set<uint32_t>& set, const std::set<std::set<uint32_t>>& parts) {
  for (const std::set<uint32_t>& part : parts) {
    size_t in = 0;
    for (const uint32_t i : part) in += set.contains(i);
    if (in != 0 && in != part.size()) return false;
  }
  return true;
}

TEST(SlimStateStudy, ModesForAnySetRefineAndArePreciseEnough) {
  std::mt19937 generator(1);
  const auto random = [&] { return static_cast<uint32_t>(generator()); };
  for (const uint32_t n : {16u, 18u, 24u}) {
    for (int round = 0; round < 400; ++round) {
      Partition P = Partition::coarse(n);
      for (int step = 0; step < 4; ++step) {
        Arena arena;
        BitSet f;
        std::set<uint32_t> set;
        const uint32_t d = 1 + random() % 6, limit = 1 + random() % n, style = random() % 3;
        const uint32_t choice = random() | 1u << random() % 6;
        for (uint32_t i = 0; i < n; ++i) {
          const bool in = style == 0   ? (choice >> i / d % 32 & 1) != 0
                          : style == 1 ? (choice >> i % d & 1) != 0
                                       : i < limit && random() % 2 == 0;
          if (in || (i == n - 1 && set.empty())) {
            f.insert(arena, i, n);
            set.insert(i);
          }
        }
        const Partition refined = refine(P, f);
        ASSERT_TRUE(is_union_of(set, parts_of(refined)));
        for (const std::set<uint32_t>& old : parts_of(P)) ASSERT_TRUE(is_union_of(old, parts_of(refined)));
        P = refined;
      }
    }
  }
}

struct Counters : CounterSink {
  std::map<std::string, uint64_t, std::less<>> values;
  void add(std::string_view path, uint64_t value, Scope, uint64_t) override { values[std::string(path)] = value; }
  void add_rule(std::string_view, AccessKind, uint64_t) override {}
};

// Two threads write the same irregular set and its complement, turn by turn: two states would do for any partition.
TEST(SlimStateStudy, CountsTheStatesOfEachVariant) {
  Arena arena;
  SlimStateStudy study(arena);
  const ObjectId array{0};
  const std::set<uint32_t> set = {1, 2, 5, 7, 8, 14};
  for (uint32_t i = 0; i < 16; ++i) {
    const ThreadId thread{set.contains(i) ? 0u : 1u};
    study.access({thread, AccessKind::kWrite, kNoLocation, i}, array, 16, i);
  }
  study.synchronises(ThreadId{0});
  study.synchronises(ThreadId{1});
  study.finish();
  Counters counters;
  study.count(counters);
  EXPECT_EQ(counters.values["study/elements"], 16u);
  EXPECT_EQ(counters.values["study/states with bit-set footprints"], 16u);
  EXPECT_EQ(counters.values["study/states with both"], 2u);
  // The strided footprints are {1,2} {5,7} {8,14} of thread 0 and {0,3} {4,6} {9..13} {15} of thread 1.
  EXPECT_EQ(counters.values["study/states with bit-set partitions"], 7u);
}

}  // namespace
}  // namespace deadheat::test
