// `deadheat compare TRACE`: all detectors over one trace, read once, side by side.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/program_analysis.h"
#include "cli/report_output.h"
#include "cli/trace_analysis.h"
#include "report/comparison.h"

namespace deadheat::cli {

namespace {

struct Options {
  TraceInput input;
  std::vector<std::string> arguments;  // of a program in the place of the trace
  AnalysisOptions analysis;
  std::string format = "text";
  std::string output_path;
};

// By its first bytes, as traces are known by theirs.
bool is_program(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;  // a pipe can be read only once
  std::ifstream file(path, std::ios::binary);
  char first[4] = {};
  file.read(first, sizeof first);
  const std::string_view head(first, static_cast<size_t>(file.gcount()));
  return head.starts_with("#!") || (head.size() == 4 && head[0] == 0x7f && head.substr(1) == "ELF");
}

std::vector<AnalysisResult> all_results(const Options& options, std::vector<AnalysisOptions>& analyses) {
  if (is_program(options.input.path)) {
    RunRequest request;
    request.command = {options.input.path};
    request.command.insert(request.command.end(), options.arguments.begin(), options.arguments.end());
    AnalysedProgram program = analyze_program(request, analyses);
    if (program.processes.empty()) throw UsageError("compare: the program was not analysed");
    return std::move(program.processes[0]);
  }
  if (!options.arguments.empty())
    throw UsageError(fmt::format("{}: is a trace and takes no arguments", options.input.path));
  const auto reader = open_trace(options.input.path, {.lenient = options.input.lenient});
  if (const RunInfo* const recorded = reader->run(); recorded != nullptr && !recorded->every_access) {
    std::erase_if(analyses, [](const AnalysisOptions& a) { return !needs_every_access(a).empty(); });
    note(
        fmt::format("{}: was recorded without repeated accesses: only the precise detectors are compared (see "
                    "'record --full')",
                    options.input.path));
  }
  return run_analyses(*reader, options.input, analyses, reopen_of(options.input));
}

int run(const Options& options) {
  check_writable(options.output_path);
  std::vector<AnalysisOptions> analyses;
  for (const DetectorInfo& detector : detectors()) {
    analyses.push_back(options.analysis);
    analyses.back().detector = detector.name;
  }
  std::vector<ComparedRun> runs;
  for (AnalysisResult& result : all_results(options, analyses))
    runs.push_back({std::move(result.findings), result.seconds, result.memory_bytes});
  if (options.format != "text" && options.format != "json") {
    std::vector<const Findings*> all;
    all.reserve(runs.size());
    for (const ComparedRun& run : runs) all.push_back(&run.findings);
    ReportModel model = model_of(all, options.input.path);
    return write_report(model, {.format = options.format, .output = options.output_path});
  }
  Output output(options.output_path);
  if (options.format == "json")
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
  command.add_option("ARGUMENT", options->arguments, "Arguments of a program, if that stands in the place of a trace")
      ->option_text(" ");
  command.footer(
      "deadheat compare [OPTIONS] TRACE\n"
      "deadheat compare [OPTIONS] -- PROGRAM [ARGUMENTS...]\n"
      "A program is run and recorded, and all detectors see this one run.");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace deadheat::cli
