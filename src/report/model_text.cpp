// A report for people: each group by its first example, in the form that users of ThreadSanitizer and their tools know,
// then what Deadheat adds, in lines that such tools skip; a table of all groups at the end.
//
// Names of the program may have any bytes. What could do harm on a terminal is shown as \x1b.
#include <fmt/format.h>

#include <algorithm>

#include "base/version.h"
#include "report/finding_report.h"
#include "report/formats.h"
#include "report/parts.h"
#include "report/source_excerpt.h"

namespace deadheat {

namespace {

class ModelText {
 public:
  ModelText(const ReportModel& model, const FormatStyle& style, std::FILE* out)
      : model_(model), style_(style), out_(out), files_(style.source_root) {}

  void write() {
    for (const Group& group : model_.groups) put_group(group);
    put_gone();
    put_table();
    for (const std::string& line : model_.unused_suppressions) say("suppression not used: " + line);
    for (const std::string& note : model_.notes) say(note);
    put(out_, summary());
  }

 private:
  void say(const std::string& text) { put(out_, "deadheat: " + harmless(text) + "\n"); }
  void add(const std::string& text) { put(out_, "  " + harmless(text) + "\n"); }

  void put_group(const Group& group) {
    const Example& example = group.examples.front();
    const ReportRun* const run = example.run < model_.runs.size() ? &model_.runs[example.run] : nullptr;
    ReportStyle style;
    style.process = run == nullptr ? 0 : run->facts.process;
    style.in_colour = style_.in_colour;
    style.detector = run == nullptr ? std::string_view{} : run->facts.detector;
    FindingStore store;
    Sink sink = sink_of(out_);
    write_finding_text(harmless(example.finding, store), style, sink);
    put_additions(group, run);
    put(out_, "\n");
  }

  void put_additions(const Group& group, const ReportRun* run) {
    add(fmt::format("Deadheat {}: {}, {}, {}, {}; fingerprint {}", kVersion,
                    counted(group.records, "record", "records"), counted(group.runs.size(), "run", "runs"),
                    counted(group.variants, "pair of stacks", "pairs of stacks"),
                    counted(group.objects, "object", "objects"), group.fingerprint));
    std::string why;
    for (const RankReason& reason : group.reasons)
      if (&reason != &group.reasons.front()) why += fmt::format("; {:+} {}", reason.points, reason.why);
    add(fmt::format("Rank {}{}", group.rank, why));
    if (!group.history.state.empty()) put_history(group.history);
    for (const std::string& line : explanation_lines(group.finding())) add(line);
    if (group.places.size() > 1) {
      add("Also at:");
      for (size_t i = 0; i < group.places.size(); ++i)
        add(fmt::format("  {}, {}", group.places[i].first, counted(group.places[i].second, "record", "records")));
    }
    if (style_.with_source) put_source(group.finding(), run);
    if (!group.suppressions.empty()) add("To suppress it: " + group.suppressions.front());
    if (!group.foreign_module.empty())
      add(fmt::format("To suppress all that runs through {0}, which is not instrumented: race:{0}",
                      group.foreign_module));
  }

  void put_history(const GroupHistory& history) {
    add(fmt::format("History: {}; seen in {} of {} since it was first seen, in run {}{}", history.state,
                    history.runs_seen, counted(history.runs_since, "run", "runs"), history.first_run,
                    history.first_label.empty() ? "" : " (" + history.first_label + ")"));
  }

  void put_source(const Finding& finding, const ReportRun* run) {
    for (const Side& side : finding.sides) {
      const StackFrame* place = nullptr;
      for (const StackFrame& frame : side.stack)
        if (!frame.ours && (place == nullptr)) place = &frame;
      if (place == nullptr) continue;
      const SourceExcerpt excerpt = files_.around(*place, run == nullptr ? 0 : run->facts.started, 1);
      if (excerpt.empty()) continue;
      const FileAndLine where = file_and_line(*place);
      add(fmt::format("{} ({}){}:", where.file, op_name(side.kind), excerpt.is_newer ? ", changed since the run" : ""));
      for (const SourceExcerpt::Line& line : excerpt.lines)
        add(fmt::format("{} {:>5}  {}", line.is_place ? ">" : " ", line.number, line.text.substr(0, 200)));
    }
  }

  void put_gone() {
    if (model_.gone.empty()) return;
    put(out_, "Not seen in the last runs:\n");
    for (const Group& group : model_.gone)
      add(fmt::format("{}  {}; last seen in run {}", group.fingerprint, group.title, group.history.last_run));
    put(out_, "\n");
  }

  void put_table() {
    if (model_.groups.empty()) return;
    put(out_, fmt::format("{:>4}  {:>7}  {:>4}  {:<16}  {}\n", "rank", "records", "runs", "fingerprint", "bug"));
    for (const Group& group : model_.groups) {
      const std::string where = group.places.empty() ? "" : ", " + group.places.front().first;
      put(out_, fmt::format("{:>4}  {:>7}  {:>4}  {:<16}  {}\n", group.rank, group.records, group.runs.size(),
                            group.fingerprint, harmless(group.title + where)));
    }
    put(out_, "\n");
  }

  std::string summary() const {
    std::string text = model_.groups.empty() ? std::string(model_.has_baseline ? "Nothing new" : "Nothing was reported")
                                             : counted(model_.groups.size(), model_.has_baseline ? "new bug" : "bug",
                                                       model_.has_baseline ? "new bugs" : "bugs");
    text += fmt::format(" in {} of {}", counted(model_.records, "record", "records"),
                        counted(model_.runs.size(), "run", "runs"));
    if (model_.hidden_known != 0) text += fmt::format("; {} known", model_.hidden_known);
    if (model_.suppressed != 0) text += fmt::format("; {} suppressed", counted(model_.suppressed, "record", "records"));
    return text + ".\n";
  }

  const ReportModel& model_;
  const FormatStyle& style_;
  std::FILE* out_;
  SourceFiles files_;
};

}  // namespace

void write_text_model(const ReportModel& model, const FormatStyle& style, std::FILE* out) {
  ModelText(model, style, out).write();
}

}  // namespace deadheat
