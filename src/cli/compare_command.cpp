// `deadheat compare TRACE`: all detectors over one trace, read once, side by side.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/trace_analysis.h"
#include "report/comparison.h"

namespace deadheat::cli {

namespace {

struct Options {
  TraceInput input;
  AnalysisOptions analysis;
  ReportFormat format = ReportFormat::kText;
  std::string output_path;
};

int run(const Options& options) {
  Output output(options.output_path);
  std::vector<AnalysisOptions> analyses;
  for (const DetectorInfo& detector : detectors()) {
    analyses.push_back(options.analysis);
    analyses.back().detector = detector.name;
  }
  std::vector<ComparedRun> runs;
  for (AnalysisResult& result : run_analyses(options.input, analyses))
    runs.push_back({std::move(result.findings), result.seconds, result.memory_bytes});
  if (options.format == ReportFormat::kJson)
    write_json_comparison(runs, output.file());
  else
    write_text_comparison(runs, output.file());
  output.finish();
  const bool found =
      std::any_of(runs.begin(), runs.end(), [](const ComparedRun& r) { return !r.findings.races.empty(); });
  return found ? kExitRaces : kExitNoRaces;
}

}  // namespace

void add_compare_command(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("compare", "Run all detectors over a trace and show them side by side");
  const auto options = std::make_shared<Options>();
  add_trace_input(command, options->input);
  add_analysis_options(command, options->analysis);
  add_report_options(command, options->format, options->output_path);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace deadheat::cli
