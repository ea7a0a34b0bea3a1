// The study of a filter: races with and without it, and the paper's estimate of the best time.
#include "cli/rex_study.h"

#include <gtest/gtest.h>

#include <map>

#include "support/memory_reader.h"

namespace deadheat::cli {
namespace {

std::map<std::string, Stats::Value> study(std::string_view text, bool third_thread = false) {
  AnalysisOptions options;
  options.filter = "rex";
  options.stats = true;
  options.detector_options.rex_third_thread = third_thread;
  const test::TestTrace trace = test::parse_trace(text);
  test::MemoryReader reader(trace);
  Losses losses;
  std::vector<AnalysisResult> results = analyze(reader, rex_study(options), /*lenient=*/false, losses);
  conclude_rex_study(results);
  const auto& entries = results.front().findings.stats.entries();
  return {entries.begin(), entries.end()};
}

// Ten writes race with one, all from two places: one pair. The filter leaves the first of the ten.
TEST(RexStudy, RacesWithAndWithoutTheFilter) {
  std::string text = "T0|fork(T1)|0 T0|w(x)|1 ";
  for (int i = 0; i < 10; ++i) text += "T1|r(y)|2 T1|w(x)|3 T1|w(z)|4 ";
  text += "T0|w(x)|5";
  const auto stats = study(text);
  EXPECT_EQ(std::get<double>(stats.at("filter/redundant accesses/percent")), 100.0 * 27 / 32);
  EXPECT_EQ(std::get<uint64_t>(stats.at("races found/with the filter/total")), 2u);
  EXPECT_EQ(std::get<uint64_t>(stats.at("races found/with the filter/unique")), 2u);
  EXPECT_EQ(std::get<uint64_t>(stats.at("races found/without it/unique")), 2u);
  const auto lost =
      study("T0|begin T1|begin T2|begin T0|acq(m)|0 T0|w(x)|1 T0|rel(m)|0 T1|acq(m)|0 T1|w(x)|1 T2|w(x)|1",
            /*third_thread=*/true);
  EXPECT_EQ(std::get<uint64_t>(lost.at("races found/with the filter/total")), 0u);
  EXPECT_EQ(std::get<uint64_t>(lost.at("races found/without it/total")), 1u);
}

TEST(RexStudy, TheEstimateFollowsFromItsParts) {
  std::vector<AnalysisResult> results(5);
  Stats& stats = results.front().findings.stats;
  stats.add("filter/redundant accesses/percent", 75.0);
  stats.add("time/decode seconds", 2.0);
  results[0].seconds = 10;  // filter and detector
  results[1].seconds = 4;   // filter alone
  results[2].seconds = 1;   // nothing
  results[4].seconds = 30;  // detector alone
  conclude_rex_study(results);
  std::map<std::string, Stats::Value> found(stats.entries().begin(), stats.entries().end());
  EXPECT_EQ(std::get<double>(found.at("estimate of the best time/X - Y + Z (1 - redundancy)")), 6 + 3 * 0.25);
  EXPECT_EQ(std::get<double>(found.at("estimate of the best time/without the filter")), 32.0);
}

}  // namespace
}  // namespace deadheat::cli
