#include "report/additions.h"

#include <fmt/format.h>

#include "base/version.h"
#include "report/parts.h"

namespace deadheat {

std::vector<std::string> additions_to(const Group& group) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("Deadheat {}: {}, {}, {}, {}; fingerprint {}", kVersion,
                              counted(group.records, "record", "records"), counted(group.runs.size(), "run", "runs"),
                              counted(group.variants, "pair of stacks", "pairs of stacks"),
                              counted(group.objects, "object", "objects"), group.fingerprint));
  std::string why;
  for (const RankReason& reason : group.reasons)
    if (&reason != &group.reasons.front()) why += fmt::format("; {:+} {}", reason.points, reason.why);
  lines.push_back(fmt::format("Rank {}{}", group.rank, why));
  if (const GroupHistory& history = group.history; !history.state.empty())
    lines.push_back(fmt::format("History: {}; seen in {} of {} since it was first seen, in run {}{}", history.state,
                                history.runs_seen, counted(history.runs_since, "run", "runs"), history.first_run,
                                history.first_label.empty() ? "" : " (" + history.first_label + ")"));
  for (std::string& line : explanation_lines(group.finding())) lines.push_back(std::move(line));
  if (group.places.size() > 1) {
    lines.emplace_back("Also at:");
    for (const auto& [place, records] : group.places)
      lines.push_back(fmt::format("  {}, {}", place, counted(records, "record", "records")));
  }
  return lines;
}

std::vector<std::string> ways_to_suppress(const Group& group) {
  std::vector<std::string> lines;
  if (!group.suppressions.empty()) lines.push_back("To suppress it: " + group.suppressions.front());
  if (!group.foreign_module.empty())
    lines.push_back(fmt::format("To suppress all that runs through {0}, which is not instrumented: race:{0}",
                                group.foreign_module));
  return lines;
}

std::vector<std::string> gone_lines(const ReportModel& model) {
  std::vector<std::string> lines;
  lines.reserve(model.gone.size());
  for (const Group& group : model.gone)
    lines.push_back(fmt::format("{}  {}; last seen in run {}", group.fingerprint, group.title, group.history.last_run));
  return lines;
}

std::vector<std::string> closing_lines(const ReportModel& model) {
  std::vector<std::string> lines;
  lines.reserve(model.unused_suppressions.size() + model.notes.size());
  for (const std::string& line : model.unused_suppressions) lines.push_back("suppression not used: " + line);
  lines.insert(lines.end(), model.notes.begin(), model.notes.end());
  return lines;
}

std::string summary_of(const ReportModel& model) {
  std::string text = model.groups.empty() ? std::string(model.has_baseline ? "Nothing new" : "Nothing was reported")
                                          : counted(model.groups.size(), model.has_baseline ? "new bug" : "bug",
                                                    model.has_baseline ? "new bugs" : "bugs");
  text += fmt::format(" in {} of {}", counted(model.records, "record", "records"),
                      counted(model.runs.size(), "run", "runs"));
  if (model.hidden_known != 0) text += fmt::format("; {} known", model.hidden_known);
  if (model.suppressed != 0) text += fmt::format("; {} suppressed", counted(model.suppressed, "record", "records"));
  return text + ".";
}

}  // namespace deadheat
