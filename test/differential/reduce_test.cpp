// A trace reduced to its racy places has the same races: for every precise detector, on random traces.
//
// DEADHEAT_SEEDS=first-last chooses the seeds.
#include "engine/reduce.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cstdlib>
#include <set>

#include "differential/trace_random.h"
#include "engine/analysis.h"
#include "support/memory_reader.h"

namespace deadheat::test {
namespace {

std::unique_ptr<RacyReader> reduced(const TestTrace& trace, size_t batch = 4096) {
  Losses losses;
  MemoryReader first(trace, batch);
  return std::make_unique<RacyReader>(std::make_unique<MemoryReader>(trace, batch),
                                      RacyPlaces::find(first, /*lenient=*/false, losses));
}

// "V 12 17": a variable, or a byte, and the locations of a race on it; or the variable alone.
std::set<std::string> races(const Findings& findings, bool with_locations) {
  std::set<std::string> told;
  for (const Finding& race : findings.races) {
    const std::string pair =
        with_locations ? fmt::format(" {} {}", race.earlier()->location(), race.sides[0].location()) : "";
    const std::string variable(race.memory.name);
    const size_t colon = variable.find(':');
    if (!variable.starts_with("0x") || colon == std::string::npos) {
      told.insert(variable + pair);
      continue;
    }
    uint64_t address = 0, size = 0;
    std::from_chars(variable.data() + 2, variable.data() + colon, address, 16);
    std::from_chars(variable.data() + colon + 1, variable.data() + variable.size(), size);
    for (uint64_t i = 0; i < size; ++i) told.insert(fmt::format("{:#x}{}", address + i, pair));
  }
  return told;
}

std::vector<AnalysisOptions> precise_analyses() {
  std::vector<AnalysisOptions> analyses;
  for (const DetectorInfo& detector : detectors())
    for (const bool all : {false, true}) {
      AnalysisOptions options;
      options.detector = detector.name;
      options.all = all;
      if (detector.precise) analyses.push_back(options);
    }
  return analyses;
}

TEST(Reduce, EveryPreciseDetectorFindsTheSameRaces) {
  uint64_t first = 0, last = 1'500;
  if (const char* seeds = std::getenv("DEADHEAT_SEEDS"); seeds != nullptr) {
    char* end = nullptr;
    first = last = std::strtoull(seeds, &end, 10);
    if (*end == '-') last = std::strtoull(end + 1, nullptr, 10);
  }
  const std::vector<AnalysisOptions> analyses = precise_analyses();
  uint64_t events = 0, left = 0;
  for (uint64_t seed = first; seed <= last; ++seed) {
    const TestTrace trace = random_trace(seed);
    MemoryReader whole(trace);
    const auto part = reduced(trace, seed % 8 == 0 ? 5 : 4096);
    Losses losses;
    const auto of_whole = analyze(whole, analyses, /*lenient=*/false, losses);
    const auto of_part = analyze(*part, analyses, /*lenient=*/false, losses);
    for (size_t i = 0; i < analyses.size(); ++i) {
      // SlimState promises no certain pair.
      const bool with_locations = analyses[i].detector != "slimstate";
      ASSERT_EQ(races(of_part[i].findings, with_locations), races(of_whole[i].findings, with_locations))
          << analyses[i].detector << "; repeat with DEADHEAT_SEEDS=" << seed
          << " build/bin/differential_tests --gtest_filter=Reduce.*\n"
          << to_text(trace);
    }
    events += of_whole.front().findings.trace.events;
    left += of_part.front().findings.trace.events;
  }
  EXPECT_LT(left, events);
}

std::string text_of(TraceReader& reader) {
  std::string text;
  Batch batch;
  while (reader.next(batch))
    for (const Event& e : batch.events)
      text += fmt::format("{}{}|{}", text.empty() ? "" : " ", reader.names().threads[e.thread], info(e.kind).notation);
  return text;
}

TEST(Reduce, KeepsWhatOrdersAndThePlacesThatRace) {
  const TestTrace trace = parse_trace(
      "T0|fork(T1) T1|w(y) T0|w(x) T0|acq(m) T0|w(y2) T0|rel(m) T1|st(f,release) T1|r(x) T1|w(0x100:8) T0|r(0x106:4) "
      "T0|r(0x108:2) T0|r(0x110:2) T0|alloc(0x200,64) T0|w(0x200:4)");
  const auto reader = reduced(trace);
  EXPECT_EQ(text_of(*reader), "T0|fork T1|begin T0|w T0|acq T0|rel T1|st T1|r T1|w T0|r T0|alloc");
  EXPECT_EQ(reader->names().variables.size(), 2u);  // x and f
}

TEST(Reduce, BytesThatOverlapRacyOnesStay) {
  const TestTrace trace =
      parse_trace("T0|fork(T1) T0|w(0x10:4) T1|w(0x12:1) T0|r(0x13:1) T0|r(0x11:1) T0|r(0xf:4) T0|r(0x12:1)");
  EXPECT_EQ(text_of(*reduced(trace)), "T0|fork T0|w T1|w T0|r T0|r");
}

}  // namespace
}  // namespace deadheat::test
