// DJIT+ and BasicVC: Figure 1 of the FastTrack paper with the state after each step, and a trace for every rule.
#include "detect/djit.h"

#include <gtest/gtest.h>

#include <set>

#include "support/steps.h"

namespace deadheat::test {
namespace {

using Rule = VectorClockRule;

std::string set_text(AccessSet set) {
  std::string text;
  set.for_each([&](Epoch e, Origin&) { text += (text.empty() ? "" : ",") + epoch_text(e); });
  return text;
}

template <class D>
class VectorClockFigures : public testing::Test {};
using BothDetectors = testing::Types<Djit, BasicVC>;
TYPED_TEST_SUITE(VectorClockFigures, BothDetectors);

TYPED_TEST(VectorClockFigures, Figure1) {
  Steps<TypeParam> steps;
  steps.run("0|begin 1|begin");
  for (int i = 1; i < 4; ++i) steps.run("0|acq(a) 0|rel(a)");
  for (int i = 1; i < 8; ++i) steps.run("1|acq(b) 1|rel(b)");
  steps.run("0|acq(m)");
  struct State {
    std::string_view event, C0, C1, W;
  };
  for (const State& s : {State{"", "<4,0>", "<0,8>", ""}, State{"0|w(x)", "<4,0>", "<0,8>", "4@0"},
                         State{"0|rel(m)", "<5,0>", "<0,8>", "4@0"}, State{"1|acq(m)", "<5,0>", "<4,8>", "4@0"},
                         State{"1|w(x)", "<5,0>", "<4,8>", "4@0,8@1"}}) {
    EXPECT_FALSE(steps.run(s.event).is_race) << s.event;
    EXPECT_EQ(clock_text(steps.detector().order().thread(steps.thread("0")).C, 2), s.C0) << s.event;
    EXPECT_EQ(clock_text(steps.detector().order().thread(steps.thread("1")).C, 2), s.C1) << s.event;
    EXPECT_EQ(set_text(steps.variable("x").W), s.W) << s.event;
  }
}

struct RuleRow {
  std::string_view trace;  // the last event is the one that counts
  Rule rule;               // DJIT+'s; BasicVC has no short cut
  bool races;
};
constexpr RuleRow kRows[] = {
    {"0|r(x) 0|r(x)", Rule::kReadSameEpoch, false},
    {"0|fork(1) 0|r(x) 1|r(x) 0|r(x)", Rule::kReadSameEpoch, false},
    {"0|r(x)", Rule::kRead, false},
    {"0|w(x) 0|fork(1) 1|r(x)", Rule::kRead, false},
    {"0|fork(1) 0|w(x) 1|r(x)", Rule::kRead, true},
    {"0|fork(1) 0|fork(2) 1|w(x) 0|join(1) 0|w(x) 2|r(x)", Rule::kRead, true},
    {"0|w(x) 0|w(x)", Rule::kWriteSameEpoch, false},
    {"0|w(x)", Rule::kWrite, false},
    {"0|w(x) 0|fork(1) 0|w(x)", Rule::kWrite, false},
    {"0|fork(1) 0|w(x) 1|w(x)", Rule::kWrite, true},
    {"0|fork(1) 0|r(x) 1|w(x)", Rule::kWrite, true},
    {"0|fork(1) 0|st(x,relaxed) 1|w(x)", Rule::kWrite, true},
    {"0|fork(1) 0|st(x,relaxed) 1|ld(x,relaxed)", Rule::kAtomicRead, false},
    {"0|fork(1) 0|w(x) 1|ld(x,relaxed)", Rule::kAtomicRead, true},
    {"0|fork(1) 0|st(x,relaxed) 1|st(x,relaxed)", Rule::kAtomicWrite, false},
    {"0|fork(1) 0|r(x) 1|st(x,relaxed)", Rule::kAtomicWrite, true},
};

TEST(VectorClockRules, EveryRow) {
  for (const RuleRow& row : kRows) {
    Steps<Djit> djit;
    const Outcome outcome = djit.run(row.trace);
    EXPECT_EQ(static_cast<Rule>(outcome.rule), row.rule) << row.trace;
    EXPECT_EQ(outcome.is_race, row.races) << row.trace;

    Steps<BasicVC> basic;
    const Outcome full = basic.run(row.trace);
    const Rule expected = row.rule == Rule::kReadSameEpoch    ? Rule::kRead
                          : row.rule == Rule::kWriteSameEpoch ? Rule::kWrite
                                                              : row.rule;
    EXPECT_EQ(static_cast<Rule>(full.rule), expected) << row.trace;
    EXPECT_EQ(full.is_race, row.races) << row.trace;
  }
}

TEST(VectorClockRules, NoRuleIsWithoutARow) {
  std::set<Rule> seen;
  for (const RuleRow& row : kRows) seen.insert(row.rule);
  for (int i = 0; i < kVectorClockRuleCount; ++i)
    EXPECT_TRUE(seen.contains(static_cast<Rule>(i))) << "rule " << i << " has no row";
}

}  // namespace
}  // namespace deadheat::test
