#include "report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/version.h"
#include "report/parts.h"

namespace deadheat {

namespace {

// What a detector says of a trace: for each racy variable the event that completes its first race.
using Verdict = std::map<std::string, uint64_t>;

// The name of the variable; memory of a recorded program that has none is its bytes.
std::string name_of(const Finding& race) {
  if (!race.memory.name.empty()) return std::string(race.memory.name);
  return fmt::format("{:#x}:{}", race.both_begin, race.both_end - race.both_begin);
}

Verdict verdict(const ComparedRun& run) {
  Verdict verdict;
  for (const Finding& race : run.findings.races) verdict.emplace(name_of(race), race.sides[0].event);
  return verdict;
}

// For each run the names of the others that agree with it.
std::vector<std::vector<std::string>> agreements(std::span<const ComparedRun> runs) {
  std::vector<Verdict> verdicts;
  for (const ComparedRun& run : runs) verdicts.push_back(verdict(run));
  std::vector<std::vector<std::string>> agreeing(runs.size());
  for (size_t i = 0; i < runs.size(); ++i)
    for (size_t j = 0; j < runs.size(); ++j)
      if (i != j && verdicts[i] == verdicts[j]) agreeing[i].push_back(runs[j].findings.detector);
  return agreeing;
}

std::string time_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.1f} ms", seconds * 1e3) : fmt::format("{:.2f} s", seconds);
}

std::string memory_text(size_t bytes) {
  const double kib = static_cast<double>(bytes) / 1024;
  return kib < 1024 ? fmt::format("{:.1f} KiB", kib) : fmt::format("{:.1f} MiB", kib / 1024);
}

// The variables that only one of two runs names, at most a few of them.
std::string names_beyond(const Verdict& a, const Verdict& b) {
  constexpr size_t kShown = 5;
  std::vector<std::string_view> names;
  for (const auto& [name, event] : a)
    if (!b.contains(name)) names.push_back(name);
  if (names.empty()) return {};
  const size_t shown = std::min(names.size(), kShown);
  std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<ptrdiff_t>(shown), ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

// How each imprecise detector differs from the precise ones, in words.
void write_differences(std::span<const ComparedRun> runs, std::FILE* out) {
  const auto precise = std::find_if(runs.begin(), runs.end(), [](const ComparedRun& r) { return r.findings.precise; });
  if (precise == runs.end()) return;
  const Verdict exact = verdict(*precise);
  for (const ComparedRun& run : runs) {
    const Verdict said = verdict(run);
    if (const std::string extra = names_beyond(said, exact); !extra.empty())
      put(out, fmt::format("{} also warns on {}\n", run.findings.detector, extra));
    if (const std::string missed = names_beyond(exact, said); !missed.empty())
      put(out, fmt::format("{} misses {}\n", run.findings.detector, missed));
  }
}

}  // namespace

void write_text_comparison(std::span<const ComparedRun> runs, std::FILE* out) {
  if (runs.empty()) return;
  put(out, fmt::format("{}\n\n", counts_text(runs.front().findings.trace)));
  size_t width = 8;
  for (const ComparedRun& run : runs) width = std::max(width, run.findings.detector.size());
  put(out, fmt::format("{:<{}}  precise  {:>10}  {:>11}  {:>9}  agrees with\n", "detector", width, "time", "memory",
                       "races"));
  const auto agreeing = agreements(runs);
  for (size_t i = 0; i < runs.size(); ++i) {
    const ComparedRun& run = runs[i];
    put(out, fmt::format("{:<{}}  {:<7}  {:>10}  {:>11}  {:>9}  {}\n", run.findings.detector, width,
                         run.findings.precise ? "yes" : "no", time_text(run.seconds), memory_text(run.memory_bytes),
                         run.findings.races.size(),
                         agreeing[i].empty() ? "-" : fmt::format("{}", fmt::join(agreeing[i], ", "))));
  }
  put(out, "\n");
  write_differences(runs, out);
  put(out, "Time is CPU time in the detector; decoding the trace, done once for all, is not in it.\n");
}

void write_json_comparison(std::span<const ComparedRun> runs, std::FILE* out) {
  const TraceCounts trace = runs.empty() ? TraceCounts{} : runs.front().findings.trace;
  put(out, R"({"tool":"deadheat","version":)" + dump(kVersion) + ",\n");
  put(out, R"( "trace":)" + dump(counts_json(trace)) + ",\n");
  put(out, R"( "detectors":[)");
  const auto agreeing = agreements(runs);
  for (size_t i = 0; i < runs.size(); ++i) {
    const ComparedRun& run = runs[i];
    const Json row = {
        {"detector", run.findings.detector}, {"precise", run.findings.precise},    {"seconds", run.seconds},
        {"memory_bytes", run.memory_bytes},  {"races", run.findings.races.size()}, {"agrees_with", agreeing[i]}};
    put(out, (i == 0 ? "\n  " : ",\n  ") + dump(row));
  }
  put(out, "]}\n");
}

}  // namespace deadheat
