#include "cli/running_reports.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/record_input.h"
#include "race/code_place.h"
#include "race/fold.h"
#include "report/parts.h"
#include "report/report.h"

namespace deadheat::cli {

namespace {

// The two places and the memory: what one report stands for.
std::string key_of(const Finding& race) {
  std::string key;
  const auto add = [&key](StackView stack) {
    for (const StackFrame& frame : stack)
      if (!frame.ours) key += fmt::format("{}+{:x};", frame.module, frame.offset);
    key += '|';
  };
  std::vector<std::string> places;
  for (const Side& side : race.sides) {
    key.clear();
    add(side.stack.subspan(0, std::min<size_t>(side.stack.size(), 1)));
    places.push_back(key);
    if (places.size() == 2) break;
  }
  std::sort(places.begin(), places.end());
  key = fmt::format("{}", fmt::join(places, ""));
  if (race.memory.kind == Memory::kGlobal) key += race.memory.name;
  if (race.memory.kind == Memory::kHeap) add(race.memory.stack);
  return key;
}

}  // namespace

void RunningReports::prepare(Findings& found) {
  leave_out_suppressed(found, rules_);
  if (found.precise && !all_) fold_by_places(found);
}

bool RunningReports::is_new(const std::string& process, const Finding& race) {
  return told_[process].insert(key_of(race)).second;
}

void RunningReports::tell(const std::string& process, Findings& found) {
  const std::lock_guard lock(mutex_);
  prepare(found);
  Sink sink = sink_of(stderr);
  const ReportStyle style = style_of(found);
  for (const Finding& race : found.races)
    if (is_new(process, race)) write_finding_text(race, style, sink);
  std::fflush(stderr);
}

void RunningReports::conclude(const std::string& process, Findings& found) {
  const std::lock_guard lock(mutex_);
  prepare(found);
  std::vector<Finding> left;
  for (const Finding& race : found.races)
    if (is_new(process, race)) left.push_back(race);
  write_text_report(found, left, stderr);
}

}  // namespace deadheat::cli
