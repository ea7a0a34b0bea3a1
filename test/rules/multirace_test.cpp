// MultiRace: when it compares clocks and when it only remembers, and what that costs it.
#include "detect/multirace.h"

#include <gtest/gtest.h>

#include <set>

#include "support/steps.h"

namespace deadheat::test {
namespace {

using Rule = MultiRaceRule;

struct RuleRow {
  std::string_view trace;  // the last event is the one that counts
  Rule rule;
  bool races;
};
constexpr RuleRow kRows[] = {
    {"0|r(x) 0|r(x)", Rule::kSameEpoch, false},
    {"0|w(x) 0|w(x)", Rule::kSameEpoch, false},
    // Virgin, Exclusive, Shared: no comparison, so the races that complete here are missed.
    {"0|w(x)", Rule::kRemember, false},
    {"0|w(x) 0|r(x)", Rule::kRemember, false},
    {"0|fork(1) 0|w(x) 1|r(x)", Rule::kRemember, false},
    {"0|fork(1) 0|fork(2) 0|w(x) 1|r(x) 2|r(x)", Rule::kRemember, false},
    // Shared-Modified with a lockset that is not empty.
    {"0|fork(1) 0|w(x) 1|acq(m) 1|w(x)", Rule::kRemember, false},
    {"0|fork(1) 0|w(x) 1|acq(m) 1|w(x) 1|rel(m) 0|acq(m) 0|r(x)", Rule::kRemember, false},
    // Shared-Modified and the lockset empty: as DJIT+.
    {"0|fork(1) 0|w(x) 1|w(x)", Rule::kCompare, true},
    {"0|w(x) 0|fork(1) 1|w(x)", Rule::kCompare, false},
    {"0|fork(1) 1|w(x) 0|join(1) 0|w(x)", Rule::kCompare, false},
    {"0|fork(1) 0|r(x) 1|r(x) 0|w(x)", Rule::kCompare, true},
    {"0|fork(1) 0|fork(2) 0|acq(m) 0|w(x) 0|rel(m) 1|acq(m) 1|w(x) 1|rel(m) 2|r(x)", Rule::kCompare, true},
    {"0|fork(1) 0|w(x) 0|st(a,release) 1|ld(a,acquire) 1|w(x)", Rule::kCompare, false},
    {"0|fork(1) 0|w(x) 0|st(a,relaxed) 1|ld(a,acquire) 1|w(x)", Rule::kCompare, true},
    // What was remembered before Shared-Modified is compared with as well.
    {"0|fork(1) 0|w(x) 1|r(x) 1|w(x)", Rule::kCompare, true},
    // Atomic accesses: no lock needed among themselves, but against plain ones.
    {"0|fork(1) 0|st(x,relaxed) 1|st(x,relaxed)", Rule::kRemember, false},
    {"0|fork(1) 0|st(x,relaxed) 1|st(x,relaxed) 1|w(x)", Rule::kCompare, true},
    {"0|fork(1) 0|w(x) 1|r(x) 1|st(x,relaxed)", Rule::kCompare, true},
    {"0|fork(1) 0|w(x) 1|w(x) 1|ld(x,relaxed)", Rule::kCompare, true},
};

TEST(MultiRace, EveryRow) {
  for (const RuleRow& row : kRows) {
    Steps<MultiRace> steps;
    const Outcome outcome = steps.run(row.trace);
    EXPECT_EQ(static_cast<Rule>(outcome.rule), row.rule) << row.trace;
    EXPECT_EQ(outcome.is_race, row.races) << row.trace;
  }
}

TEST(MultiRace, EveryRuleHasARow) {
  std::set<Rule> seen;
  for (const RuleRow& row : kRows) seen.insert(row.rule);
  EXPECT_EQ(seen.size(), size_t{kMultiRaceRuleCount});
}

TEST(MultiRace, NamesTheEarlierAccess) {
  Steps<MultiRace> steps;
  ASSERT_TRUE(steps.run("0|fork(1) 0|w(x) 1|w(x)").is_race);
  EXPECT_TRUE(steps.detector().conflict().known);
  EXPECT_EQ(steps.detector().conflict().first.event, 1u);
  EXPECT_EQ(steps.detector().conflict().first.thread, steps.thread("0"));
}

// The lockset follows the first access of an epoch only, as clocks do.
TEST(MultiRace, ASecondAccessOfAnEpochDoesNotRefine) {
  Steps<MultiRace> steps;
  steps.run("0|w(x) 1|acq(m) 1|acq(n) 1|w(x)");
  EXPECT_EQ(steps.detector().machine().locksets()[steps.variable("x").locks.C()].size(), 2u);
  steps.run("1|w(x)");
  EXPECT_EQ(steps.detector().machine().locksets()[steps.variable("x").locks.C()].size(), 2u);
  steps.run("1|rel(n) 1|w(x)");
  EXPECT_EQ(steps.detector().machine().locksets()[steps.variable("x").locks.C()].size(), 1u);
}

TEST(MultiRace, AForgottenVariableHasNeitherClocksNorLocks) {
  Steps<MultiRace> steps;
  steps.run("0|fork(1) 0|w(x) 1|w(x)");
  steps.detector().forget(steps.variable("x"));
  EXPECT_EQ(static_cast<Rule>(steps.run("1|w(x)").rule), Rule::kRemember);
  EXPECT_TRUE(steps.run("0|w(x)").is_race);
  EXPECT_EQ(steps.detector().conflict().first.event, 3u);
}

TEST(MultiRace, WhatWasReleasedThroughAFreshBlockIsForgotten) {
  Steps<MultiRace> steps;
  steps.run("0|fork(1) 0|st(a,release) 0|w(x) 0|st(a,release)");
  steps.detector().forget_atomics(atomic_key(VariableId{0}), 1);
  EXPECT_TRUE(steps.run("1|ld(a,acquire) 1|w(x)").is_race);
}

// Enough readers for the clocks to be elsewhere in memory; then the original goes its own way, and its lockset with it.
TEST(MultiRace, CopiesHaveTheirOwnClocksAndLocks) {
  constexpr int kReaders = 20;
  Steps<MultiRace> steps;
  for (int i = 1; i <= kReaders; ++i) {
    const std::string reader = std::to_string(i);
    steps.run("0|fork(" + reader + ") " + reader + "|acq(m) " + reader + "|r(x) " + reader + "|rel(m)");
  }
  MultiRace::Var& copy = steps.variable("y");
  copy = steps.detector().clone(steps.variable("x"));
  EXPECT_TRUE(steps.run("0|fork(99) 99|r(x) 99|w(x)").is_race);
  steps.detector().forget(steps.variable("x"));
  for (uint32_t i = 100; i < 5000; ++i)  // until the tables have swept what nobody refers to
    for (const EventKind kind : {EventKind::kAcquire, EventKind::kRelease})
      steps.detector().sync({.target = i, .thread = steps.thread("0"), .kind = kind});
  const auto C = steps.detector().machine().locksets()[copy.locks.C()];
  ASSERT_EQ(C.size(), 1u);
  EXPECT_EQ(steps.names().locks[C[0]], "m");
  for (int i = 1; i <= kReaders; ++i) steps.run("0|join(" + std::to_string(i) + ")");
  const Outcome outcome = steps.run("0|w(y)");
  EXPECT_EQ(static_cast<Rule>(outcome.rule), Rule::kCompare);
  EXPECT_FALSE(outcome.is_race);  // 99 came to x, not to y
}

}  // namespace
}  // namespace deadheat::test
