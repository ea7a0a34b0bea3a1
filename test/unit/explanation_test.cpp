// Why two accesses are not ordered, as sentences.
#include "report/explanation.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "race/findings.h"

namespace deadheat::test {
namespace {

// The later access is T2's read, the earlier one the main thread's write under M0 and M1.
struct Maker {
  FindingStore store;
  Finding finding;
  Explanation why;

  Maker() {
    const SideLock locks[] = {{.address = 16}, {.address = 32, .for_reading = true}};
    const Side sides[] = {
        {.kind = AccessKind::kRead, .thread = 2, .address = 64, .bytes = 4, .stack = at("peek", "cache.cpp", 9)},
        {.kind = AccessKind::kWrite,
         .thread = 0,
         .address = 64,
         .bytes = 4,
         .stack = at("look", "cache.cpp", 7),
         .locks = store.copy<SideLock>(locks)}};
    const FindingLock known[] = {{.address = 16, .created_at = at("main", "cache.cpp", 31)}, {.address = 32}};
    finding.sides = store.copy<Side>(sides);
    finding.locks = store.copy<FindingLock>(known);
    finding.both_begin = 64;
    finding.both_end = 68;
    finding.explanation = &why;
  }
  StackView at(std::string_view function, std::string_view file, int line) {
    const StackFrame frame = {.function = function, .file = file, .line = line, .pc = 1};
    return store.copy<StackFrame>({&frame, 1});
  }
  void uses(std::vector<LockUse> list) { why.lock_uses = store.copy<LockUse>(list); }
  std::string text() {
    std::string text;
    Sink sink([](void* to, std::string_view part) { static_cast<std::string*>(to)->append(part); }, &text);
    write_explanation(finding, sink);
    return text;
  }
  bool says(std::string_view sentence) { return text().find(sentence) != std::string::npos; }
};

TEST(Explanation, LocksAreAlwaysThere) {
  Maker m;
  m.finding.explanation = nullptr;
  EXPECT_EQ(m.text(),
            "Why they race: thread T2 held no lock, the main thread held M0, created at cache.cpp:31 and M1 (for "
            "reading): no lock is common, and nothing else orders the two.\n");
}

TEST(Explanation, ALockHeldForReadingByBothOrdersNothing) {
  Maker m;
  std::vector<Side> sides(m.finding.sides.begin(), m.finding.sides.end());
  const SideLock lock = {.address = 32, .for_reading = true};
  sides[0].locks = {&lock, 1};
  m.finding.sides = sides;
  EXPECT_TRUE(m.says("and a lock held only for reading keeps no other reader out."));
  EXPECT_FALSE(m.says("no lock is common"));
}

TEST(Explanation, AUseAfterFreeIsOrdered) {
  Maker m;
  m.finding.kind = FindingKind::kUseAfterFree;
  EXPECT_TRUE(m.says("The use comes after the free, in every run"));
  EXPECT_FALSE(m.says("nothing else orders"));
}

TEST(Explanation, StepsAroundTheAccesses) {
  Maker m;
  m.why.before[0] = {.op = "racq", .address = 32, .stack = m.at("peek", "cache.cpp", 8)};
  m.why.after[0] = {.op = "join", .object = "T1"};
  m.why.before[1] = {.op = "acq", .address = 99};
  m.why.after[1] = {.op = "end"};
  EXPECT_TRUE(
      m.says("Thread T2 last synchronised before its access by locking M1 for reading at cache.cpp:8; after it, "
             "first by joining thread T1.\n"));
  EXPECT_TRUE(
      m.says("The main thread last synchronised before its access by locking the mutex at 0x63; after it, first "
             "by its end.\n"));
}

TEST(Explanation, WhatIsForgottenIsNotDenied) {
  Maker m;
  m.why.forgotten[1] = true;
  EXPECT_TRUE(m.says("Thread T2 did not synchronise before its access; after it, not yet.\n"));
  EXPECT_TRUE(m.says("What the main thread did around its access to synchronise is so long ago that"));
  EXPECT_FALSE(m.says("The main thread did not"));
}

TEST(Explanation, WhereTheThreadsLastMet) {
  Maker m;
  m.why.met_from = {.op = "rel", .address = 16, .stack = m.at("look", "cache.cpp", 5)};
  EXPECT_TRUE(
      m.says("Thread T2 knew what the main thread had done up to unlocking M0 at cache.cpp:5; the earlier access "
             "came later.\n"));
  m.why.met_to = {.op = "acq", .address = 16};
  EXPECT_TRUE(m.says("unlocking M0 at cache.cpp:5, since locking M0; the earlier"));
}

TEST(Explanation, OtherAccessesHoldALock) {
  Maker m;
  m.why.other_accesses = 4212;
  m.uses({{.lock = 16, .accesses = 4212, .held = {false, true}}});
  EXPECT_TRUE(m.says("\n4,212 other accesses hold M0, created at cache.cpp:31; the read by thread T2 does not.\n"));
  m.uses({{.lock = 16, .accesses = 1001, .held = {true, false}}});
  EXPECT_TRUE(m.says(
      "1,001 of 4,212 other accesses hold M0, created at cache.cpp:31; the write by the main thread does not.\n"));
  m.uses({{.lock = 77, .accesses = 1, .held = {false, false}}});
  EXPECT_TRUE(m.says("1 of 4,212 other accesses holds the mutex at 0x4d; these two do not.\n"));
  m.why.other_accesses = 1;
  EXPECT_TRUE(m.says("1 other access holds the mutex"));
  m.uses({{.lock = 16, .accesses = 9, .held = {true, true}}});
  EXPECT_FALSE(m.says("other access"));
}

TEST(Explanation, NumbersHaveCommas) {
  Maker m;
  m.why.other_accesses = 1002003004;
  m.uses({{.lock = 16, .accesses = 1000000, .held = {false, true}}});
  EXPECT_TRUE(m.says("\n1,000,000 of 1,002,003,004 other accesses"));
}

TEST(Explanation, OtherStepsByTheirFunctionsOrNames) {
  Maker m;
  const StackFrame frames[] = {{.function = "sem_post", .ours = true}, {.function = "f", .file = "a.c", .line = 3}};
  m.why.before[0] = {.op = "give", .address = 80, .stack = frames};
  m.why.before[1] = {.op = "st", .address = 96};
  EXPECT_TRUE(m.says("by sem_post of 0x50 at a.c:3;"));
  EXPECT_TRUE(m.says("by an atomic write of 0x60;"));
  m.why.before[0] = {.op = "take", .address = 80};
  m.why.before[1] = {.op = "fence"};
  EXPECT_TRUE(m.says("by acquiring 0x50;"));
  EXPECT_TRUE(m.says("by a fence;"));
}

TEST(Explanation, WhatIsNoRaceHasNone) {
  Finding leak;
  leak.kind = FindingKind::kThreadLeak;
  std::string text;
  Sink sink([](void* to, std::string_view part) { static_cast<std::string*>(to)->append(part); }, &text);
  write_explanation(leak, sink);
  EXPECT_EQ(text, "");
}

}  // namespace
}  // namespace deadheat::test
