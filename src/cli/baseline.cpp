#include "cli/baseline.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/record_input.h"

namespace deadheat::cli {

namespace {

using Json = nlohmann::json;

void add_texts(const Json& list, std::set<std::string>& to) {
  if (list.is_array())
    for (const Json& text : list)
      if (text.is_string()) to.insert(text.get<std::string>());
}

const Json& member(const Json& object, const char* key) {
  static const Json kNothing;
  return object.is_object() && object.contains(key) ? object.at(key) : kNothing;
}

// A report is one object, whatever its lines are; a file of records has one in each line.
bool read_report(const std::string& path, std::set<std::string>& found) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError(fmt::format("{}: cannot be read; expected a report or race records", path));
  const Json report = Json::parse(file, nullptr, false);
  if (report.is_discarded()) return false;
  if (const Json& groups = member(report, "groups"); groups.is_array()) {
    for (const Json& group : groups) add_texts(member(group, "fingerprints"), found);
    return true;
  }
  if (const Json& runs = member(report, "runs"); member(report, "version") == "2.1.0" && runs.is_array()) {
    for (const Json& run : runs)
      if (const Json& results = member(run, "results"); results.is_array())
        for (const Json& result : results) add_texts(member(member(result, "properties"), "fingerprints"), found);
    return true;
  }
  return false;
}

}  // namespace

std::set<std::string> baseline_fingerprints(const std::string& path) {
  std::set<std::string> found;
  if (read_report(path, found)) return found;
  Arena arena;
  Suppressions none(arena);
  const ReportModel model = read_record_files({path}, none);
  for (const Group& group : model.groups) found.insert(group.fingerprints.begin(), group.fingerprints.end());
  return found;
}

void leave_out_known(ReportModel& model) {
  model.hidden_known += std::erase_if(model.groups, [](const Group& group) { return group.known; });
}

}  // namespace deadheat::cli
