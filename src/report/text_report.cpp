#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "race/code_place.h"
#include "report/parts.h"
#include "report/report.h"

namespace deadheat {

namespace {

std::string summary(const Findings& findings) {
  std::set<VariableKey> names;
  uint64_t races = 0;
  for (const Finding& race : findings.races) {
    races += race.races;
    names.insert(variable_of(race));
  }
  const uint64_t variables = findings.variables != 0 ? findings.variables : names.size();
  const std::string_view one = findings.precise ? "race" : "warning";
  const std::string_view many = findings.precise ? "races" : "warnings";
  std::string text = races == 0 ? fmt::format("No {}", many) : counted(races, one, many);
  if (findings.races.size() < races) text = counted(findings.races.size(), "report", "reports") + " of " + text;
  if (variables < races) text += fmt::format(" on {}", counted(variables, "variable", "variables"));
  text += fmt::format(" in {}, says {}", counts_text(findings.trace), findings.detector);
  if (!findings.filter.empty()) text += fmt::format(" behind {}", findings.filter);
  if (findings.suppressed != 0) text += fmt::format("; {} suppressed", findings.suppressed);
  return text + ".\n";
}

std::string value_text(const Stats::Value& value) {
  if (const auto* number = std::get_if<uint64_t>(&value)) return fmt::format("{}", *number);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:.3f}", *number);
  return std::get<std::string>(value);
}

// A section of statistics: the entries whose paths share what stands before the first slash. "rules/read shared/count"
// is a cell of a table, in the row "read shared" and the column "count"; "memory/peak bytes" is a row of its own.
struct Section {
  std::string title;
  std::vector<std::string> columns = {""};                             // of the tables; "" for a plain value
  std::vector<std::pair<std::string, std::vector<std::string>>> rows;  // label, cells by column
};

size_t place_of(const std::string& name, std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

std::vector<Section> sections(const Stats& stats) {
  std::vector<Section> sections;
  for (const auto& [path, value] : stats.entries()) {
    const size_t first = path.find('/');
    const size_t last = path.rfind('/');
    const bool is_cell = first != last;
    const std::string title = first == std::string::npos ? "" : path.substr(0, first);
    const std::string label =
        is_cell ? path.substr(first + 1, last - first - 1) : path.substr(first == std::string::npos ? 0 : first + 1);
    if (sections.empty() || sections.back().title != title) sections.push_back({.title = title, .rows = {}});
    Section& section = sections.back();
    const size_t column = place_of(is_cell ? path.substr(last + 1) : "", section.columns);
    if (section.rows.empty() || section.rows.back().first != label || !is_cell) section.rows.push_back({label, {}});
    std::vector<std::string>& cells = section.rows.back().second;
    cells.resize(std::max(cells.size(), column + 1));
    cells[column] = value_text(value);
  }
  return sections;
}

void write_section(const Section& section, size_t label_width, std::FILE* out) {
  std::vector<size_t> widths;
  widths.reserve(section.columns.size());
  for (const std::string& column : section.columns) widths.push_back(column.size());
  for (const auto& [label, cells] : section.rows)
    for (size_t i = 1; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  std::string heading = fmt::format("  {:<{}}", section.title, label_width + 2);
  for (size_t i = 1; i < section.columns.size(); ++i) heading += fmt::format("  {:>{}}", section.columns[i], widths[i]);
  put(out, heading.substr(0, heading.find_last_not_of(' ') + 1) + "\n");
  for (const auto& [label, cells] : section.rows) {
    std::string line = fmt::format("    {:<{}}", label, label_width);
    if (!cells[0].empty()) line += "  " + cells[0];
    for (size_t i = 1; i < cells.size(); ++i) line += fmt::format("  {:>{}}", cells[i], widths[i]);
    put(out, line + "\n");
  }
}

void write_stats(const Stats& stats, std::FILE* out) {
  const std::vector<Section> all = sections(stats);
  size_t label_width = 0;
  for (const Section& section : all)
    for (const auto& [label, cells] : section.rows) label_width = std::max(label_width, label.size());
  put(out, "Statistics\n");
  for (const Section& section : all) write_section(section, label_width, out);
  put(out, "\n");
}

}  // namespace

void write_text_report(const Findings& findings, std::FILE* out) { write_text_report(findings, findings.races, out); }

void write_text_report(const Findings& findings, std::span<const Finding> shown, std::FILE* out) {
  Sink sink = sink_of(out);
  const ReportStyle style = style_of(findings);
  for (const Finding& race : shown) write_finding_text(race, style, sink);
  if (!findings.stats.entries().empty()) write_stats(findings.stats, out);
  put(out, summary(findings));
}

}  // namespace deadheat
