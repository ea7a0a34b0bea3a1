#include <cctype>
#include <string>

#include "base/version.h"
#include "report/parts.h"
#include "report/report.h"

namespace deadheat {

namespace {

Json access_json(const ReportedAccess& access) {
  return {{"thread", access.thread}, {"event", access.event}, {"op", access.op}, {"location", access.location}};
}

Json race_json(const ReportedRace& race) {
  Json json = {{"variable", race.variable},
               {"kind", race.kind},
               {"first", race.first ? access_json(*race.first) : Json()},
               {"second", access_json(race.second)}};
  for (const ReportedAccess& access : race.more) json["more"].push_back(access_json(access));
  if (race.rank != 0) json["rank"] = race.rank;
  if (race.group != 0) json["group"] = race.group;
  return json;
}

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
  put(out, R"({"tool":"deadheat","version":)" + dump(kVersion));
  put(out, R"(,"detector":)" + dump(findings.detector));
  put(out, R"(,"filter":)" + dump(findings.filter.empty() ? Json() : Json(findings.filter)));
  put(out, ",\n \"trace\":" + dump(counts_json(findings.trace)) + ",\n \"races\":[");
  const char* separator = "\n  ";
  for (const ReportedRace& race : findings.races) {
    put(out, separator + dump(race_json(race)));
    separator = ",\n  ";
  }
  put(out, "],\n \"stats\":" + dump(stats_json(findings.stats)) + "}\n");
}

}  // namespace deadheat
