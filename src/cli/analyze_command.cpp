// `deadheat analyze TRACE`: one detector over one trace.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/choice.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/record_input.h"
#include "cli/report_output.h"
#include "cli/rex_study.h"
#include "cli/trace_analysis.h"
#include "race/fold.h"
#include "race/suppressions.h"
#include "report/report.h"

namespace deadheat::cli {

namespace {

struct Options {
  TraceInput input;
  AnalysisOptions analysis;
  std::string format = "text";
  std::string output_path;
  bool pairs = false;
  std::string suppressions;  // a file; empty for none
  bool unused_suppressions = false;
};

void say_unused(const Suppressions& rules) {
  for (const std::string& line : unused_lines(rules))
    std::fputs(fmt::format("deadheat: suppression not used: {}\n", line).c_str(), stderr);
}

int run(const Options& options) {
  if (options.pairs && options.analysis.all) throw UsageError("--all and --pairs exclude each other");
  Arena arena;
  Suppressions rules(arena);
  if (!options.suppressions.empty()) read_suppressions(options.suppressions, rules);
  check_writable(options.output_path);
  AnalysisOptions wanted = options.analysis;
  wanted.all |= options.pairs;
  const bool studies_filter = wanted.stats && wanted.detector_options.study && !wanted.filter.empty();
  const std::vector<AnalysisOptions> analyses = studies_filter ? rex_study(wanted) : std::vector{wanted};
  std::vector<AnalysisResult> results = run_analyses(options.input, analyses);
  if (studies_filter) conclude_rex_study(results);
  Findings& findings = results.front().findings;
  leave_out_suppressed(findings, rules);
  if (findings.precise && !options.analysis.all) fold_by_places(findings);
  if (options.format != "text" && options.format != "json") {
    const Findings* const all[] = {&findings};
    ReportModel model = model_of(all, options.input.path);
    const int found = write_report(model, {.format = options.format, .output = options.output_path});
    if (options.unused_suppressions) say_unused(rules);
    return found;
  }
  Output output(options.output_path);
  if (options.format == "json")
    write_json_report(findings, output.file());
  else
    write_text_report(findings, output.file());
  output.finish();
  if (options.unused_suppressions) say_unused(rules);
  return findings.races.empty() ? kExitNoRaces : kExitRaces;
}

}  // namespace

void add_analyze_command(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("analyze", "Find the races in a trace");
  const auto options = std::make_shared<Options>();
  add_trace_input(command, options->input);
  add_detector_choice(command, options->analysis);
  add_analysis_options(command, options->analysis);
  command
      .add_option("--annotations", options->input.annotations,
                  "Ignore what FILE names in lines 'Field NAME', 'Method LOCATION', 'Class OBJECT' [none]")
      ->option_text("FILE");
  add_choice(command, "--racetrack", options->analysis.detector_options.racetrack.setting,
             {"basic", "lockset", "threadset", "granularity"}, "racetrack: use its refinements up to this one");
  RaceTrackOptions& racetrack = options->analysis.detector_options.racetrack;
  add_number(command, "--racetrack-elements", racetrack.watched_elements, uint64_t{1}, uint64_t{1} << 40,
             "racetrack: watch the first, the middle and the last N elements of an array that has more than 3N");
  add_number(command, "--racetrack-clock", racetrack.clock_entries, 2u, 1u << 24,
             "racetrack: drop the older half of a thread's clock when it has more than N entries");
  command.add_flag("--all", options->analysis.all,
                   "List every racing access that the detector finds, each by itself, not only the first race of each "
                   "variable");
  command.add_flag("--pairs", options->pairs,
                   "List every pair of locations that races, not only those of the first race of each variable");
  command
      .add_option("--suppressions", options->suppressions,
                  "What not to tell: lines 'race:PATTERN', as for live programs [none]")
      ->option_text("FILE");
  command.add_flag("--unused-suppressions", options->unused_suppressions,
                   "Say which of the suppressions hid nothing, on standard error");
  command.add_flag("--stats", options->analysis.stats, "Count what the detector did, rule by rule");
  DetectorOptions& choices = options->analysis.detector_options;
  command
      .add_option("--seed", choices.seed,
                  "goldilocks: seed of its random choices, on which the races do not depend [1]")
      ->option_text("N");
  add_number(
      command, "--goldilocks-list", choices.list_limit, uint64_t{64}, uint64_t{1} << 32,
      "goldilocks: bring old locksets forward when the list of synchronisation events has N cells (rounded up to a "
      "power of two), on which the races do not depend");
  command.add_flag("--stop-after-first", choices.stop_after_first,
                   "goldilocks: stop checking a variable once a race on it was found");
  command.add_flag("--rex-third-thread", choices.rex_third_thread,
                   "rex, rex-lockset: also drop the access of a third thread in the same context, as the paper does, "
                   "although this loses races");
  command.add_flag("--study", choices.study,
                   "With --stats, add the numbers of the papers' tables, which takes long (slimstate: the states that "
                   "bit sets would need; a filter: races with and without it, and the best possible time)");
  add_report_options(command, options->format, options->output_path);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace deadheat::cli
