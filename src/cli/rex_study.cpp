#include "cli/rex_study.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "race/code_place.h"

namespace deadheat::cli {

namespace {

enum Way { kFiltered, kFilterAlone, kStreamAlone, kAllFiltered, kAllUnfiltered, kWays };

uint64_t unique_races(const Findings& findings) {
  std::set<PlacePair> pairs;
  for (const Finding& race : findings.races) pairs.insert(places_of(race));
  return pairs.size();
}

double number(const Stats& stats, std::string_view path) {
  for (const auto& [known, value] : stats.entries())
    if (known == path) return std::get<double>(value);
  return 0;
}

}  // namespace

std::vector<AnalysisOptions> rex_study(const AnalysisOptions& filtered) {
  std::vector<AnalysisOptions> ways(kWays, filtered);
  ways[kFilterAlone].detector = ways[kStreamAlone].detector = "empty";
  ways[kStreamAlone].filter = ways[kAllUnfiltered].filter = "";
  ways[kAllFiltered].all = ways[kAllUnfiltered].all = true;
  return ways;
}

void conclude_rex_study(std::span<AnalysisResult> results) {
  Stats& stats = results[kFiltered].findings.stats;
  const double decode = number(stats, "time/decode seconds");
  const double redundancy = number(stats, "filter/redundant accesses/percent") / 100;
  const double X = decode + results[kFiltered].seconds;
  const double Y = decode + results[kFilterAlone].seconds;
  const double Z = decode + results[kStreamAlone].seconds;
  for (const auto& [label, way] : {std::pair("with the filter", kAllFiltered), {"without it", kAllUnfiltered}}) {
    const std::string row = std::string("races found/") + label;
    stats.add(row + "/total", uint64_t{results[way].findings.races.size()});
    stats.add(row + "/unique", unique_races(results[way].findings));
  }
  stats.add("estimate of the best time/stream, filter and detector: X", X);
  stats.add("estimate of the best time/stream and filter: Y", Y);
  stats.add("estimate of the best time/stream alone: Z", Z);
  // Times are measured: X may seem less than Y where the detector has next to nothing to do.
  stats.add("estimate of the best time/X - Y + Z (1 - redundancy)", std::max(0.0, X - Y) + Z * (1 - redundancy));
  stats.add("estimate of the best time/without the filter", decode + results[kAllUnfiltered].seconds);
}

}  // namespace deadheat::cli
