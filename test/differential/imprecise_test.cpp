// What the imprecise detectors promise, as relations on random traces.
#include <gtest/gtest.h>

#include <set>

#include "differential/trace_random.h"
#include "engine/analysis.h"
#include "support/memory_reader.h"

namespace deadheat::test {
namespace {

std::vector<ReportedRace> races(const TestTrace& trace, const std::string& detector, bool all, unsigned jobs) {
  AnalysisOptions options;
  options.detector = detector;
  options.all = all;
  options.jobs = jobs;
  MemoryReader reader(trace);
  Losses losses;
  return analyze(reader, {&options, 1}, /*lenient=*/false, losses).front().findings.races;
}

// Each byte or variable at each access that was found racing there.
using Accesses = std::set<std::pair<std::string, uint64_t>>;
Accesses racing_accesses(const TestTrace& trace, const std::string& detector) {
  Accesses found;
  for (const ReportedRace& race : races(trace, detector, /*all=*/true, /*jobs=*/1)) {
    const size_t colon = race.variable.find(':');
    if (!race.variable.starts_with("0x") || colon == std::string::npos) {
      found.emplace(race.variable, race.second.event);
      continue;
    }
    const uint64_t first = std::stoull(race.variable, nullptr, 16);
    for (uint64_t i = 0; i < std::stoull(race.variable.substr(colon + 1)); ++i)
      found.emplace(std::to_string(first + i), race.second.event);
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

bool same(const ReportedAccess& a, const ReportedAccess& b) { return a.event == b.event && a.thread == b.thread; }
bool same(const ReportedRace& a, const ReportedRace& b) {
  return a.variable == b.variable && a.rank == b.rank && same(a.second, b.second) &&
         a.first.has_value() == b.first.has_value() && (!a.first || same(*a.first, *b.first)) &&
         std::equal(a.more.begin(), a.more.end(), b.more.begin(), b.more.end(),
                    [](const ReportedAccess& x, const ReportedAccess& y) { return same(x, y); });
}

TEST(ImpreciseDetectors, TheNumberOfJobsDoesNotMatter) {
  for (const std::string detector : {"eraser", "multirace", "racetrack"}) {
    size_t found = 0;
    for (uint64_t seed = 0; seed < 150; ++seed) {
      const TestTrace trace = random_trace(seed);
      const std::vector<ReportedRace> alone = races(trace, detector, /*all=*/false, 1);
      const std::vector<ReportedRace> shared = races(trace, detector, /*all=*/false, 3);
      ASSERT_TRUE(std::equal(alone.begin(), alone.end(), shared.begin(), shared.end(),
                             [](const ReportedRace& a, const ReportedRace& b) { return same(a, b); }))
          << detector << ", seed " << seed << "\n"
          << to_text(trace);
      found += alone.size();
    }
    EXPECT_GT(found, 100u) << detector;
  }
}

}  // namespace
}  // namespace deadheat::test
