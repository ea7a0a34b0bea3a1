// FastTrack's rules: the paper's figures with the state after each step, and a trace for every rule.
#include "detect/fasttrack.h"

#include <gtest/gtest.h>

#include <set>

#include "support/steps.h"

namespace deadheat::test {
namespace {

using Rule = FastTrack::Rule;

std::string clock_of(Steps<FastTrack>& steps, std::string_view thread) {
  return clock_text(steps.detector().order().thread(steps.thread(thread)).C, 2);
}
std::string R_of(const FastTrack::Var& x) {
  if (!x.R_is_clock()) return epoch_text(x.R());
  std::string text = "{";
  x.reads().for_each([&](Epoch read, Origin&) { text += (text.size() > 1 ? "," : "") + epoch_text(read); });
  return text + "}";
}

struct State {
  std::string_view event, C0, C1, W, R;
};

void expect_states(Steps<FastTrack>& steps, std::initializer_list<State> states) {
  for (const State& s : states) {
    EXPECT_FALSE(steps.run(s.event).is_race) << s.event;
    EXPECT_EQ(clock_of(steps, "0"), s.C0) << s.event;
    EXPECT_EQ(clock_of(steps, "1"), s.C1) << s.event;
    EXPECT_EQ(epoch_text(steps.variable("x").W()), s.W) << s.event;
    EXPECT_EQ(R_of(steps.variable("x")), s.R) << s.event;
  }
}

// Both threads come to the clocks with which the figure begins by releases of locks of their own.
TEST(FastTrackFigures, Figure2) {
  Steps<FastTrack> steps;
  steps.run("0|begin 1|begin");
  for (int i = 1; i < 4; ++i) steps.run("0|acq(a) 0|rel(a)");
  for (int i = 1; i < 8; ++i) steps.run("1|acq(b) 1|rel(b)");
  steps.run("0|acq(m)");
  expect_states(steps, {{"", "<4,0>", "<0,8>", "never", "never"},
                        {"0|w(x)", "<4,0>", "<0,8>", "4@0", "never"},
                        {"0|rel(m)", "<5,0>", "<0,8>", "4@0", "never"},
                        {"1|acq(m)", "<5,0>", "<4,8>", "4@0", "never"},
                        {"1|w(x)", "<5,0>", "<4,8>", "8@1", "never"}});
}

TEST(FastTrackFigures, Figure5) {
  Steps<FastTrack> steps;
  steps.run("0|begin");
  for (int i = 1; i < 7; ++i) steps.run("0|acq(a) 0|rel(a)");
  EXPECT_EQ(clock_of(steps, "0"), "<7,0>");
  steps.run("0|w(x)");
  expect_states(steps, {{"0|fork(1)", "<8,0>", "<7,1>", "7@0", "never"},
                        {"1|r(x)", "<8,0>", "<7,1>", "7@0", "1@1"},
                        {"0|r(x)", "<8,0>", "<7,1>", "7@0", "{8@0,1@1}"},
                        {"1|r(x)", "<8,0>", "<7,1>", "7@0", "{8@0,1@1}"}});
  // After the join thread 1 has no clock any more: its slot is thread 0's to give away.
  steps.run("0|join(1)");
  EXPECT_EQ(clock_of(steps, "0"), "<8,1>");
  EXPECT_FALSE(steps.run("0|w(x)").is_race);
  EXPECT_EQ(epoch_text(steps.variable("x").W()), "8@0");
  EXPECT_EQ(R_of(steps.variable("x")), "never");
  EXPECT_FALSE(steps.run("0|r(x)").is_race);
  EXPECT_EQ(R_of(steps.variable("x")), "8@0");
}

struct RuleRow {
  std::string_view trace;  // the last event is the one that counts
  Rule rule;
  bool races;
};
constexpr RuleRow kRows[] = {
    {"0|r(x) 0|r(x)", Rule::kReadSameEpoch, false},
    {"0|begin 1|begin 0|r(x) 1|w(x) 0|r(x)", Rule::kReadSameEpoch, false},  // the write was the race
    {"0|fork(1) 0|r(x) 1|r(x) 0|r(x)", Rule::kReadShared, false},
    {"0|fork(1) 0|fork(2) 0|r(x) 1|r(x) 2|r(x)", Rule::kReadShared, false},
    {"0|fork(1) 0|fork(2) 0|w(x) 0|r(x) 1|r(x) 2|r(x)", Rule::kReadShared, true},
    {"0|r(x)", Rule::kReadExclusive, false},
    {"0|r(x) 0|fork(1) 1|r(x)", Rule::kReadExclusive, false},
    {"0|acq(m) 0|r(x) 0|rel(m) 1|acq(m) 1|r(x)", Rule::kReadExclusive, false},
    {"0|w(x) 0|fork(1) 1|r(x)", Rule::kReadExclusive, false},
    {"0|fork(1) 0|w(x) 1|r(x)", Rule::kReadExclusive, true},
    {"0|fork(1) 0|r(x) 1|r(x)", Rule::kReadShare, false},
    {"0|fork(1) 0|w(x) 0|r(x) 1|r(x)", Rule::kReadShare, true},
    {"0|w(x) 0|w(x)", Rule::kWriteSameEpoch, false},
    {"0|w(x) 0|r(x) 0|w(x)", Rule::kWriteSameEpoch, false},
    {"0|w(x)", Rule::kWriteExclusive, false},
    {"0|r(x) 0|fork(1) 1|w(x)", Rule::kWriteExclusive, false},
    {"0|w(x) 0|fork(1) 0|w(x)", Rule::kWriteExclusive, false},
    {"0|fork(1) 0|w(x) 1|w(x)", Rule::kWriteExclusive, true},
    {"0|fork(1) 0|r(x) 1|w(x)", Rule::kWriteExclusive, true},
    {"0|fork(1) 0|r(x) 1|r(x) 0|join(1) 0|w(x)", Rule::kWriteShared, false},
    {"0|fork(1) 0|r(x) 1|r(x) 0|w(x)", Rule::kWriteShared, true},
    {"0|fork(1) 0|w(x) 0|r(x) 1|r(x) 1|w(x)", Rule::kWriteShared, true},
    {"0|fork(1) 0|ld(x,relaxed) 1|ld(x,relaxed)", Rule::kAtomicRead, false},
    {"0|fork(1) 0|st(x,relaxed) 1|ld(x,relaxed)", Rule::kAtomicRead, false},
    {"0|fork(1) 0|r(x) 1|ld(x,relaxed)", Rule::kAtomicRead, false},
    {"0|fork(1) 0|w(x) 1|ld(x,relaxed)", Rule::kAtomicRead, true},
    {"0|fork(1) 0|w(x) 0|st(x,release) 1|ld(x,acquire)", Rule::kAtomicRead, false},
    {"0|fork(1) 0|st(x,relaxed) 1|rmw(x,relaxed)", Rule::kAtomicWrite, false},
    {"0|fork(1) 0|r(x) 1|st(x,relaxed)", Rule::kAtomicWrite, true},
    {"0|fork(1) 0|w(x) 1|st(x,relaxed)", Rule::kAtomicWrite, true},
};

TEST(FastTrackRules, EveryRow) {
  for (const RuleRow& row : kRows) {
    Steps<FastTrack> steps;
    const Outcome outcome = steps.run(row.trace);
    EXPECT_EQ(static_cast<Rule>(outcome.rule), row.rule) << row.trace;
    EXPECT_EQ(outcome.is_race, row.races) << row.trace;
  }
}

TEST(FastTrackRules, NoRuleIsWithoutARow) {
  std::set<std::pair<Rule, bool>> seen;
  for (const RuleRow& row : kRows) seen.insert({row.rule, row.races});
  for (int i = 0; i < fasttrack::kRuleCount; ++i) {
    const Rule rule = static_cast<Rule>(i);
    EXPECT_TRUE(seen.contains({rule, false})) << "rule " << i << " without a race has no row";
    const bool can_race = rule != Rule::kReadSameEpoch && rule != Rule::kWriteSameEpoch;
    EXPECT_EQ(seen.contains({rule, true}), can_race) << "rule " << i << " with a race";
  }
}

// The other side of a race is an access that really is unordered with it, not merely the last one.
struct ConflictRow {
  std::string_view trace;
  uint64_t first_event;
  AccessKind first_kind;
};
constexpr ConflictRow kConflicts[] = {
    {"0|fork(1) 0|w(x) 1|r(x)", 1, AccessKind::kWrite},
    {"0|fork(1) 0|r(x) 1|w(x)", 1, AccessKind::kRead},
    {"0|fork(1) 0|r(x) 1|r(x) 1|w(x)", 1, AccessKind::kRead},
    {"0|fork(1) 0|r(x) 1|r(x) 0|w(x)", 2, AccessKind::kRead},
    {"0|fork(1) 0|ld(x,relaxed) 1|w(x)", 1, AccessKind::kAtomicRead},
    {"0|fork(1) 0|st(x,relaxed) 1|r(x)", 1, AccessKind::kAtomicWrite},
    // the first of two unordered atomic writes, although the second is the last access and is ordered
    {"0|fork(1) 0|fork(2) 1|st(x,relaxed) 2|st(x,relaxed) 0|join(2) 0|r(x)", 2, AccessKind::kAtomicWrite},
};

TEST(FastTrackRules, TheOtherSideIsReal) {
  for (const ConflictRow& row : kConflicts) {
    Steps<FastTrack> steps;
    ASSERT_TRUE(steps.run(row.trace).is_race) << row.trace;
    EXPECT_EQ(steps.detector().conflict().first.event, row.first_event) << row.trace;
    EXPECT_EQ(steps.detector().conflict().first.kind, row.first_kind) << row.trace;
  }
}

}  // namespace
}  // namespace deadheat::test
