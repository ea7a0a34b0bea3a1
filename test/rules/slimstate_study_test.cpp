// The study beside SlimState: partitions for any set, against brute force, and what the variants need on small
// examples.
#include "detect/slimstate_study.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>

#include "engine/analysis.h"
#include "support/memory_reader.h"

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

// ---- What the engine counts of blocks of bytes -------------------------------------------------------------------

// What SlimState and the study beside it count; the workers' numbers add up to the same.
std::map<std::string, uint64_t> counted(const std::string& text) {
  std::map<std::string, uint64_t> numbers[2];
  for (const unsigned jobs : {1u, 3u}) {
    const TestTrace trace = parse_trace(text);
    MemoryReader reader(trace);
    Losses losses;
    AnalysisOptions options;
    options.detector = "slimstate";
    options.stats = true;
    options.jobs = jobs;
    options.detector_options.study = true;
    const std::vector<AnalysisResult> results = analyze(reader, {&options, 1}, /*lenient=*/false, losses);
    for (const auto& [path, value] : results.front().findings.stats.entries())
      if (std::holds_alternative<uint64_t>(value) && !path.starts_with("memory"))
        numbers[jobs > 1][path] = std::get<uint64_t>(value);
  }
  EXPECT_EQ(numbers[0], numbers[1]);
  return numbers[0];
}

// Writes of `bytes` at every `step` of the block at 0x1000.
std::string sweep(const char* thread, uint64_t from, uint64_t to, uint64_t step, uint64_t bytes) {
  std::string text;
  for (uint64_t i = from; i < to; i += step)
    text += fmt::format("{}|w({:#x}:{})|f:{} ", thread, 0x1000 + i, bytes, i % 3);
  return text;
}

TEST(SlimStateCounters, ABlockThatIsSweptIsOneState) {
  auto n = counted("0|alloc(0x1000,256)|f " + sweep("0", 0, 256, 4, 4));
  EXPECT_EQ(n["arrays in mode/coarse"], 1u);
  EXPECT_EQ(n["elements in mode/coarse/count"], 64u);
  EXPECT_EQ(n["states of elements/all/count"], 1u);
  EXPECT_EQ(n["arrays/blocks handed back"], 0u);
  EXPECT_EQ(n["study/elements"], 64u);
  for (const char* variant : {"bit-set footprints", "bit-set partitions", "both"})
    EXPECT_EQ(n[std::string("study/states with ") + variant + "/count"], 1u) << variant;
}

TEST(SlimStateCounters, ABlockThatWentBackToBytesIsFine) {
  // Half an element: the block has a state for every unit from now on.
  auto n = counted("0|alloc(0x1000,256)|f " + sweep("0", 0, 256, 4, 4) + "0|w(0x1002:2)|g " + sweep("0", 0, 256, 4, 4));
  EXPECT_EQ(n["arrays/blocks handed back"], 1u);
  EXPECT_EQ(n["arrays in mode/coarse"], 0u);
  EXPECT_EQ(n["arrays in mode/fine"], 1u);
  EXPECT_EQ(n["elements in mode/fine/count"], 64u);
  EXPECT_EQ(n["states of elements/fine/count"], 64u);
  EXPECT_EQ(n["arrays/accesses"], 64u);  // as an array
  EXPECT_EQ(n["study/elements"], 64u);
  EXPECT_EQ(n["study/states with both/count"], 64u);
}

TEST(SlimStateCounters, TheStudyGoesOnWhereTheDetectorWentBackToBytes) {
  // Thread 0 writes an irregular set and thread 1 the rest: fine for the modes, two states for any sets.
  std::string text = "0|fork(1)|f 0|alloc(0x1000,64)|f ";
  for (int round = 0; round < 2; ++round) {
    for (const uint64_t i : {1, 2, 5, 7, 8, 14}) text += sweep("0", 4 * i, 4 * i + 4, 4, 4);
    text += "0|acq(m)|f 0|rel(m)|f ";
    for (const uint64_t i : {0, 3, 4, 6, 9, 10, 11, 12, 13, 15}) text += sweep("1", 4 * i, 4 * i + 4, 4, 4);
    text += "1|acq(m)|f 1|rel(m)|f ";
  }
  auto n = counted(text);
  EXPECT_EQ(n["arrays/blocks handed back"], 1u);
  EXPECT_EQ(n["arrays in mode/fine"], 1u);
  EXPECT_EQ(n["study/elements"], 16u);
  EXPECT_EQ(n["study/states with bit-set footprints/count"], 16u);
  EXPECT_EQ(n["study/states with both/count"], 2u);
}

TEST(SlimStateCounters, ABlockIsCountedOnceInALife) {
  const std::string life = "0|alloc(0x1000,256)|f " + sweep("0", 0, 256, 8, 8) + "0|free(0x1000)|f ";
  auto n = counted(life + life + sweep("0", 0, 256, 8, 8));
  EXPECT_EQ(n["arrays in mode/coarse"], 2u);
  EXPECT_EQ(n["elements in mode/coarse/count"], 64u);
  EXPECT_EQ(n["study/elements"], 64u);
  // A named array likewise.
  n = counted("0|alloc(a,16)|f 0|w(a[0])|f 0|free(a)|f 0|w(a[0])|f");
  EXPECT_EQ(n["arrays in mode/split"], 1u);
  EXPECT_EQ(n["study/elements"], 16u);
}

TEST(SlimStateCounters, AnAtomicOperationIsAloneInTheStudy) {
  for (const std::string text : {"0|alloc(0x1000,256)|f 0|w(0x1000:4)|f 0|rmw(0x1010:4,relaxed)|f",
                                 "0|alloc(a,64)|f 0|w(a[0])|f 0|rmw(a[4],relaxed)|f"}) {
    auto n = counted(text);
    EXPECT_EQ(n["arrays in mode/fine"], 1u) << text;
    EXPECT_EQ(n["study/states with bit-set footprints/count"], 64u) << text;
    EXPECT_EQ(n["study/states with both/count"], 3u) << text;
  }
}

}  // namespace
}  // namespace deadheat::test
