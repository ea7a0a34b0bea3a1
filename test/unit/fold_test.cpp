// One bug, one report: what is folded into one, what is not, and what is counted.
#include "race/fold.h"

#include <gtest/gtest.h>

#include <string>

namespace deadheat::test {
namespace {

struct Trace {
  Findings findings;

  Finding& add(std::string_view variable, std::string_view first, std::string_view second) {
    FindingStore& store = *findings.store;
    const Side sides[] = {{.kind = AccessKind::kRead, .stack = store.location(second)},
                          {.kind = AccessKind::kWrite, .stack = store.location(first)}};
    Finding race;
    race.memory = {.kind = Memory::kVariable, .name = store.text(variable)};
    race.sides = store.copy<Side>(sides);
    return findings.races.emplace_back(race);
  }
  // "x 3/2" is a report on x that stands for 3 races on 2 variables.
  std::string folded() {
    fold_by_places(findings);
    std::string text;
    for (const Finding& race : findings.races)
      text += (text.empty() ? "" : ", ") + std::string(race.memory.name) + " " + std::to_string(race.races) + "/" +
              std::to_string(race.variables);
    return text;
  }
};

TEST(Fold, ALoopOverAThousandElementsIsOneReport) {
  Trace trace;
  for (int i = 0; i < 1000; ++i) trace.add("a[" + std::to_string(i) + "]", "fill.c:3", "sum.c:9");
  EXPECT_EQ(trace.folded(), "a[0] 1000/1000");
  EXPECT_EQ(trace.folded(), "a[0] 1000/1000") << "once more changes nothing";
}

TEST(Fold, TheOrderOfTheTwoPlacesDoesNotMatter) {
  Trace trace;
  trace.add("x", "p", "q");
  trace.add("y", "q", "p");
  trace.add("x", "p", "q");
  EXPECT_EQ(trace.folded(), "x 3/2");
}

TEST(Fold, OtherPlacesAreOtherBugsInTheOrderOfTheirFirstRace) {
  Trace trace;
  trace.add("x", "p", "q");
  trace.add("x", "p", "r");
  trace.add("y", "p", "q");
  trace.add("z", "p", "p");
  EXPECT_EQ(trace.folded(), "x 2/2, x 1/1, z 1/1");
}

TEST(Fold, WhatHasNoPlaceStaysAlone) {
  Trace trace;
  trace.add("x", "", "q");
  trace.add("y", "", "q");
  trace.add("x", "p", "");
  trace.add("v", "p", "q").sides = trace.findings.races.back().sides.first(1);  // the earlier access is not known
  trace.add("w", "p", "q");
  EXPECT_EQ(trace.folded(), "x 1/1, y 1/1, x 1/1, v 1/1, w 1/1");
}

// Of a recorded program: lines and memory, as live reports do it.
TEST(Fold, OfAProgramTheMemoryCounts) {
  constexpr StackFrame kRead[] = {{.function = "memcpy", .module = "libdeadheat.so", .offset = 1, .ours = true},
                                  {.function = "get", .file = "a.c", .line = 5}};
  constexpr StackFrame kReadOtherwise[] = {
      {.function = "strlen", .module = "libdeadheat.so", .offset = 2, .ours = true},
      {.function = "get", .file = "a.c", .line = 5}};
  constexpr StackFrame kWrite[] = {{.module = "prog", .offset = 0x77}};
  constexpr StackFrame kHere[] = {{.file = "a.c", .line = 1}}, kThere[] = {{.file = "a.c", .line = 2}};
  const Side sides[] = {{.kind = AccessKind::kRead, .stack = kRead}, {.kind = AccessKind::kWrite, .stack = kWrite}};
  const Side otherwise[] = {{.kind = AccessKind::kRead, .stack = kReadOtherwise}, sides[1]};
  Trace trace;
  const auto add = [&](std::span<const Side> both, const Memory& memory) {
    Finding race;
    race.sides = both;
    race.memory = memory;
    trace.findings.races.push_back(race);
  };
  add(sides, {.kind = Memory::kGlobal, .name = "x", .begin = 1});
  add(otherwise, {.kind = Memory::kGlobal, .name = "x", .begin = 5});
  add(sides, {.kind = Memory::kGlobal, .name = "y"});
  add(sides, {.kind = Memory::kHeap, .stack = kHere});
  add(sides, {.kind = Memory::kHeap, .stack = kThere});
  add(sides, {.kind = Memory::kHeap, .stack = kHere});
  EXPECT_EQ(trace.folded(), "x 2/1, y 1/1,  2/1,  1/1");
}

}  // namespace
}  // namespace deadheat::test
