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

}  // namespace
}  // namespace deadheat::test
