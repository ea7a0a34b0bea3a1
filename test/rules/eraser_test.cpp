// Eraser's machine: the state after each step, a trace for every edge, and what it makes of locks' modes and atomics.
#include "detect/eraser.h"

#include <gtest/gtest.h>

#include <set>

#include "support/steps.h"

namespace deadheat::test {
namespace {

using Edge = EraserMachine::Edge;
using State = EraserMachine::State;

// "Virgin", "Exclusive 0", "Shared {m}", "Shared-Modified {}"; the lock of atomic accesses is `atomic`.
std::string state_text(Steps<Eraser>& steps, std::string_view variable) {
  const Eraser::Var x = steps.variable(variable);
  const auto set = [&] {
    std::string text;
    for (const LockId lock : steps.detector().machine().locksets()[x.C()])
      text += (text.empty() ? "" : ",") +
              (lock == kAtomicLock ? std::string("atomic") : std::string(steps.names().locks[lock]));
    return "{" + text + "}";
  };
  switch (x.state()) {
    case State::kVirgin:
      return "Virgin";
    case State::kExclusive:
      return "Exclusive " + std::string(steps.names().threads[x.owner()]);
    case State::kShared:
      return "Shared " + set();
    case State::kSharedModified:
      break;
  }
  return "Shared-Modified " + set();
}

// The paper's example of the lockset algorithm, for two threads: mu1 protects the first, mu2 the second access.
TEST(Eraser, StateAfterEachStep) {
  Steps<Eraser> steps;
  struct Step {
    std::string_view event, state;
    bool warns = false;
  };
  for (const Step& s : {
           Step{"0|fork(1)", "Virgin"},
           Step{"0|acq(mu1)", "Virgin"},
           Step{"0|w(x)", "Exclusive 0"},
           Step{"0|rel(mu1)", "Exclusive 0"},
           Step{"0|w(x)", "Exclusive 0"},
           Step{"1|acq(mu1)", "Exclusive 0"},
           Step{"1|acq(mu2)", "Exclusive 0"},
           Step{"1|r(x)", "Shared {mu1,mu2}"},
           Step{"1|rel(mu1)", "Shared {mu1,mu2}"},
           Step{"1|r(x)", "Shared {mu2}"},
           Step{"1|w(x)", "Shared-Modified {mu2}"},
           Step{"1|rel(mu2)", "Shared-Modified {mu2}"},
           Step{"0|acq(mu1)", "Shared-Modified {mu2}"},
           Step{"0|r(x)", "Shared-Modified {}", true},
           Step{"0|acq(mu2)", "Shared-Modified {}"},
           Step{"0|r(x)", "Shared-Modified {}", true},
       }) {
    EXPECT_EQ(steps.run(s.event).is_race, s.warns) << s.event;
    EXPECT_EQ(state_text(steps, "x"), s.state) << s.event;
  }
}

struct EdgeRow {
  std::string_view trace;  // the last event is the one that counts
  Edge edge;
  std::string_view state;
  bool warns = false;
};
constexpr EdgeRow kRows[] = {
    {"0|r(x)", Edge::kFirstAccess, "Exclusive 0"},
    {"0|w(x)", Edge::kFirstAccess, "Exclusive 0"},
    {"0|w(x) 0|r(x)", Edge::kSameThread, "Exclusive 0"},
    {"0|r(x) 0|w(x)", Edge::kSameThread, "Exclusive 0"},
    {"0|w(x) 1|acq(m) 1|r(x)", Edge::kShare, "Shared {m}"},
    {"0|w(x) 1|r(x)", Edge::kShare, "Shared {}"},
    {"0|w(x) 1|acq(m) 1|w(x)", Edge::kShareModified, "Shared-Modified {m}"},
    {"0|w(x) 1|w(x)", Edge::kShareModified, "Shared-Modified {}", true},
    {"0|w(x) 1|r(x) 0|r(x)", Edge::kReadShared, "Shared {}"},
    {"0|w(x) 1|acq(m) 1|r(x) 1|rel(m) 0|r(x)", Edge::kReadShared, "Shared {}"},
    {"0|w(x) 1|acq(m) 1|r(x) 1|w(x)", Edge::kModify, "Shared-Modified {m}"},
    {"0|w(x) 1|r(x) 0|acq(m) 0|w(x)", Edge::kModify, "Shared-Modified {}", true},
    {"0|w(x) 1|acq(m) 1|w(x) 1|rel(m) 0|acq(m) 0|r(x)", Edge::kSharedModified, "Shared-Modified {m}"},
    {"0|w(x) 1|acq(m) 1|w(x) 1|rel(m) 0|r(x)", Edge::kSharedModified, "Shared-Modified {}", true},
    // A lock held as a reader protects reads, and no write.
    {"0|w(x) 1|racq(m) 1|r(x)", Edge::kShare, "Shared {m}"},
    {"0|w(x) 1|racq(m) 1|r(x) 1|rrel(m) 1|r(x)", Edge::kReadShared, "Shared {}"},
    {"0|w(x) 1|racq(m) 1|w(x)", Edge::kShareModified, "Shared-Modified {}", true},
    {"0|w(x) 1|acq(m) 1|w(x) 1|rel(m) 0|racq(m) 0|r(x)", Edge::kSharedModified, "Shared-Modified {m}"},
    {"0|w(x) 1|acq(m) 1|w(x) 1|rel(m) 0|racq(m) 0|w(x)", Edge::kSharedModified, "Shared-Modified {}", true},
    // Atomic accesses need no lock against each other, but one in common with plain ones.
    {"0|w(x) 1|ld(x,relaxed)", Edge::kShare, "Shared {atomic}"},
    {"0|st(x,relaxed) 1|st(x,relaxed)", Edge::kShareModified, "Shared-Modified {atomic}"},
    {"0|st(x,relaxed) 1|acq(m) 1|st(x,relaxed) 0|ld(x,relaxed)", Edge::kSharedModified, "Shared-Modified {atomic}"},
    {"0|st(x,relaxed) 1|st(x,relaxed) 0|r(x)", Edge::kSharedModified, "Shared-Modified {}", true},
    {"0|vw(x) 1|acq(m) 1|vw(x) 1|rel(m) 0|acq(m) 0|w(x)", Edge::kSharedModified, "Shared-Modified {m}"},
    // What orders threads does not matter.
    {"0|w(x) 0|fork(1) 1|w(x)", Edge::kShareModified, "Shared-Modified {}", true},
    {"0|fork(1) 1|w(x) 0|join(1) 0|w(x)", Edge::kShareModified, "Shared-Modified {}", true},
};

TEST(Eraser, EveryRow) {
  for (const EdgeRow& row : kRows) {
    Steps<Eraser> steps;
    const Outcome outcome = steps.run(row.trace);
    EXPECT_EQ(static_cast<Edge>(outcome.rule), row.edge) << row.trace;
    EXPECT_EQ(outcome.is_race, row.warns) << row.trace;
    EXPECT_EQ(state_text(steps, "x"), row.state) << row.trace;
  }
}

TEST(Eraser, EveryEdgeHasARow) {
  std::set<Edge> seen;
  for (const EdgeRow& row : kRows) seen.insert(row.edge);
  EXPECT_EQ(seen.size(), size_t{EraserMachine::kEdgeCount});
}

TEST(Eraser, AFreeIsAWrite) {
  Steps<Eraser> steps;
  steps.run("0|w(x) 1|r(x)");
  EXPECT_TRUE(steps.detector().access({steps.thread("0"), AccessKind::kFree}, steps.variable("x")).is_race);
  EXPECT_EQ(state_text(steps, "x"), "Shared-Modified {}");
}

// Locksets that nobody holds any more, until the table has swept more than once.
void sweep(Eraser& eraser) {
  for (uint32_t i = 100; i < 5000; ++i)
    for (const EventKind kind : {EventKind::kAcquire, EventKind::kRelease})
      eraser.sync({.target = i, .thread = ThreadId{7}, .kind = kind});
}

// x was just shared, y was refined, z is the copy of a variable that is gone: only variables refer to these sets.
TEST(Eraser, VariablesKeepTheirLocksets) {
  Steps<Eraser> steps;
  steps.run("0|w(x) 0|w(y) 0|w(z) 1|acq(m) 1|acq(n) 1|w(x) 1|rel(m) 1|acq(k) 1|w(z) 1|rel(k) 1|rel(n)");
  steps.run("1|acq(m) 1|acq(n) 1|acq(k) 1|w(y) 1|rel(n) 1|w(y) 1|rel(k) 1|rel(m)");
  const Eraser::Var copy = steps.detector().clone(steps.variable("z"));
  steps.detector().forget(steps.variable("z"));
  EXPECT_EQ(state_text(steps, "z"), "Virgin");
  sweep(steps.detector());
  EXPECT_EQ(state_text(steps, "x"), "Shared-Modified {m,n}");
  EXPECT_EQ(state_text(steps, "y"), "Shared-Modified {m,k}");
  EXPECT_LE(steps.detector().machine().locksets().size(), 1100u);  // what threads held is gone
  steps.variable("z") = copy;
  EXPECT_EQ(state_text(steps, "z"), "Shared-Modified {n,k}");
}

// Ever new pairs of locks protect ever new variables that are then forgotten: the table does not grow with them.
TEST(Eraser, LocksetsStayBounded) {
  Arena arena;
  Eraser eraser(arena);
  size_t most = 0;
  for (uint32_t i = 0; i < 200000; ++i) {
    const auto lock = [&](EventKind kind, uint32_t id) {
      eraser.sync({.target = id, .thread = ThreadId{1}, .kind = kind});
    };
    Eraser::Var x;
    lock(EventKind::kAcquire, i);
    lock(EventKind::kAcquire, i + 1);
    eraser.access({ThreadId{0}, AccessKind::kWrite}, x);
    eraser.access({ThreadId{1}, AccessKind::kWrite}, x);
    lock(EventKind::kRelease, i);
    eraser.access({ThreadId{1}, AccessKind::kWrite}, x);  // C is refined: {i + 1}
    lock(EventKind::kRelease, i + 1);
    eraser.forget(x);
    most = std::max(most, size_t{eraser.machine().locksets().size()});
  }
  EXPECT_LE(most, 1100u);
}

}  // namespace
}  // namespace deadheat::test
