// The order that RaceTrack knows: the clocks after each kind of event.
#include "detect/racetrack_order.h"

#include <gtest/gtest.h>

#include "detect/racetrack.h"
#include "support/steps.h"

namespace deadheat::test {
namespace {

// "0:2,1:1", by the names of threads, which are in the order of their first appearance.
std::string clock_of(Steps<RaceTrack>& steps, std::string_view thread) {
  std::string text;
  for (const BoundedClock::Entry& entry : steps.detector().machine().order().B(steps.thread(thread)))
    text += (text.empty() ? "" : ",") + std::string(steps.names().threads[entry.thread]) + ":" +
            std::to_string(entry.clock);
  return text;
}

struct Row {
  std::string_view trace, B0, B1;
};
constexpr Row kRows[] = {
    {"0|begin 1|begin", "0:1", "1:1"},
    {"0|fork(1)", "0:2", "0:1,1:1"},
    {"0|fork(1) 1|fork(2) 0|join(2)", "0:2,1:1,2:1", "0:1,1:2"},
    {"0|fork(1) 1|fork(2) 0|gone(2)", "0:2,1:1,2:1", "0:1,1:2"},
    // Several notifications may be what a wait answers; a wait alone is nothing.
    {"0|notify(c) 1|wait(c)", "0:2", "0:1,1:1"},
    {"1|wait(c) 0|notify(c)", "0:2", "1:1"},
    {"0|notify(c) 0|notify(c) 1|wait(c)", "0:3", "0:2,1:1"},
    {"0|notify(c) 1|wait(d)", "0:2", "1:1"},
    {"0|snd(q) 1|rcv(q)", "0:2", "0:1,1:1"},
    {"0|post(s) 1|swait(s)", "0:2", "0:1,1:1"},
    {"0|benter(b) 1|benter(b) 0|bleave(b)", "0:2,1:1", "1:2"},
    // A slow leaver does not learn what the other did after the barrier.
    {"0|benter(b) 1|benter(b) 0|bleave(b) 0|benter(b) 1|bleave(b)", "0:3,1:1", "0:1,1:2"},
    // Locks, atomics and fences order nothing.
    {"0|acq(m) 0|rel(m) 1|acq(m)", "0:1", "1:1"},
    {"0|st(x,release) 1|ld(x,acquire)", "0:1", "1:1"},
    {"0|vw(x) 1|vr(x)", "0:1", "1:1"},
    {"0|fence(release) 1|fence(acquire)", "0:1", "1:1"},
};

TEST(RaceTrackOrder, EveryRow) {
  for (const Row& row : kRows) {
    Steps<RaceTrack> steps;
    steps.thread("0");
    steps.thread("1");
    steps.run(row.trace);
    EXPECT_EQ(clock_of(steps, "0"), row.B0) << row.trace;
    EXPECT_EQ(clock_of(steps, "1"), row.B1) << row.trace;
  }
}

}  // namespace
}  // namespace deadheat::test
