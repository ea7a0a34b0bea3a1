#include <cctype>
#include <string>

#include "base/version.h"
#include "report/parts.h"
#include "report/report.h"

namespace deadheat {

namespace {

// "read same epoch" -> "read_same_epoch"
std::string key(std::string_view words) {
  std::string name;
  for (const char c : words) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0)
      name += static_cast<char>(std::tolower(letter));
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name;
}

Json stats_json(const Stats& stats) {
  Json tree = Json::object();
  for (const auto& [path, value] : stats.entries()) {
    Json* node = &tree;
    size_t begin = 0;
    for (size_t slash; (slash = path.find('/', begin)) != std::string::npos; begin = slash + 1)
      node = &(*node)[key(std::string_view(path).substr(begin, slash - begin))];
    Json& leaf = (*node)[key(std::string_view(path).substr(begin))];
    std::visit([&leaf](const auto& v) { leaf = v; }, value);
  }
  return tree;
}

}  // namespace

void write_json_report(const Findings& findings, std::FILE* out) {
  Sink sink = sink_of(out);
  const ReportStyle style = style_of(findings);
  sink.put(R"({"tool":"deadheat","version":)");
  write_json_text(kVersion, sink);
  sink.put(R"(,"detector":)");
  write_json_text(findings.detector, sink);
  sink.put(R"(,"filter":)");
  write_json_text_or_null(findings.filter, sink);
  sink.put(",\n \"trace\":", dump(counts_json(findings.trace)), ",\n \"races\":[");
  std::string_view separator = "\n  ";
  for (const Finding& race : findings.races) {
    sink.put(separator);
    write_finding_json(race, style, sink);
    separator = ",\n  ";
  }
  sink.put("],\n ");
  if (findings.suppressed != 0) sink.put("\"suppressed\":", findings.suppressed, ",\n ");
  sink.put("\"stats\":", dump(stats_json(findings.stats)), "}\n");
}

}  // namespace deadheat
