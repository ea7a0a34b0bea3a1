// `deadheat report RECORDS`: the race records of many runs as one report.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/baseline.h"
#include "cli/commands.h"
#include "cli/record_input.h"
#include "cli/report_output.h"
#include "symbolize/module.h"

namespace deadheat::cli {

namespace {

struct Options {
  std::vector<std::string> records;
  std::string suppressions, annotations;
  std::string debug_path;
  ReportRequest report;
};

int run(const Options& options) {
  if (options.records.empty()) {
    if (options.report.database.empty()) throw UsageError("report: expected race records, or --database FILE");
    return write_database_report(options.report);
  }
  const Baseline baseline(options.report.baseline);
  if (!options.debug_path.empty()) symbolize::add_debug_path(options.debug_path);
  Arena arena;
  Suppressions rules(arena);
  if (!options.suppressions.empty()) read_suppressions(options.suppressions, rules);
  if (!options.annotations.empty()) read_annotations(options.annotations, rules);
  ReportModel model = read_record_files(options.records, rules, baseline.known());
  model.unused_suppressions = unused_lines(rules);
  return write_report(model, options.report);
}

}  // namespace

void add_report_command(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("report", "Merge the race records of any number of runs into one report");
  const auto options = std::make_shared<Options>();
  command
      .add_option("RECORDS", options->records,
                  "Files that programs wrote because of the run-time option record_path; - is standard input")
      ->option_text(" ");
  add_report_request(command, options->report);
  command.add_option("-s,--suppressions", options->suppressions, "Leave out what this file describes")
      ->option_text("FILE");
  command
      .add_option("--annotations", options->annotations,
                  "Leave out races with accesses that need no watching: a file of Field, Method and Class, as for "
                  "'analyze'")
      ->option_text("FILE");
  command
      .add_option("--debug-path", options->debug_path,
                  "Also look for separate debug files in these folders, separated by colons: beside names, as "
                  ".build-id/ab/cdef.debug")
      ->option_text("FOLDERS");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace deadheat::cli
