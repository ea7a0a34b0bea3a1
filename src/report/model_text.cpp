// A report for people: each group by its first example, in the form that users of ThreadSanitizer and their tools know,
// then what Deadheat adds, in lines that such tools skip; a table of all groups at the end.
//
// Names of the program may have any bytes. What could do harm on a terminal is shown as \x1b.
#include <fmt/format.h>

#include <algorithm>

#include "race/fingerprint.h"
#include "report/additions.h"
#include "report/finding_report.h"
#include "report/formats.h"
#include "report/parts.h"
#include "report/source_excerpt.h"

namespace deadheat {

namespace {

// Tabs as the blanks that a terminal makes of them.
std::string with_blanks(std::string_view text) {
  constexpr size_t kTab = 8;
  std::string shown;
  for (const char c : text) {
    if (c == '\t')
      shown.append(kTab - shown.size() % kTab, ' ');
    else
      shown += c;
  }
  return shown;
}

class ModelText {
 public:
  ModelText(const ReportModel& model, const FormatStyle& style, std::FILE* out)
      : model_(model), style_(style), out_(out), files_(style.source_root) {}

  void write() {
    for (const Group& group : model_.groups) put_group(group);
    put_gone();
    put_table();
    for (const std::string& line : closing_lines(model_)) put(out_, "deadheat: " + harmless(line) + "\n");
    put(out_, summary_of(model_) + "\n");
  }

 private:
  void add(const std::string& text) { put(out_, "  " + harmless(text) + "\n"); }

  void put_group(const Group& group) {
    const Example& example = group.examples.front();
    const ReportRun* const run = example.run < model_.runs.size() ? &model_.runs[example.run] : nullptr;
    ReportStyle style;
    style.process = run == nullptr ? 0 : run->facts.process;
    style.in_colour = style_.in_colour;
    style.detector = run == nullptr ? std::string_view{} : run->facts.detector;
    Sink sink = sink_of(out_);
    write_finding_text(example.finding, style, sink);
    put_additions(group, run);
    put(out_, "\n");
  }

  void put_additions(const Group& group, const ReportRun* run) {
    for (const std::string& line : additions_to(group)) add(line);
    if (style_.with_source) put_source(group.finding(), run);
    for (const std::string& line : ways_to_suppress(group)) add(line);
  }

  void put_source(const Finding& finding, const ReportRun* run) {
    for (const Side& side : finding.sides) {
      const StackFrame* const place = place_frame(side.stack);
      if (place == nullptr) continue;
      const SourceExcerpt excerpt = files_.around(*place, run == nullptr ? 0 : run->facts.started, 1);
      if (excerpt.empty()) continue;
      const FileAndLine where = file_and_line(*place);
      add(fmt::format("{} ({}){}:", where.file, op_name(side.kind), excerpt.is_newer ? ", changed since the run" : ""));
      for (const SourceExcerpt::Line& line : excerpt.lines)
        add(fmt::format("{} {:>5}  {}", line.is_place ? ">" : " ", line.number, with_blanks(line.text.substr(0, 200))));
    }
  }

  void put_gone() {
    if (model_.gone.empty()) return;
    put(out_, "Not seen in the last runs:\n");
    for (const std::string& line : gone_lines(model_)) add(line);
    put(out_, "\n");
  }

  void put_table() {
    if (model_.groups.empty()) return;
    const auto state = [this](std::string_view text) {
      return model_.has_database ? fmt::format("{:<7}  ", text) : std::string{};
    };
    put(out_, fmt::format("{:>4}  {:>7}  {:>4}  {}{:<16}  {}\n", "rank", "records", "runs", state("state"),
                          "fingerprint", "bug"));
    for (const Group& group : model_.groups) {
      const std::string where = group.places.empty() ? "" : ", " + group.places.front().first;
      put(out_, fmt::format("{:>4}  {:>7}  {:>4}  {}{:<16}  {}\n", group.rank, group.records, group.runs.size(),
                            state(group.history.state), group.fingerprint, harmless(group.title + where)));
    }
    put(out_, "\n");
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
