// The enumeration and the generator: they make what they say, all of it, and enough of both racy and ordered places.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <set>

#include "differential/oracle.h"
#include "differential/trace_random.h"
#include "differential/trace_space.h"
#include "differential/well_formed.h"

namespace deadheat::test {
namespace {

std::set<std::string> all_traces(const TraceSpace& space, size_t length) {
  std::set<std::string> texts;
  for_each_trace(space, length, [&](const TestTrace& trace) {
    EXPECT_TRUE(is_well_formed(trace)) << to_text(trace);
    EXPECT_TRUE(texts.insert(to_text(trace)).second) << "twice: " << to_text(trace);
  });
  return texts;
}

const TraceSpace& space_named(std::string_view name) {
  for (const TraceSpace& space : trace_spaces())
    if (space.name == name) return space;
  throw std::out_of_range(std::string(name));
}

TEST(TraceSpace, MakesEveryTraceOnce) {
  // Counted by hand: T0 does r or w of x; then T0 or T1 does r or w of x or y: 2 * 2 * 2 * 2.
  EXPECT_EQ(all_traces(space_named("volatiles"), 1).size(), 4u);
  EXPECT_EQ(all_traces(space_named("volatiles"), 2).size(), 4u * 2 * 4 * 2);
  // T0 enters; it leaves or T1 enters; who may leave does so or the next one enters; a read or a write by one of three.
  const std::set<std::string> barriers = all_traces(space_named("barriers after a write"), 2);
  EXPECT_EQ(barriers.size(), 2u * 2 * 2 + 2);
  for (const TraceSpace& space : trace_spaces()) EXPECT_FALSE(all_traces(space, 3).empty()) << space.name;
}

TEST(TraceSpace, CoversEveryKindOfEvent) {
  std::set<EventKind> seen;
  for (const TraceSpace& space : trace_spaces())
    for (const Event& letter : space.letters) seen.insert(letter.kind);
  for (const EventKindInfo& kind : kEventKinds)
    EXPECT_TRUE(seen.contains(kind.kind) || kind.kind == EventKind::kNothing) << kind.notation;
}

TEST(TracePacker, KeepsTracesApart) {
  const TraceSpace& space = space_named("blocks of bytes");
  TracePacker packer(space, 10);
  size_t races = 0;
  for_each_trace(space, 3, [&](const TestTrace& trace) {
    if (packer.full()) return;
    races += Oracle(trace).first_races().size();
    packer.add(trace);
  });
  EXPECT_TRUE(packer.full());
  EXPECT_TRUE(is_well_formed(packer.packed()));
  EXPECT_EQ(Oracle(packer.packed()).first_races().size(), races);
}

TEST(RandomTrace, IsWellFormedAndTheSameForTheSameSeed) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const TestTrace trace = random_trace(seed);
    EXPECT_TRUE(is_well_formed(trace)) << seed;
    EXPECT_GE(trace.events.size(), 8u) << seed;
    EXPECT_EQ(to_text(trace), to_text(random_trace(seed))) << seed;
  }
}

// A generator that makes only racy or only ordered places would show little, whatever the detectors do with it.
TEST(RandomTrace, HasAGoodShareOfRacesAndAllKindsOfEvents) {
  std::set<EventKind> seen;
  size_t places = 0, racy = 0, most_threads = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const TestTrace trace = random_trace(seed);
    const Oracle oracle(trace);
    places += oracle.accessed_places();
    racy += oracle.first_races().size();
    std::set<ThreadId> threads;
    for (const Event& event : trace.events) {
      seen.insert(event.kind);
      threads.insert(event.thread);
    }
    most_threads = std::max(most_threads, threads.size());
  }
  const double share = static_cast<double>(racy) / static_cast<double>(places);
  EXPECT_GT(share, 0.3);
  EXPECT_LT(share, 0.7);
  EXPECT_GT(most_threads, 200u);
  for (const EventKindInfo& kind : kEventKinds)
    EXPECT_TRUE(seen.contains(kind.kind) || kind.kind == EventKind::kNothing) << kind.notation;
}

}  // namespace
}  // namespace deadheat::test
