// The step of a word: every conflict, and every step of small words against the definition, access by access.
#include "detect/word_rules.h"

#include <gtest/gtest.h>

#include <vector>

namespace deadheat {
namespace {

constexpr AccessKind kKinds[] = {AccessKind::kRead, AccessKind::kWrite, AccessKind::kAtomicRead,
                                 AccessKind::kAtomicWrite};

TEST(WordRules, AccessesConflictIfOneWritesAndOneIsNotAtomic) {
  using enum AccessKind;
  const AccessKind conflicts[][2] = {
      {kRead, kWrite}, {kRead, kAtomicWrite}, {kWrite, kWrite}, {kWrite, kAtomicRead}, {kWrite, kAtomicWrite},
      {kFree, kRead},  {kFree, kAtomicRead},  {kFree, kWrite},  {kFree, kAtomicWrite}, {kFree, kFree}};
  const AccessKind all[] = {kRead, kWrite, kAtomicRead, kAtomicWrite, kFree};
  for (const AccessKind a : all)
    for (const AccessKind b : all) {
      bool listed = false;
      for (const auto& pair : conflicts) listed |= (pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a);
      EXPECT_EQ(word::conflict(a, b), listed) << static_cast<int>(a) << " and " << static_cast<int>(b);
    }
}

TEST(WordRules, WhatSupersedesWhat) {
  using enum AccessKind;
  for (const AccessKind old : kKinds) EXPECT_TRUE(word::supersedes(kWrite, old));
  EXPECT_TRUE(word::supersedes(kRead, kRead));
  EXPECT_TRUE(word::supersedes(kRead, kAtomicRead));
  EXPECT_FALSE(word::supersedes(kRead, kWrite));
  EXPECT_FALSE(word::supersedes(kRead, kAtomicWrite));
  EXPECT_FALSE(word::supersedes(kAtomicRead, kRead));
  EXPECT_TRUE(word::supersedes(kAtomicWrite, kAtomicRead));
  EXPECT_FALSE(word::supersedes(kAtomicWrite, kRead));
  EXPECT_FALSE(word::supersedes(kAtomicWrite, kWrite));
}

struct Past {
  int number;  // of the access, in the order of the run
  AccessKind kind_;
  unsigned bytes_;
  AccessKind kind() const { return kind_; }
  unsigned bytes() const { return bytes_; }
  void drop(unsigned gone) { bytes_ &= ~gone; }
};

// Runs of up to four accesses of a word of two bytes, with every relation of order that a run can have (a relation over
// the accesses, transitive). The state that the steps keep finds the first race of each byte at the access at which the
// definition finds it, and every race that it finds is one by definition.
class Runs {
 public:
  void all() { extend(0); }
  int count() const { return count_; }

 private:
  static constexpr int kMost = 4;
  static constexpr unsigned kBytes[] = {1, 3};

  struct Event {
    AccessKind kind;
    unsigned bytes;
  };

  void extend(int length) {
    if (length > 1) check(length);
    if (length == kMost) return;
    for (const AccessKind kind : kKinds)
      for (const unsigned bytes : kBytes)
        for (unsigned before = 0; before < 1u << length; ++before) {
          if (!is_transitive(before, length)) continue;
          events_[length] = {kind, bytes};
          before_[length] = before;
          extend(length + 1);
        }
  }
  // What is before an access that is before this one is before this one.
  bool is_transitive(unsigned before, int length) const {
    for (int i = 0; i < length; ++i)
      if ((before >> i & 1) != 0 && (before_[i] & ~before) != 0) return false;
    return true;
  }
  bool races(int a, int b) const {
    return (before_[b] >> a & 1) == 0 && word::conflict(events_[a].kind, events_[b].kind);
  }

  void check(int length) {
    ++count_;
    std::vector<Past> state;
    unsigned raced = 0;  // bytes on which a race was found
    for (int now = 0; now < length; ++now) {
      unsigned expected = 0, found = 0;
      for (int past = 0; past < now; ++past)
        if (races(past, now)) expected |= events_[past].bytes & events_[now].bytes;
      state.resize(word::step(
          state.data(), static_cast<uint32_t>(state.size()), events_[now].kind, events_[now].bytes,
          [&](const Past& p) { return (before_[now] >> p.number & 1) != 0; },
          [&](const Past& p) {
            EXPECT_TRUE(races(p.number, now));
            found |= p.bytes() & events_[now].bytes;
          }));
      state.push_back({now, events_[now].kind, events_[now].bytes});
      EXPECT_EQ(found & ~raced, expected & ~raced) << "access " << now << " of run " << count_;
      EXPECT_EQ(found & ~expected, 0u);
      raced |= expected;
    }
    for (size_t i = 1; i < state.size(); ++i) EXPECT_LT(state[i - 1].number, state[i].number);
  }

  Event events_[kMost] = {};
  unsigned before_[kMost] = {};
  int count_ = 0;
};

TEST(WordRules, StepFindsTheFirstRaceOfEachByteInAllSmallRuns) {
  Runs runs;
  runs.all();
  EXPECT_GT(runs.count(), 100'000);
}

TEST(WordRules, StepForgetsWhatRacedAndWhatIsOrdered) {
  std::vector<Past> state = {{0, AccessKind::kWrite, 3}, {1, AccessKind::kRead, 1}};
  int races = 0;
  const auto unordered = [](const Past&) { return false; };
  const uint32_t left = word::step(state.data(), 2, AccessKind::kWrite, 1, unordered, [&](const Past&) { ++races; });
  EXPECT_EQ(races, 2);
  ASSERT_EQ(left, 1u);  // the write's other byte
  EXPECT_EQ(state[0].number, 0);
  EXPECT_EQ(state[0].bytes(), 2u);
}

}  // namespace
}  // namespace deadheat
