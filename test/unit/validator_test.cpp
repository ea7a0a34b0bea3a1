// The validator: what it refuses, in words, and what `--lenient` makes of it.
#include "replay/validator.h"

#include <gtest/gtest.h>

#include "support/memory_reader.h"
#include "support/test_trace.h"

namespace deadheat::test {
namespace {

struct Checked {
  std::string error;  // empty if the trace makes sense
  Losses losses;
  std::vector<Event> events;
};

Checked check(std::string_view text, bool lenient) {
  const TestTrace trace = parse_trace(text);
  MemoryReader reader(trace, 1000);
  Checked checked;
  Validator validator(reader, lenient, checked.losses);
  Batch batch;
  try {
    while (reader.next(batch)) {
      validator.check(batch);
      checked.events.insert(checked.events.end(), batch.events.begin(), batch.events.end());
    }
  } catch (const TraceError& e) {
    checked.error = e.what();
  }
  return checked;
}

struct BadRow {
  std::string_view trace;  // its last event makes no sense
  std::string_view error;
  bool repaired;  // by --lenient; else the event is skipped
};
constexpr BadRow kBad[] = {
    {"T0|rel(m)", "memory:1: T0 releases m, which it does not hold; expected an acquire before", false},
    {"T0|acq(m) T1|rel(m)", "memory:2: T1 releases m, which it does not hold; expected an acquire before", false},
    {"T0|acq(m) T1|acq(m)", "memory:2: T1 acquires m, which T0 holds; expected it to be free", true},
    {"T0|racq(m) T1|acq(m)", "memory:2: T1 acquires m, which T0 holds as a reader; expected it to be free", true},
    {"T0|racq(m) T0|acq(m)", "memory:2: T0 acquires m, which it itself holds as a reader; expected it to be free",
     true},
    {"T0|acq(m) T1|racq(m)", "memory:2: T1 acquires m as a reader, which T0 holds; expected it to be free", true},
    {"T0|rrel(m)", "memory:1: T0 releases m as a reader, which it does not hold; expected a racq before", false},
    {"T0|fork(T1) T0|join(T1) T1|w(x)",
     "memory:3: an event of T1, which was joined before; expected no further event of it", false},
    {"T0|fork(T0)", "memory:1: T0 forks T0, which is itself; expected a thread without events before its one fork",
     false},
    {"T0|fork(T1) T0|fork(T1)",
     "memory:2: T0 forks T1, which was forked before; expected a thread without events before its one fork", false},
    {"T1|w(x) T0|fork(T1)",
     "memory:2: T0 forks T1, which has events already; expected a thread without events before its one fork", false},
    {"T0|join(T0)", "memory:1: T0 joins T0, which is itself; expected another thread, joined once", false},
    {"T0|fork(T1) T0|join(T1) T0|join(T1)",
     "memory:3: T0 joins T1, which was joined before; expected another thread, joined once", false},
    {"T0|fork(T1) T0|gone(T1) T1|w(x)",
     "memory:3: an event of T1, which was seen to have ended before; expected no further event of it", false},
    {"T0|fork(T1) T0|join(T1) T2|gone(T1)",
     "memory:3: T2 sees the end of T1, which was joined before; expected another thread, not joined", false},
    {"T0|gone(T0)", "memory:1: T0 sees the end of T0, which is itself; expected another thread, not joined", false},
    {"T0|bleave(b)", "memory:1: T0 leaves, but never entered, barrier b; expected it to enter first", false},
    {"T0|benter(b) T0|benter(b)", "memory:2: T0 enters again barrier b; expected it to leave first", false},
    {"T0|free(0x100)", "memory:1: frees 0x100, where no block begins; expected an alloc(0x100,n) before", false},
    {"T0|alloc(0x100,8) T0|alloc(0x104,8)",
     "memory:2: allocates 0x104:8, but 0x100:8 there was not freed; expected a free before", true},
    {"T0|alloc(0x104,8) T0|alloc(0x100,8)",
     "memory:2: allocates 0x100:8, but 0x104:8 there was not freed; expected a free before", true},
};

TEST(Validator, RefusesInOneLine) {
  for (const BadRow& row : kBad) EXPECT_EQ(check(row.trace, false).error, row.error) << row.trace;
}

TEST(Validator, LenientRepairsOrSkipsAndCounts) {
  for (const BadRow& row : kBad) {
    const Checked checked = check(row.trace, true);
    EXPECT_EQ(checked.error, "") << row.trace;
    EXPECT_EQ(checked.losses.repaired_events, row.repaired ? 1u : 0u) << row.trace;
    EXPECT_EQ(checked.losses.skipped_events, row.repaired ? 0u : 1u) << row.trace;
    EXPECT_EQ(checked.events.back().kind == EventKind::kNothing, !row.repaired) << row.trace;
  }
}

TEST(Validator, AcceptsWhatMakesSense) {
  for (const std::string_view trace :
       {"T0|acq(m) T0|rel(m) T1|acq(m) T1|rel(m)", "T0|racq(m) T1|racq(m) T0|rrel(m) T1|rrel(m) T0|acq(m)",
        "T0|fork(T1) T1|begin T1|begin T1|end T0|join(T1)", "T0|join(T1)", "T0|rcv(m) T0|swait(s) T0|wait(c)",
        "T0|alloc(0x100,8) T0|alloc(0x108,8) T0|free(0x100) T0|alloc(0x100,8)", "T0|free(A)",
        "T0|benter(b) T0|bleave(b) T0|benter(b)"}) {
    const Checked checked = check(trace, false);
    EXPECT_EQ(checked.error, "") << trace;
    EXPECT_EQ(checked.losses.skipped_events + checked.losses.repaired_events, 0u) << trace;
  }
}

std::vector<EventKind> kinds(std::string_view trace) {
  std::vector<EventKind> result;
  for (const Event& e : check(trace, false).events) result.push_back(e.kind);
  return result;
}

TEST(Validator, OnlyTheOutermostPairOfARecursionCounts) {
  using enum EventKind;
  EXPECT_EQ(kinds("T0|acq(m) T0|acq(m) T0|rel(m) T0|rel(m)"), (std::vector{kAcquire, kNothing, kNothing, kRelease}));
  EXPECT_EQ(kinds("T0|racq(m) T0|racq(m) T0|rrel(m) T0|rrel(m)"),
            (std::vector{kReadAcquire, kNothing, kNothing, kReadRelease}));
  EXPECT_EQ(kinds("T0|acq(m) T0|racq(m) T0|rrel(m) T0|rel(m)"), (std::vector{kAcquire, kNothing, kNothing, kRelease}));
}

TEST(Validator, ReleasesInTheModeInWhichTheLockIsHeld) {
  using enum EventKind;
  EXPECT_EQ(kinds("T0|racq(m) T0|rel(m)"), (std::vector{kReadAcquire, kReadRelease}));
  EXPECT_EQ(kinds("T0|acq(m) T0|rrel(m)"), (std::vector{kAcquire, kRelease}));
}

TEST(Validator, AFreedRangeKnowsItsSize) {
  EXPECT_EQ(check("T0|alloc(0x100,24) T0|free(0x100)", false).events.back().size, 24u);
}

}  // namespace
}  // namespace deadheat::test
