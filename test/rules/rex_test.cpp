// ReX: the paper's figures with the tries after the trace, what starts a new context, what ends a history, and the
// traces that the unsound variants lose.
#include "filter/rex.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "detect/fasttrack.h"
#include "support/test_trace.h"

// Options are given by name; the others keep their defaults.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace deadheat::test {
namespace {

class RexSteps {
 public:
  explicit RexSteps(const DetectorOptions& options = {}) : filter_(arena_) { filter_.configure(options); }

  // Runs a trace; of its accesses, the numbers of those that were dropped.
  std::string dropped(std::string_view text) {
    const TestTrace trace = parse_trace(text);
    std::string numbers;
    for (size_t i = 0; i < trace.events.size(); ++i) {
      const Event& e = trace.events[i];
      if (!is_plain_access(e.kind)) {
        filter_.sync(e);
        continue;
      }
      const Access a{e.thread, info(e.kind).access, e.location, i};
      Place place{e.is_range, e.target, e.size, ObjectId{}, VariableInfo::kNotAnElement};
      if (!e.is_range) place.object = static_cast<ObjectId>(trace.object_of(e.target));
      accesses_.push_back({i, filter_.context(e.thread), a, place});
      if (filter_.is_redundant(a, place)) numbers += (numbers.empty() ? "" : " ") + std::to_string(i + 1);
    }
    return numbers;
  }
  // The threads in the node that access `number` (counted from 1, as the paper does) came to, the earliest first.
  std::string stack(size_t number) {
    for (const Seen& seen : accesses_)
      if (seen.number + 1 == number) {
        const Rex::Stack* stack = filter_.history(seen.access, seen.place, seen.context);
        if (stack == nullptr) return "";
        std::string text;
        for (const uint32_t thread : {stack->threads[1], stack->threads[0]})
          if (thread != 0) text += fmt::format("{}T{}", text.empty() ? "" : " ", thread - 1);
        return text;
      }
    return "no such access";
  }
  ContextId context(size_t number) {
    for (const Seen& seen : accesses_)
      if (seen.number + 1 == number) return seen.context;
    throw std::out_of_range("no such access");
  }
  Rex& filter() { return filter_; }
  Arena& arena() { return arena_; }

 private:
  struct Seen {
    size_t number;
    ContextId context;
    Access access;
    Place place;
  };
  Arena arena_;
  Rex filter_;
  std::vector<Seen> accesses_;
};

// ---- Figures ------------------------------------------------------------------------------------------------------

// T0 reads x ten times from 1, then writes it ten times from 2 under A; T1 to T5 write it from 3 under A, T6 to T10
// without.
std::string figure3() {
  std::string text;
  for (int i = 1; i <= 10; ++i) text += "T0|r(x)|1 ";
  for (int i = 1; i <= 10; ++i) text += "T0|acq(A)|0 T0|w(x)|2 T0|rel(A)|0 ";
  for (int i = 1; i <= 10; ++i)
    text += i <= 5 ? fmt::format("T{0}|acq(A)|0 T{0}|w(x)|3 T{0}|rel(A)|0 ", i) : fmt::format("T{}|w(x)|3 ", i);
  return text;
}

TEST(RexFigures, Figure3) {
  // Every release opens a context, so only the reads repeat something.
  EXPECT_EQ(RexSteps().dropped(figure3()), "2 3 4 5 6 7 8 9 10");
  // The published rule drops all writes from 3 but those of T1 and T2: none of these threads has released anything yet.
  RexSteps published({.rex_third_thread = true});
  EXPECT_EQ(published.dropped(figure3()), "2 3 4 5 6 7 8 9 10 48 51 54 56 57 58 59 60");
  EXPECT_EQ(published.stack(42), "T1 T2");
  // Locks alone: T0's writes from 2 are one, and so are those from 3 with, and those without, the lock.
  RexSteps locksets({.rex_lockset = true, .rex_third_thread = true});
  EXPECT_EQ(locksets.dropped(figure3()), "2 3 4 5 6 7 8 9 10 15 18 21 24 27 30 33 36 39 48 51 54 58 59 60");
  EXPECT_EQ(locksets.stack(42), "T1 T2");
  EXPECT_EQ(locksets.stack(56), "T6 T7");
}

// The trace of Figure 4b, with the garbled names set right: e9 to e11 use L2, e13 to e15 L3, e21 to e25 are T2's.
constexpr std::string_view kFigure4 =
    "T0|fork(T1) T0|fork(T2) T0|fork(T3) "
    "T0|r(x)|1 T0|acq(L1) T0|w(x)|2 T0|rel(L1) T0|r(x)|1 T0|acq(L2) T0|w(x)|2 T0|rel(L2) "
    "T0|r(x)|1 T0|acq(L3) T0|w(x)|2 T0|rel(L3) "
    "T1|begin T1|w(x)|3 T1|acq(L1) T1|w(x)|4 T1|rel(L1) "
    "T2|begin T2|w(x)|3 T2|acq(L2) T2|w(x)|4 T2|rel(L2) "
    "T3|begin T3|w(x)|3 T3|acq(L3) T3|w(x)|4 T3|rel(L3)";

TEST(RexFigures, Figure4WithTheSameThreadRule) {
  RexSteps steps;
  EXPECT_EQ(steps.dropped(kFigure4), "");
  for (const size_t e : {4, 6, 8, 10, 12, 14}) EXPECT_EQ(steps.stack(e), "T0") << e;
  EXPECT_EQ(steps.stack(17), "T1");
  EXPECT_EQ(steps.stack(22), "T2");
  EXPECT_EQ(steps.stack(27), "T3");
  EXPECT_EQ(steps.context(4), steps.context(6));  // an acquire opens no context
  EXPECT_NE(steps.context(6), steps.context(8));  // a release does
}

// Figure 5. Location 4 is not as the text has it ("a different stack" for each lock): Algorithm 1 appends a lock when
// it is released, so T1, T2 and T3 are still in the empty context there.
TEST(RexFigures, Figure5WithTheThirdThreadRule) {
  RexSteps steps({.rex_third_thread = true});
  EXPECT_EQ(steps.dropped(kFigure4), "27 29");
  // Locations 1 and 2: g1 g2 g3, then L1 below it, then L2 below that.
  for (const size_t e : {4, 6, 8, 10, 12, 14}) EXPECT_EQ(steps.stack(e), "T0") << e;
  EXPECT_EQ(steps.context(4), steps.context(6));
  EXPECT_EQ(steps.context(8), steps.context(10));
  EXPECT_EQ(steps.context(12), steps.context(14));
  EXPECT_NE(steps.context(4), steps.context(8));
  EXPECT_NE(steps.context(8), steps.context(12));
  // Locations 3 and 4: the root.
  EXPECT_EQ(steps.context(17), steps.context(22));
  EXPECT_EQ(steps.stack(17), "T1 T2");
  EXPECT_EQ(steps.stack(19), "T1 T2");
}

TEST(RexFigures, Figure6WithLocksets) {
  RexSteps steps({.rex_lockset = true, .rex_third_thread = true});
  EXPECT_EQ(steps.dropped(kFigure4), "8 12 27");
  EXPECT_EQ(steps.context(4), steps.context(8));   // location 1: g1 g2 g3, no lock
  EXPECT_NE(steps.context(6), steps.context(10));  // location 2: g1 g2 g3 and one lock each
  EXPECT_EQ(steps.stack(17), "T1 T2");             // location 3: no lock
  EXPECT_EQ(steps.stack(19), "T1");                // location 4: one lock each
  EXPECT_EQ(steps.stack(24), "T2");
  EXPECT_EQ(steps.stack(29), "T3");
}

// Figure 7 is a picture; this is what its text says: the first write from 2 happens before the one from 3, the second
// does not, and locksets cannot tell the two apart.
TEST(RexFigures, Figure7LocksetsLoseARace) {
  constexpr std::string_view kTrace = "T1|w(x)|2 T1|acq(L) T1|rel(L) T1|w(x)|2 T2|acq(L) T2|rel(L) T2|w(x)|3";
  EXPECT_EQ(RexSteps({.rex_lockset = true}).dropped(kTrace), "4");
  EXPECT_EQ(RexSteps().dropped(kTrace), "");
}

// Why the third-thread rule is off: T1 and T2 race, and T2's write is what it drops.
TEST(RexFigures, TheThirdThreadRuleLosesARace) {
  constexpr std::string_view kTrace = "T0|acq(m) T0|w(x)|1 T0|rel(m) T1|acq(m) T1|w(x)|1 T2|w(x)|1";
  EXPECT_EQ(RexSteps({.rex_third_thread = true}).dropped(kTrace), "6");
  EXPECT_EQ(RexSteps().dropped(kTrace), "");
}

// ---- Contexts -----------------------------------------------------------------------------------------------------

TEST(RexContexts, WhateverPublishesOpensOne) {
  for (const std::string_view event :
       {"rel(m)", "rrel(m)", "fork(T1)", "benter(b)", "post(s)", "snd(g)", "vw(v)", "st(a,release)", "st(a,seq_cst)",
        "rmw(a,release)", "rmw(a,acq_rel)", "cas(a,acq_rel,ok)", "fence(release)", "fence(seq_cst)"})
    for (const bool third : {false, true})
      EXPECT_EQ(RexSteps({.rex_third_thread = third}).dropped(fmt::format("T0|w(x)|1 T0|{} T0|w(x)|1", event)), "")
          << event;
}

TEST(RexContexts, NothingElseDoes) {
  for (const std::string_view event :
       {"acq(m)", "racq(m)", "join(T1)", "bleave(b)", "swait(s)", "rcv(g)", "vr(v)", "ld(a,seq_cst)", "st(a,relaxed)",
        "rmw(a,acquire)", "cas(a,seq_cst,fail)", "fence(acquire)", "begin", "r(x)|1", "w(y)|1"})
    EXPECT_EQ(RexSteps().dropped(fmt::format("T0|w(x)|1 T0|{} T0|w(x)|1", event)), "3") << event;
}

TEST(RexContexts, AnotherThreadsPublicationDoesNot) {
  EXPECT_EQ(RexSteps().dropped("T0|w(x)|1 T1|rel(m) T0|w(x)|1"), "3");
}

TEST(RexContexts, LocationKindAddressAndSizeMatter) {
  for (const std::string_view other : {"r(x)|1", "w(x)|2", "w(y)|1"})
    EXPECT_EQ(RexSteps().dropped(fmt::format("T0|w(x)|1 T0|{}", other)), "") << other;
  EXPECT_EQ(RexSteps().dropped("T0|w(0x10:4)|1 T0|w(0x10:8)|1 T0|w(0x14:4)|1 T0|r(0x10:4)|1 T0|w(0x10:4)|1"), "5");
}

TEST(RexContexts, AReentrantLockIsHeldUntilItsLastRelease) {
  RexSteps steps({.rex_lockset = true});
  EXPECT_EQ(steps.dropped("T0|acq(m) T0|w(x)|1 T0|acq(m) T0|w(x)|1 T0|rel(m) T0|w(x)|1 T0|rel(m) T0|w(x)|1 T0|w(x)|1"),
            "4 6 9");
}

// ---- Histories ----------------------------------------------------------------------------------------------------

TEST(RexHistories, AllocationAndFreeEndThem) {
  for (const std::string_view event : {"alloc(A,4)", "free(A)"})
    EXPECT_EQ(RexSteps().dropped(fmt::format("T0|w(A[1])|1 T0|w(B[1])|1 T1|{} T0|w(A[1])|1 T0|w(B[1])|1", event)), "5");
  // A block that begins or ends within the access, one that fills a page, and one that lies elsewhere.
  for (const std::string_view block : {"0xff8,16", "0x1004,1", "0x1007,64", "0x0,8192", "0x800,1073741824"})
    EXPECT_EQ(RexSteps().dropped(fmt::format("T0|w(0x1000:8)|1 T0|alloc({}) T0|w(0x1000:8)|1", block)), "") << block;
  EXPECT_EQ(RexSteps().dropped("T0|w(0x1000:8)|1 T0|alloc(0x2000,64) T0|w(0x1000:8)|1"), "3");
}

// Many contexts and many addresses: what is forgotten only lets accesses pass.
TEST(RexHistories, MemoryIsBounded) {
  for (const bool lockset : {false, true})
    for (const bool third : {false, true}) {
      Arena arena;
      Rex filter(arena);
      filter.configure({.rex_lockset = lockset, .rex_third_thread = third, .rex_limit = 4096});
      Event event;
      size_t early = 0;
      for (uint64_t i = 0; i < 400'000; ++i) {
        event.kind = i % 3 == 0 ? EventKind::kSend : i % 3 == 1 ? EventKind::kAcquire : EventKind::kRelease;
        event.thread = static_cast<ThreadId>(i / 3 % 5);
        event.target = i / 3 % 11;
        filter.sync(event);
        const Access a{event.thread, AccessKind::kWrite, LocationId{1}, i};
        const Place place{false, i * 7919 % 100'000, 0, ObjectId{}, VariableInfo::kNotAnElement};
        ASSERT_FALSE(filter.is_redundant(a, place) && i < 300);  // all of the first are new
        ASSERT_TRUE(filter.is_redundant(a, place)) << i;
        if (i == 100'000) early = arena.bytes_in_use();
      }
      EXPECT_LE(arena.bytes_in_use(), early + 4096) << lockset << third;
    }
}

}  // namespace
}  // namespace deadheat::test
