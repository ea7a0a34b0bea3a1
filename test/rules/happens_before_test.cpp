// Happens-before: every row of the tables in docs/semantics.md, as two accesses that it orders or does not order.
//
// In each trace thread 0 writes x first and thread 1 (or 2) reads it last; the verdict is FastTrack's.
#include "detect/happens_before.h"

#include <gtest/gtest.h>

#include "detect/fasttrack.h"
#include "support/steps.h"

namespace deadheat::test {
namespace {

struct OrderRow {
  std::string_view trace;
  bool ordered;
};
constexpr OrderRow kRows[] = {
    // Threads
    {"0|w(x) 0|fork(1) 1|r(x)", true},
    {"0|fork(1) 0|w(x) 1|r(x)", false},
    {"0|w(x) 1|r(x)", false},  // nobody forked 1
    {"1|begin 0|w(x) 1|join(0) 1|r(x)", true},
    {"1|fork(0) 0|fork(2) 2|w(x) 0|join(2) 1|join(0) 1|r(x)", true},
    {"1|fork(0) 0|fork(2) 2|w(x) 1|join(0) 1|r(x)", false},
    // Locks
    {"0|begin 1|begin 0|acq(m) 0|w(x) 0|rel(m) 1|acq(m) 1|r(x)", true},
    {"0|begin 1|begin 0|acq(m) 0|w(x) 0|rel(m) 1|acq(n) 1|r(x)", false},
    {"0|begin 1|begin 0|acq(m) 0|rel(m) 0|w(x) 1|acq(m) 1|r(x)", false},
    {"0|begin 1|begin 0|racq(m) 0|w(x) 0|rrel(m) 1|acq(m) 1|r(x)", true},      // reader, then writer
    {"0|begin 1|begin 0|acq(m) 0|w(x) 0|rel(m) 1|racq(m) 1|r(x)", true},       // writer, then reader
    {"0|begin 1|begin 0|racq(m) 0|w(x) 0|rrel(m) 1|racq(m) 1|r(x)", false},    // readers do not order each other
    {"0|w(x) 0|racq(m) 0|rrel(m) 2|racq(m) 2|rrel(m) 1|acq(m) 1|r(x)", true},  // a writer takes all readers
    {"0|w(x) 0|racq(m) 0|rrel(m) 2|acq(m) 2|rel(m) 1|racq(m) 1|r(x)", true},   // through the writer between
    // Condition variables order nothing by themselves
    {"0|w(x) 0|notify(c) 1|wait(c) 1|r(x)", false},
    // Barriers
    {"0|w(x) 0|benter(b) 1|benter(b) 1|bleave(b) 1|r(x)", true},
    {"0|benter(b) 1|benter(b) 0|w(x) 0|bleave(b) 1|bleave(b) 1|r(x)", false},
    // a slow leaver does not learn what a fast thread brings into the next generation
    {"0|benter(b) 1|benter(b) 0|bleave(b) 0|w(x) 0|benter(b) 1|bleave(b) 1|r(x)", false},
    {"0|benter(b) 1|benter(b) 0|bleave(b) 0|w(x) 0|benter(b) 1|bleave(b) 1|benter(b) 1|bleave(b) 1|r(x)", true},
    // Semaphores, messages
    {"0|w(x) 0|post(s) 1|swait(s) 1|r(x)", true},
    {"0|w(x) 0|post(s) 1|swait(t) 1|r(x)", false},
    {"0|post(s) 0|w(x) 1|swait(s) 1|r(x)", false},
    {"0|w(x) 0|post(s) 2|post(s) 1|swait(s) 1|r(x)", true},  // which post a wait answers cannot be known
    {"0|w(x) 0|snd(m) 1|rcv(m) 1|r(x)", true},
    {"0|snd(m) 0|w(x) 1|rcv(m) 1|r(x)", false},
    // Volatiles: from every earlier write
    {"0|w(x) 0|vw(v) 1|vr(v) 1|r(x)", true},
    {"0|w(x) 0|vw(v) 2|vw(v) 1|vr(v) 1|r(x)", true},
    {"0|w(x) 0|vr(v) 1|vr(v) 1|r(x)", false},
    {"0|w(x) 0|vw(v) 1|vw(v) 1|r(x)", false},
    // Atomics: release and acquire
    {"0|w(x) 0|st(a,release) 1|ld(a,acquire) 1|r(x)", true},
    {"0|w(x) 0|st(a,seq_cst) 1|ld(a,seq_cst) 1|r(x)", true},
    {"0|w(x) 0|st(a,release) 1|ld(a,consume) 1|r(x)", true},
    {"0|w(x) 0|st(a,relaxed) 1|ld(a,acquire) 1|r(x)", false},
    {"0|w(x) 0|st(a,release) 1|ld(a,relaxed) 1|r(x)", false},
    // release sequences: continued by read-modify-writes, broken by other stores
    {"0|w(x) 0|st(a,release) 2|rmw(a,relaxed) 1|ld(a,acquire) 1|r(x)", true},
    {"0|w(x) 0|st(a,release) 2|cas(a,relaxed,ok) 1|ld(a,acquire) 1|r(x)", true},
    {"0|w(x) 0|st(a,release) 2|st(a,relaxed) 1|ld(a,acquire) 1|r(x)", false},
    {"0|w(x) 0|st(a,release) 0|st(a,relaxed) 1|ld(a,acquire) 1|r(x)", false},
    {"0|w(x) 0|st(a,release) 2|st(a,release) 1|ld(a,acquire) 1|r(x)", false},
    {"0|w(x) 0|rmw(a,release) 2|rmw(a,release) 1|ld(a,acquire) 1|r(x)", true},
    {"0|w(x) 0|rmw(a,acquire) 1|ld(a,acquire) 1|r(x)", false},
    {"0|w(x) 0|st(a,release) 1|rmw(a,acquire) 1|r(x)", true},
    {"0|w(x) 0|st(a,release) 1|rmw(a,release) 1|r(x)", false},
    // a failed compare-exchange is a load
    {"0|w(x) 0|st(a,release) 1|cas(a,acquire,fail) 1|r(x)", true},
    {"0|w(x) 0|st(a,release) 1|cas(a,relaxed,fail) 1|r(x)", false},
    {"0|w(x) 0|cas(a,acq_rel,fail) 1|ld(a,acquire) 1|r(x)", false},
    // Fences, in all four combinations
    {"0|w(x) 0|fence(release) 0|st(a,relaxed) 1|ld(a,acquire) 1|r(x)", true},
    {"0|w(x) 0|st(a,release) 1|ld(a,relaxed) 1|fence(acquire) 1|r(x)", true},
    {"0|w(x) 0|fence(release) 0|st(a,relaxed) 1|ld(a,relaxed) 1|fence(acquire) 1|r(x)", true},
    {"0|w(x) 0|fence(seq_cst) 0|st(a,relaxed) 1|ld(a,relaxed) 1|fence(acq_rel) 1|r(x)", true},
    {"0|fence(release) 0|w(x) 0|st(a,relaxed) 1|ld(a,acquire) 1|r(x)", false},  // written after the fence
    {"0|w(x) 0|fence(release) 0|st(a,relaxed) 1|fence(acquire) 1|ld(a,relaxed) 1|r(x)", false},
    {"0|w(x) 0|fence(acquire) 0|st(a,relaxed) 1|ld(a,acquire) 1|r(x)", false},
    {"0|w(x) 0|fence(release) 0|rmw(a,relaxed) 1|ld(a,acquire) 1|r(x)", true},
    {"0|w(x) 0|fence(release) 0|st(a,relaxed) 1|ld(b,acquire) 1|r(x)", false},
    // Operations of no bytes have no value: they give and take, and fences make nothing of them.
    {"0|w(x) 0|rmw(0x10:0,release) 1|ld(0x10:0,acquire) 1|r(x)", true},
    {"0|w(x) 0|rmw(0x10:0,release) 2|rmw(0x10:0,release) 1|ld(0x10:0,acquire) 1|r(x)", true},
    {"0|w(x) 0|rmw(0x10:0,release) 1|rmw(0x10:0,release) 1|fence(acquire) 1|r(x)", false},
    {"0|w(x) 0|rmw(0x10:8,release) 1|rmw(0x10:8,release) 1|fence(acquire) 1|r(x)", true},
    {"0|w(x) 0|fence(release) 0|rmw(0x10:0,relaxed) 1|ld(0x10:0,acquire) 1|r(x)", false},
    {"0|w(x) 0|fence(release) 0|st(0x10:0,relaxed) 1|ld(0x10:0,acquire) 1|r(x)", false},
    {"0|w(x) 0|rmw(0x10:0,release) 2|st(0x10:0,relaxed) 1|ld(0x10:0,acquire) 1|r(x)", false},
    // Addresses, names, atomics and volatiles are kept apart, however high an address is.
    {"0|w(x) 0|st(0x10:8,release) 1|ld(0x10:8,acquire) 1|r(x)", true},
    {"0|w(x) 0|st(0x4000000000000010:8,release) 1|vr(0x10:8) 1|r(x)", false},
    {"0|w(x) 0|vw(0x10:8) 1|ld(0x4000000000000010:8,acquire) 1|r(x)", false},
    {"0|w(x) 0|st(0x8000000000000010:8,release) 1|ld(0x10:8,acquire) 1|r(x)", false},
    {"0|w(x) 0|st(a,release) 1|ld(0x1:8,acquire) 1|r(x)", false},
};

TEST(HappensBefore, EveryRow) {
  for (const OrderRow& row : kRows) {
    Steps<FastTrack> steps;
    EXPECT_EQ(!steps.run(row.trace).is_race, row.ordered) << row.trace;
  }
}

TEST(HappensBefore, ClocksOfForgottenAtomicsAreGone) {
  Steps<FastTrack> steps;
  steps.run("0|w(x) 0|st(a,release)");
  steps.detector().forget_atomics(atomic_key(VariableId{1}), 1);
  EXPECT_TRUE(steps.run("1|ld(a,acquire) 1|r(x)").is_race);
}

// The slot of a joined thread goes to the next thread its joiner creates, and no race is lost or invented by it.
TEST(HappensBefore, SlotsAreUsedAgain) {
  Steps<FastTrack> steps;
  for (int i = 0; i < 100; ++i) {
    const std::string t = "t" + std::to_string(i);
    EXPECT_FALSE(steps.run("0|fork(" + t + ") " + t + "|w(x) 0|join(" + t + ")").is_race);
    EXPECT_EQ(index(steps.detector().order().thread(steps.thread(t)).E.slot()), 1u);
  }
  EXPECT_FALSE(steps.run("0|r(x)").is_race);
  EXPECT_TRUE(steps.run("0|fork(u) 0|fork(v) u|w(x) v|r(x)").is_race);
  EXPECT_EQ(steps.names().threads[steps.detector().conflict().first.thread], "u");
}

// A race with a thread that was joined long ago, whose slot has another owner now, still names the right thread.
TEST(HappensBefore, FormerOwnersOfASlotKeepTheirAccesses) {
  Steps<FastTrack> steps;
  steps.run("0|fork(far) 0|fork(t) t|w(x) 0|join(t) 0|fork(u)");
  EXPECT_EQ(steps.detector().order().thread(steps.thread("u")).E.slot(),
            steps.detector().order().thread(steps.thread("t")).E.slot());
  EXPECT_FALSE(steps.run("u|r(x)").is_race);
  EXPECT_TRUE(steps.run("far|r(x)").is_race);
  EXPECT_EQ(steps.names().threads[steps.detector().conflict().first.thread], "t");
}

}  // namespace
}  // namespace deadheat::test
