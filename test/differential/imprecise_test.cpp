// What the imprecise detectors promise, as relations on random traces.
#include <gtest/gtest.h>

#include <set>

#include "differential/trace_random.h"
#include "engine/analysis.h"
#include "support/memory_reader.h"

namespace deadheat::test {
namespace {

Findings races(const TestTrace& trace, const std::string& detector, bool all, unsigned jobs) {
  AnalysisOptions options;
  options.detector = detector;
  options.all = all;
  options.jobs = jobs;
  MemoryReader reader(trace);
  Losses losses;
  return analyze(reader, {&options, 1}, /*lenient=*/false, losses).front().findings;
}

// Each byte or variable at each access that was found racing there.
using Accesses = std::set<std::pair<std::string, uint64_t>>;
Accesses racing_accesses(const TestTrace& trace, const std::string& detector) {
  Accesses found;
  const Findings all = races(trace, detector, /*all=*/true, /*jobs=*/1);
  for (const Finding& race : all.races) {
    const std::string variable(race.memory.name);
    const size_t colon = variable.find(':');
    if (!variable.starts_with("0x") || colon == std::string::npos) {
      found.emplace(variable, race.sides[0].event);
      continue;
    }
    const uint64_t first = std::stoull(variable, nullptr, 16);
    for (uint64_t i = 0; i < std::stoull(variable.substr(colon + 1)); ++i)
      found.emplace(std::to_string(first + i), race.sides[0].event);
  }
  return found;
}

TEST(MultiRaceRelation, EveryWarningIsARaceOfDjit) {
  size_t warnings = 0, missed = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    const TestTrace trace = random_trace(seed);
    const Accesses multirace = racing_accesses(trace, "multirace");
    const Accesses djit = racing_accesses(trace, "djit+");
    for (const auto& access : multirace)
      ASSERT_TRUE(djit.contains(access)) << "seed " << seed << ": " << access.first << " at event " << access.second
                                         << "\n"
                                         << to_text(trace);
    warnings += multirace.size();
    missed += djit.size() - multirace.size();
  }
  EXPECT_GT(warnings, 1000u);
  EXPECT_GT(missed, 100u);  // else this would be DJIT+
}

bool same(const Finding& a, const Finding& b) {
  return a.memory.name == b.memory.name && a.rank == b.rank &&
         std::equal(a.sides.begin(), a.sides.end(), b.sides.begin(), b.sides.end(), [](const Side& x, const Side& y) {
           return x.kind == y.kind && x.event == y.event && x.thread_name == y.thread_name;
         });
}

TEST(ImpreciseDetectors, TheNumberOfJobsDoesNotMatter) {
  for (const std::string detector : {"eraser", "multirace", "racetrack"}) {
    size_t found = 0;
    for (uint64_t seed = 0; seed < 150; ++seed) {
      const TestTrace trace = random_trace(seed);
      const Findings alone = races(trace, detector, /*all=*/false, 1);
      const Findings shared = races(trace, detector, /*all=*/false, 3);
      ASSERT_TRUE(std::equal(alone.races.begin(), alone.races.end(), shared.races.begin(), shared.races.end(), same))
          << detector << ", seed " << seed << "\n"
          << to_text(trace);
      found += alone.races.size();
    }
    EXPECT_GT(found, 100u) << detector;
  }
}

}  // namespace
}  // namespace deadheat::test
