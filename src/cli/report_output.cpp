#include "cli/report_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>

#include "base/version.h"
#include "cli/baseline.h"
#include "cli/commands.h"
#include "cli/database.h"
#include "cli/output.h"
#include "race/merge.h"
#include "report/formats.h"

namespace deadheat::cli {

namespace {

bool wants_colour(const ReportRequest& request) {
  if (request.color != "auto") return request.color == "always";
  const char* const terminal = std::getenv("TERM");
  return request.output.empty() && isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr &&
         terminal != nullptr && std::string_view(terminal) != "dumb";
}

CLI::Option* add_word(CLI::App& command, const std::string& name, std::string& value,
                      const std::vector<std::string>& words, const std::string& description) {
  return command.add_option(name, value, fmt::format("{} [{}]", description, value))
      ->check([words](const std::string& word) {
        const bool is_known = std::find(words.begin(), words.end(), word) != words.end();
        return is_known ? std::string{} : fmt::format("'{}' is none of {}", word, fmt::join(words, ", "));
      })
      ->option_text(fmt::format("{}", fmt::join(words, "|")));
}

}  // namespace

void add_format_option(CLI::App& command, std::string& format) {
  std::vector<std::string> names;
  for (const Format& known : formats()) names.emplace_back(known.name);
  add_word(command, "--format", format, names, "Write the result in this form");
}

void add_report_request(CLI::App& command, ReportRequest& request) {
  add_format_option(command, request.format);
  command.add_option("--output", request.output, "Write the report to FILE, whole or not at all [standard output]")
      ->option_text("FILE");
  add_word(command, "--color", request.color, {"auto", "always", "never"}, "Use colours in text");
  command
      .add_option("--baseline", request.baseline,
                  "Show only what this earlier report (json, sarif) or these race records do not have; the exit status "
                  "is about the new ones only")
      ->option_text("FILE");
  command
      .add_option("--database", request.database,
                  "Keep the history of runs in this SQLite file, and show what is new, flaky or gone")
      ->option_text("FILE");
  command
      .add_option("--label", request.label, "What the database says of runs without a record_label: a commit, a build")
      ->option_text("TEXT");
  command.add_flag("--no-source", request.no_source, "Do not show lines of the source");
  command
      .add_option("--source-root", request.source_root, "Look for source files with relative names in this folder [.]")
      ->option_text("FOLDER");
}

namespace {

int write(ReportModel& model, const ReportRequest& request, Output& output) {
  const Format* const format = find_format(request.format);
  if (format == nullptr) throw UsageError(fmt::format("there is no format {}", request.format));
  FormatStyle style;
  style.in_colour = wants_colour(request);
  style.with_source = !request.no_source;
  style.source_root = request.source_root;
  format->write(model, style, output.file());
  output.finish();
  return model.groups.empty() ? kExitNoRaces : kExitRaces;
}

}  // namespace

int write_report(ReportModel& model, const ReportRequest& request) {
  Output output(request.output);
  if (!request.database.empty()) {
    Database database(request.database);
    database.add(model, request.label);
    database.tell_history(model, false);
  }
  leave_out_known(model);
  return write(model, request, output);
}

int write_database_report(const ReportRequest& request) {
  const Baseline baseline(request.baseline);
  Output output(request.output);
  Database database(request.database);
  ReportModel model = database.all(baseline.known());
  database.tell_history(model, true);
  leave_out_known(model);
  return write(model, request, output);
}

ReportModel model_of(std::span<const Findings* const> analyses, std::string_view program,
                     const std::set<std::string>* known) {
  auto store = std::make_shared<FindingStore>();
  Merge merge(store);
  uint64_t suppressed = 0;
  std::vector<std::shared_ptr<FindingStore>> stores;
  std::vector<std::string> notes;
  for (const Findings* const found : analyses) {
    // Processes of one program have analyses of the same name.
    const std::string id =
        fmt::format("{} {}{}", found->detector, program, found->process == 0 ? "" : fmt::format(" {}", found->process));
    merge.add_run({.id = store->text(id),
                   .version = kVersion,
                   .process = found->process,
                   .program = store->text(program),
                   .detector = store->text(found->detector)});
    for (const Finding& finding : found->races) merge.add(finding, id, found->process);
    merge.end_run(id, {.reports = found->races.size(), .suppressed = found->suppressed});
    suppressed += found->suppressed;
    stores.push_back(found->store);
    if (!found->precise && !found->races.empty())
      notes.push_back(fmt::format("{} is not precise: what it warns of may be no race", found->detector));
  }
  ReportModel model = merge.finish(known);
  model.suppressed = suppressed;
  model.further_stores = std::move(stores);
  model.notes = std::move(notes);
  return model;
}

}  // namespace deadheat::cli
