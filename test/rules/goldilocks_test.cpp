// Goldilocks: the paper's example with the lockset after each step, a trace for every rule and every short cut, and
// that the list stays bounded without changing an answer.
#include "detect/goldilocks.h"

#include <gtest/gtest.h>

#include <set>

#include "support/steps.h"

// Options are given by name; the others keep their defaults.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace deadheat::test {
namespace {

using Rule = Goldilocks::Rule;

// Of threads T1 to T3 and locks L1 and L2, in this order, those that are in the lockset.
std::string lockset(Steps<Goldilocks>& steps, const RememberedAccess& access) {
  if (!access.exists()) return "";
  GoldilocksOrder& order = steps.detector().order();
  std::string text;
  const auto add = [&](const char* name, bool contains) {
    if (contains) text += (text.empty() ? "" : " ") + std::string(name);
  };
  for (const char* name : {"T1", "T2", "T3"}) add(name, order.lockset_contains(access, steps.thread(name)));
  for (const uint32_t lock : {0u, 1u}) add(lock == 0 ? "L1" : "L2", order.lockset_contains(access, LockId{lock}));
  return text;
}

// Section 2.3: the object behind `a` and `b` changes its lock when T2 swaps the two. Figure 2 is a picture; the sets
// are what the rules of Figure 1 give.
TEST(GoldilocksFigures, ExampleOfSection2) {
  Steps<Goldilocks> steps;
  struct Step {
    std::string_view event, W;
  };
  for (const Step& step : {Step{"T1|acq(L1)", ""},                                               //
                           Step{"T1|r(o1.x) T1|w(o1.x)", "T1"},                                  // rule 1
                           Step{"T1|rel(L1)", "T1 L1"},                                          // rule 5
                           Step{"T2|acq(L1)", "T1 T2 L1"},                                       // rule 4
                           Step{"T2|acq(L2)", "T1 T2 L1"},                                       //
                           Step{"T2|r(a) T2|r(b) T2|w(a) T2|w(b)", "T1 T2 L1"},                  //
                           Step{"T2|rel(L1)", "T1 T2 L1"},                                       //
                           Step{"T2|rel(L2)", "T1 T2 L1 L2"},                                    // rule 5
                           Step{"T3|acq(L2)", "T1 T2 T3 L1 L2"},                                 // rule 4
                           Step{"T3|r(o1.x) T3|w(o1.x)", "T3"}, Step{"T3|rel(L2)", "T3 L2"}}) {  // rules 1, 5
    EXPECT_FALSE(steps.run(step.event).is_race) << step.event;
    EXPECT_EQ(lockset(steps, steps.variable("o1.x").W), step.W) << step.event;
  }
}

// The other rules of Figure 1: volatiles, fork, join; and the clocks of docs/semantics.md that the paper does not know.
TEST(GoldilocksFigures, EveryKindOfElement) {
  struct Row {
    std::string_view events, W;
  };
  for (const Row& row : {Row{"T1|w(x) T1|vw(v) T2|vr(v)", "T1 T2"},                       // rules 3, 2
                         Row{"T1|w(x) T2|vr(v) T1|vw(v)", "T1"},                          //
                         Row{"T1|w(x) T1|vw(v) T3|vw(v) T2|vr(v)", "T1 T2"},              //
                         Row{"T1|w(x) T1|snd(g) T3|snd(g) T2|rcv(g)", "T1 T2"},           //
                         Row{"T1|w(x) T1|fork(T2)", "T1 T2"},                             // rule 6
                         Row{"T1|w(x) T2|join(T1)", "T1 T2"},                             // rule 7
                         Row{"T1|w(x) T1|rel(L1) T2|racq(L1)", "T1 T2 L1"},               // Lw
                         Row{"T1|w(x) T1|rrel(L1) T2|racq(L1)", "T1"},                    // Lr: readers
                         Row{"T1|w(x) T1|rrel(L1) T2|acq(L1)", "T1 T2"},                  // do not meet
                         Row{"T1|w(x) T1|rrel(L1) T3|rel(L1) T2|acq(L1)", "T1"},          // Lr := nothing
                         Row{"T1|w(x) T1|benter(b) T2|benter(b) T2|bleave(b)", "T1 T2"},  //
                         Row{"T2|benter(b) T2|bleave(b) T1|w(x) T1|benter(b)", "T1"},     //
                         Row{"T2|benter(b) T1|w(x) T3|benter(b) T3|bleave(b) T1|benter(b) T2|bleave(b)", "T1"},
                         Row{"T1|w(x) T1|post(s) T3|post(s) T2|swait(s)", "T1 T2"},                    //
                         Row{"T1|w(x) T1|snd(g) T2|rcv(g)", "T1 T2"},                                  //
                         Row{"T1|w(x) T1|st(a,release) T2|ld(a,acquire)", "T1 T2"},                    // S
                         Row{"T1|w(x) T1|st(a,release) T3|st(a,relaxed) T2|ld(a,acquire)", "T1"},      // S := Fr
                         Row{"T1|w(x) T1|st(a,release) T3|st(a,release) T2|ld(a,acquire)", "T1"},      // S := C
                         Row{"T1|w(x) T1|st(a,release) T3|rmw(a,relaxed) T2|ld(a,acquire)", "T1 T2"},  //
                         Row{"T1|w(x) T1|fence(release) T1|st(a,relaxed) T2|ld(a,acquire)", "T1 T2"},  // Fr
                         Row{"T1|fence(release) T1|w(x) T1|st(a,relaxed) T2|ld(a,acquire)", "T1"},     //
                         Row{"T1|w(x) T1|st(a,release) T2|ld(a,relaxed)", "T1"},                       // Fa
                         Row{"T1|w(x) T1|st(a,release) T2|ld(a,relaxed) T2|fence(acquire)", "T1 T2"}}) {
    Steps<Goldilocks> steps;
    steps.run(row.events);
    std::string threads = lockset(steps, steps.variable("x").W);
    if (row.W.find('L') == std::string_view::npos && threads.find(" L") != std::string::npos)
      threads.resize(threads.find(" L"));
    EXPECT_EQ(threads, row.W) << row.events;
  }
}

struct RuleRow {
  std::string_view trace;  // the last event is the one that counts
  Rule rule;
  bool races;
};
constexpr RuleRow kRows[] = {
    {"0|r(x)", Rule::kReadFirst, false},
    {"0|w(x) 0|r(x)", Rule::kReadSameThread, false},
    {"0|r(x) 0|r(x)", Rule::kReadSameThread, false},
    {"0|r(x) 1|r(x) 0|r(x)", Rule::kReadSameThread, false},
    {"0|acq(m) 0|w(x) 0|rel(m) 1|acq(m) 1|r(x)", Rule::kReadLockHeld, false},
    {"0|acq(m) 0|w(x) 0|rel(m) 1|racq(m) 1|r(x)", Rule::kReadLockHeld, false},
    {"0|w(x) 0|fork(1) 1|r(x)", Rule::kReadLockset, false},
    {"0|fork(1) 0|w(x) 1|r(x)", Rule::kReadLockset, true},
    {"0|st(x,relaxed) 1|r(x)", Rule::kReadLockset, true},
    {"0|w(x)", Rule::kWriteFirst, false},
    {"0|w(x) 0|w(x)", Rule::kWriteSameThread, false},
    {"0|r(x) 0|w(x)", Rule::kWriteSameThread, false},
    {"0|w(x) 0|fork(1) 0|w(x)", Rule::kWriteSameThread, false},
    {"0|acq(m) 0|w(x) 0|rel(m) 1|acq(m) 1|w(x)", Rule::kWriteLockHeld, false},
    {"0|racq(m) 0|r(x) 1|racq(m) 1|r(x) 0|rrel(m) 1|rrel(m) 0|acq(m) 0|w(x)", Rule::kWriteLockset, false},
    {"0|r(x) 1|r(x) 0|fork(2) 2|w(x)", Rule::kWriteLockset, true},
    {"0|w(x) 1|w(x)", Rule::kWriteLockset, true},
    {"0|ld(x,relaxed) 1|w(x)", Rule::kWriteLockset, true},
    {"0|st(x,relaxed) 1|w(x)", Rule::kWriteLockset, true},
    {"0|w(x) 1|w(x) 2|w(x)", Rule::kWriteLockset, true},
    {"0|w(x) 0|fork(1) 0|w(x) 1|w(x)", Rule::kWriteLockset, true},
    {"0|w(x) 0|fork(1) 1|ld(x,relaxed)", Rule::kAtomicRead, false},
    {"0|w(x) 1|ld(x,relaxed)", Rule::kAtomicRead, true},
    {"0|r(x) 1|ld(x,relaxed)", Rule::kAtomicRead, false},
    {"0|st(x,relaxed) 1|st(x,relaxed)", Rule::kAtomicWrite, false},
    {"0|r(x) 1|st(x,relaxed)", Rule::kAtomicWrite, true},
    {"0|w(x) 1|w(x) 2|w(x)", Rule::kStopped, false},
};

TEST(GoldilocksRules, EveryRow) {
  for (const RuleRow& row : kRows) {
    Steps<Goldilocks> steps;
    steps.detector().configure({.stop_after_first = row.rule == Rule::kStopped});
    const Outcome outcome = steps.run(row.trace);
    EXPECT_EQ(static_cast<Rule>(outcome.rule), row.rule) << row.trace;
    EXPECT_EQ(outcome.is_race, row.races) << row.trace;
  }
}

TEST(GoldilocksRules, NoRuleIsWithoutARow) {
  std::set<Rule> seen;
  for (const RuleRow& row : kRows) seen.insert(row.rule);
  for (int i = 0; i < Goldilocks::kRuleCount; ++i)
    EXPECT_TRUE(seen.contains(static_cast<Rule>(i))) << "rule " << i << " has no row";
}

// Rule 8.
TEST(GoldilocksRules, AForgottenVariableHasNoHistory) {
  for (const std::string_view history : {"T1|w(x)", "T1|r(x)", "T1|r(x) T2|r(x)", "T1|st(x,relaxed)"}) {
    Steps<Goldilocks> steps;
    steps.run(history);
    steps.detector().forget(steps.variable("x"));
    const Outcome outcome = steps.run("T3|w(x)");
    EXPECT_EQ(static_cast<Rule>(outcome.rule), Rule::kWriteFirst) << history;
    EXPECT_FALSE(outcome.is_race) << history;
  }
}

// A set of reads that has grown drops only those that are ordered before the newest.
TEST(GoldilocksRules, ConcurrentReadsAreAllKept) {
  Steps<Goldilocks> steps;
  for (int i = 1; i <= 12; ++i) steps.run("T" + std::to_string(i) + "|r(x)");
  EXPECT_TRUE(steps.run("T12|fork(W) W|w(x)").is_race);
  EXPECT_EQ(steps.detector().conflict().first.event, 0u);
}

// Figure 3 as printed chooses a lock anew only where both short cuts failed. Here the first one holds at T1's second
// write, so it would keep m, which was not held then, and T2's write would pass for ordered.
TEST(GoldilocksShortCuts, TheLockWasHeldAtTheLastAccess) {
  Steps<Goldilocks> steps;
  steps.run("T1|acq(m) T1|w(x) T1|rel(m) T1|w(x) T2|acq(m)");
  EXPECT_TRUE(steps.run("T2|w(x)").is_race);
  EXPECT_EQ(steps.detector().conflict().first.event, 3u);
}

// A lock held as a reader does not keep other readers away.
TEST(GoldilocksShortCuts, TheLockWasHeldByAWriter) {
  Steps<Goldilocks> steps;
  steps.run("T1|racq(m) T2|racq(m) T1|w(x)");
  EXPECT_TRUE(steps.run("T2|w(x)").is_race);
}

// It does not help that somebody else holds it now.
TEST(GoldilocksShortCuts, TheLockIsHeldByTheThreadItself) {
  Steps<Goldilocks> steps;
  steps.run("T1|acq(m) T1|w(x) T1|rel(m) T3|acq(m)");
  EXPECT_TRUE(steps.run("T2|w(x)").is_race);
}

// Answers are remembered for 64 owners; one that takes another's place does not inherit what was said about that one.
TEST(GoldilocksShortCuts, AnAnswerIsAboutOneOwner) {
  Steps<Goldilocks> steps;
  for (int i = 0; i <= 64; ++i) steps.thread("t" + std::to_string(i));
  steps.run("t64|w(y) t0|w(x) t0|acq(m) t0|rel(m) t1|acq(m)");
  EXPECT_FALSE(steps.run("t1|r(x)").is_race);
  EXPECT_TRUE(steps.run("t1|r(y)").is_race);
}

// A lenient run may lack a release: then the second holder is not ordered after the first.
TEST(GoldilocksShortCuts, ALostReleaseOrdersNothing) {
  Steps<Goldilocks> written;
  written.run("T1|acq(m) T1|w(x) T2|acq(m)");
  EXPECT_TRUE(written.run("T2|w(x)").is_race);
  Steps<Goldilocks> read;
  read.run("T1|racq(m) T2|acq(m) T2|w(x) T2|rel(m) T3|racq(m)");
  EXPECT_FALSE(read.run("T3|r(x)").is_race);
  EXPECT_TRUE(read.run("T1|r(x)").is_race);
}

// The choice among several locks is random, but the same for the same seed and event, whatever else was chosen before.
TEST(GoldilocksShortCuts, TheChosenLockDependsOnSeedAndEventOnly) {
  std::set<uint32_t> chosen;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Steps<Goldilocks> alone, among_others;
    alone.detector().configure({.seed = seed});
    among_others.detector().configure({.seed = seed});
    alone.run("T1|acq(a) T1|acq(b) T1|acq(c) T1|r(y) T1|w(x)");
    among_others.run("T1|acq(a) T1|acq(b) T1|acq(c) T1|w(y) T1|w(x)");
    EXPECT_EQ(alone.variable("x").W.alock, among_others.variable("x").W.alock);
    chosen.insert(alone.variable("x").W.alock);
  }
  EXPECT_EQ(chosen, (std::set<uint32_t>{1, 2, 3}));
}

// ---- The list -----------------------------------------------------------------------------------------------------

// T1's writes lie far behind the list's head when T2 and T3 ask for them.
TEST(GoldilocksList, AnAccessThatLagsKeepsItsLockset) {
  for (const int idle : {0, 10, 100, 1000}) {
    Steps<Goldilocks> steps;
    steps.detector().configure({.list_limit = 64});
    const auto wait = [&] {
      for (int i = 0; i < idle; ++i) steps.run("T4|acq(l) T4|rel(l) T5|acq(l) T5|rel(l)");
    };
    steps.run("T1|w(x) T1|acq(m) T1|rel(m) T1|w(y)");
    wait();
    steps.run("T2|acq(m) T2|rel(m)");
    wait();
    EXPECT_FALSE(steps.run("T2|r(x)").is_race) << idle;
    EXPECT_TRUE(steps.run("T2|r(y)").is_race) << idle;
    EXPECT_TRUE(steps.run("T3|r(x)").is_race) << idle;
    EXPECT_EQ(steps.detector().conflict().first.event, 0u) << idle;
    EXPECT_LE(steps.detector().order().list().tail() - steps.detector().order().list().head(), 64u);
  }
}

// Memory after many events, with variables that are touched once and never again.
size_t bytes_after(int events, bool cold) {
  Arena arena;
  Goldilocks detector(arena);
  detector.configure({.list_limit = 1 << 10});
  std::vector<Goldilocks::Var> variables(100);
  Event acquire, release;
  acquire.kind = EventKind::kAcquire;
  release.kind = EventKind::kRelease;
  for (int i = 0; i < events; ++i) {
    acquire.thread = release.thread = static_cast<ThreadId>(i % 7);
    acquire.target = release.target = static_cast<uint64_t>(i % 3);
    detector.sync(acquire);
    const size_t which = cold ? static_cast<size_t>(i) : 0;
    if (which < variables.size())
      detector.access({acquire.thread, AccessKind::kWrite, kNoLocation, static_cast<uint64_t>(i)}, variables[which]);
    detector.sync(release);
  }
  return arena.bytes_in_use();
}

TEST(GoldilocksList, MemoryDoesNotGrowWithTheRun) {
  for (const bool cold : {false, true}) EXPECT_EQ(bytes_after(10'000, cold), bytes_after(200'000, cold)) << cold;
}

// A list that nothing points into is dropped, not brought forward.
TEST(GoldilocksList, UnreferencedCellsAreDropped) {
  Steps<Goldilocks> steps;
  steps.detector().configure({.list_limit = 64});
  for (int i = 0; i < 1000; ++i) steps.run("T1|acq(m) T1|w(x) T1|rel(m) T2|acq(m) T2|w(x) T2|rel(m)");
  EXPECT_EQ(steps.detector().order().list().cells_brought_forward(), 0u);
  EXPECT_EQ(steps.detector().order().list().cells_walked(), 0u);  // the lock answers every time
  steps.run("T3|w(y)");
  for (int i = 0; i < 1000; ++i) steps.run("T1|acq(m) T1|w(x) T1|rel(m) T2|acq(m) T2|w(x) T2|rel(m)");
  EXPECT_GT(steps.detector().order().list().cells_brought_forward(), 0u);
}

// A variable that its thread uses all the time, without publishing anything, does not pin the list.
TEST(GoldilocksList, AnAccessInTheSameEpochKeepsUp) {
  for (const std::string_view access : {"T1|w(x)", "T1|r(x)"}) {
    Steps<Goldilocks> steps;
    steps.detector().configure({.list_limit = 64});
    for (int i = 0; i < 1000; ++i) {
      steps.run(access);
      steps.run("T2|acq(m) T2|rel(m) T3|acq(m) T3|rel(m)");
    }
    EXPECT_EQ(steps.detector().order().list().cells_brought_forward(), 0u) << access;
  }
}

// Threads that come and go leave no more behind than the table of threads.
TEST(GoldilocksList, ReadersThatEndedAreForgotten) {
  Steps<Goldilocks> steps;
  steps.run("0|w(x)");
  for (int i = 1; i < 500; ++i) {
    const std::string child = std::to_string(i);
    steps.run("0|fork(" + child + ") " + child + "|r(x) 0|r(x) 0|join(" + child + ")");
  }
  const auto* shared = reinterpret_cast<const Goldilocks::Shared*>(steps.variable("x").shared);
  ASSERT_NE(shared, nullptr);
  EXPECT_LE(shared->R.entries.size(), 9u);
  EXPECT_FALSE(steps.run("0|w(x)").is_race);
}

}  // namespace
}  // namespace deadheat::test
