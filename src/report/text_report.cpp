#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <unordered_set>

#include "report/parts.h"
#include "report/report.h"

namespace deadheat {

namespace {

// "an atomic read by T2"
std::string described(const ReportedAccess& access) {
  if (access.op == "atomic-read") return fmt::format("an atomic read by {}", access.thread);
  if (access.op == "atomic-write") return fmt::format("an atomic write by {}", access.thread);
  return fmt::format("a {} by {}", access.op, access.thread);
}

void write_access(std::string_view which, const ReportedAccess& access, std::FILE* out) {
  put(out, fmt::format("  {:<7} {:<12} {}, event {}{}{}\n", which, access.op, access.thread, access.event,
                       access.location.empty() ? "" : ", at ", access.location));
}

void write_race(const Findings& findings, const ReportedRace& race, std::FILE* out) {
  put(out, fmt::format("{} on {}", findings.precise ? "Race" : "Warning", race.variable));
  if (race.rank != 0) put(out, fmt::format(" (rank {})", race.rank));
  if (race.first) {
    put(out, fmt::format(": {} and {}, and nothing orders the two\n", described(*race.first), described(race.second)));
    write_access("first", *race.first, out);
  } else {
    put(out, fmt::format(": {}; {} does not know which earlier access it conflicts with\n", described(race.second),
                         findings.detector));
  }
  write_access("second", race.second, out);
  for (const ReportedAccess& access : race.more) write_access("later", access, out);
  put(out, "\n");
}

std::string summary(const Findings& findings) {
  std::unordered_set<std::string_view> variables;
  for (const ReportedRace& race : findings.races) variables.insert(race.variable);
  const std::string_view one = findings.precise ? "race" : "warning";
  const std::string_view many = findings.precise ? "races" : "warnings";
  std::string text = findings.races.empty() ? fmt::format("No {}", many) : counted(findings.races.size(), one, many);
  if (variables.size() < findings.races.size())
    text += fmt::format(" on {}", counted(variables.size(), "variable", "variables"));
  text += fmt::format(" in {}, says {}", counts_text(findings.trace), findings.detector);
  if (!findings.filter.empty()) text += fmt::format(" behind {}", findings.filter);
  return text + ".\n";
}

std::string value_text(const Stats::Value& value) {
  if (const auto* number = std::get_if<uint64_t>(&value)) return fmt::format("{}", *number);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:.3f}", *number);
  return std::get<std::string>(value);
}

// Paths as an indented tree; a heading is printed when it first differs from the entry before.
void write_stats(const Stats& stats, std::FILE* out) {
  size_t width = 0;
  for (const auto& [path, value] : stats.entries()) {
    const size_t depth = static_cast<size_t>(std::count(path.begin(), path.end(), '/'));
    width = std::max(width, 2 * depth + path.size() - (path.rfind('/') + 1));
  }
  put(out, "Statistics\n");
  std::string_view before;
  for (const auto& [path, value] : stats.entries()) {
    size_t depth = 0;
    size_t begin = 0;
    bool is_same = true;  // so far the headings are those of the entry before
    for (size_t slash; (slash = path.find('/', begin)) != std::string::npos; begin = slash + 1, ++depth) {
      is_same = is_same && before.substr(0, slash + 1) == std::string_view(path).substr(0, slash + 1);
      if (!is_same) put(out, fmt::format("  {:{}}{}\n", "", 2 * depth, path.substr(begin, slash - begin)));
    }
    const std::string label = fmt::format("{:{}}{}", "", 2 * depth, path.substr(begin));
    put(out, fmt::format("  {:<{}}  {}\n", label, width, value_text(value)));
    before = path;
  }
  put(out, "\n");
}

}  // namespace

void write_text_report(const Findings& findings, std::FILE* out) {
  for (const ReportedRace& race : findings.races) write_race(findings, race, out);
  if (!findings.stats.entries().empty()) write_stats(findings.stats, out);
  put(out, summary(findings));
}

}  // namespace deadheat
