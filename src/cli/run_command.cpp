// `deadheat run`: runs a program with the library under it, or compiles one source file and runs that.
//
// `deadheat run -- PROGRAM` replaces itself by the program (exec). It is the same process, so signals, exit status and
// terminal are the program's own. LD_LIBRARY_PATH brings in the run time: a program built by `gcc -fsanitize=thread`
// looks there for its libtsan.so.2 and finds ours. LD_PRELOAD is used only where that does not reach: with an old run
// path, or for a plain host that loads instrumented plug-ins. After `deadheat run FILE` a temporary folder must be
// removed: so we wait for the program and pass signals on.
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/runtime_options.h"
#include "cli/baseline.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/program_analysis.h"
#include "cli/program_run.h"
#include "cli/record_input.h"
#include "cli/report_output.h"
#include "cli/temporary_folder.h"
#include "cli/trace_analysis.h"
#include "cli/usage.h"
#include "report/report.h"
#include "wrapper/run_time.h"

namespace deadheat::cli {

namespace {

namespace fs = std::filesystem;

bool is_source_file(const fs::path& path) {
  const std::string suffix = path.extension();
  return suffix == ".c" || suffix == ".cc" || suffix == ".cpp" || suffix == ".cxx" || suffix == ".C";
}

// The options as they are in force for the program.
RuntimeOptions options_of(const RunRequest& request) {
  RuntimeOptions options;
  const std::string text = merged_options(request);
  RuntimeOptionsParser(options, [](void*, OptionProblem, std::string_view, std::string_view) {}, nullptr).parse(text);
  return options;
}
int status_of_reports(const RunRequest& request) { return options_of(request).exitcode; }
bool is_our_exit(int status, int of_reports) { return WIFEXITED(status) && WEXITSTATUS(status) == of_reports; }
// `status` is the program's.
int end_reported(int of_reports, int status) { return of_reports != 0 ? of_reports : end_like(status); }

int run_program(const RunRequest& request, const wrapper::RunTime& run_time) {
  std::vector<std::string> words = request.command;
  const std::string path = find_program(words[0]);
  prepare(path, request.no_preload, run_time.tsan_folder);
  std::vector<char*> arguments = pointers_to(words);
  execv(path.c_str(), arguments.data());
  throw UsageError(fmt::format("{}: cannot be run: {}", path, std::strerror(errno)));
}

// Where the program is that a source file became.
std::string compiled(const RunRequest& request, const TemporaryFolder& folder) {
  const fs::path source = request.command[0];
  if (!fs::exists(source)) throw UsageError(fmt::format("{}: there is no such file", source.string()));
  const std::string program = folder.path() / source.stem();
  std::vector<std::string> compile = {
      wrapper::own_folder() + (source.extension() == ".c" ? "/deadheat-cc" : "/deadheat-c++"), "-O1", "-pthread"};
  for (std::string& flag : wrapper::split_response_file(request.flags)) compile.push_back(std::move(flag));
  compile.insert(compile.end(), {source.string(), "-o", program});
  if (wait_for(spawn(compile)) != 0) throw UsageError(fmt::format("{}: does not compile", source.string()));
  return program;
}

int run_source(const RunRequest& request) {
  int status = 0;
  {
    const TemporaryFolder folder;
    forward_signals(true);
    const std::string program = compiled(request, folder);
    std::vector<std::string> words = {program};
    words.insert(words.end(), request.command.begin() + 1, request.command.end());
    status = wait_for(spawn(words));
  }
  return end_like(status);
}

// The program writes race records, and a report is made of them when it has ended.
int run_reported(RunRequest request, const ReportRequest& report) {
  check_writable(report.output);
  const Baseline baseline(report.baseline);
  const wrapper::RunTime run_time = installed_run_time();
  const TemporaryFolder folder;
  const std::string records = folder.path() / "records";
  request.options.push_back("record_path=" + records);
  if (!report.label.empty()) request.options.push_back("record_label=" + report.label);
  setenv("DEADHEAT_OPTIONS", merged_options(request).c_str(), 1);
  forward_signals(true);
  std::vector<std::string> words = request.command;
  if (is_source_file(words[0])) {
    words[0] = compiled(request, folder);
  } else {
    words[0] = find_program(words[0]);
    prepare(words[0], request.no_preload, run_time.tsan_folder);
  }
  const int status = wait_for(spawn(words));
  forward_signals(false);
  if (!fs::exists(records)) {
    note("there is nothing to report: the program and its children never called the run time");
    return end_like(status);
  }
  Arena arena;
  Suppressions none(arena);
  ReportModel model = read_record_files({records}, none, baseline.known());
  const int of_reports = status_of_reports(request);
  if (write_report(model, report) != kExitNoRaces) return end_reported(of_reports, status);
  return end_like(is_our_exit(status, of_reports) && !report.baseline.empty() ? 0 : status);
}

// By a detector of the engine, in this process.
int run_analysed(RunRequest request, const AnalysisOptions& analysis, const ReportRequest* report) {
  std::optional<TemporaryFolder> folder;
  if (is_source_file(request.command[0])) request.command[0] = compiled(request, folder.emplace());
  Arena arena;
  Suppressions rules(arena);
  if (const std::string path = options_of(request).suppressions.c_str(); !path.empty()) read_suppressions(path, rules);
  const Baseline baseline(report == nullptr ? std::string{} : report->baseline);
  RunningReports running(rules, analysis.all);
  AnalysedProgram program = analyze_program(request, {&analysis, 1}, report == nullptr ? &running : nullptr);
  bool found = false;
  if (report != nullptr) {
    std::vector<const Findings*> all;
    for (std::vector<AnalysisResult>& results : program.processes) {
      leave_out_suppressed(results[0].findings, rules);
      all.push_back(&results[0].findings);
    }
    ReportModel model = model_of(all, request.command[0], baseline.known());
    model.unused_suppressions = unused_lines(rules);
    found = write_report(model, *report) != kExitNoRaces;
    return found ? end_reported(status_of_reports(request), program.status) : end_like(program.status);
  }
  for (const std::vector<AnalysisResult>& results : program.processes) found |= !results[0].findings.races.empty();
  return found ? end_reported(status_of_reports(request), program.status) : end_like(program.status);
}

int run(const RunRequest& request, const std::optional<AnalysisOptions>& analysis, const ReportRequest* report) {
  if (request.command.empty()) throw UsageError("run: expected a program, or a source file, to run");
  if (request.command[0].starts_with('-'))
    throw UsageError(fmt::format("run: there is no option {} (see 'deadheat run --help')", request.command[0]));
  if (analysis) return run_analysed(request, *analysis, report);
  if (report != nullptr) return run_reported(request, *report);
  const wrapper::RunTime run_time = installed_run_time();
  if (const std::string options = merged_options(request); !options.empty())
    setenv("DEADHEAT_OPTIONS", options.c_str(), 1);
  return is_source_file(request.command[0]) ? run_source(request) : run_program(request, run_time);
}

}  // namespace

void add_run_command(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("run", "Run a program, or compile and run a source file, and find its races");
  const auto request = std::make_shared<RunRequest>();
  command
      .add_option("-o,--option", request->options,
                  "Set a run-time option that 'deadheat options' lists; may be repeated")
      ->option_text("NAME=VALUE")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("-s,--suppressions", request->suppressions, "Leave out the reports that this file describes")
      ->option_text("FILE");
  command
      .add_option("--annotations", request->annotations,
                  "Leave out races with accesses that need no watching: a file of Field, Method and Class, as for "
                  "'analyze'")
      ->option_text("FILE");
  command.add_option("--flags", request->flags, "Compile the source file with these flags")->option_text("FLAGS");
  command.add_flag("--coverage", request->coverage,
                   "At exit, say what was not seen: modules without instrumentation, functions that order threads and "
                   "are not understood, full tables, suppressed reports");
  command.add_flag("--no-preload", request->no_preload, "Do not use LD_PRELOAD to load the library into the program");
  const auto analysis = std::make_shared<AnalysisOptions>();
  analysis->detector.clear();
  add_detector_choice(command, *analysis);
  add_analysis_options(command, *analysis);
  const auto report = std::make_shared<ReportRequest>();
  add_report_request(command, *report);
  // Everything from the program on is the program's. After `--` CLI11 hands the rest to the application instead.
  command.prefix_command();
  command.preparse_callback([&app](size_t) { app.prefix_command(); });
  command.footer(
      "deadheat run [OPTIONS] [--] PROGRAM [ARGUMENTS...]\n"
      "deadheat run [OPTIONS] [--] FILE.cpp [ARGUMENTS...]\n"
      "The exit status is the program's, or 66 (option exitcode) if something was reported.\n"
      "With --detector or --filter the program is recorded and analysed outside of it while it runs.\n"
      "With --format, --output, --baseline or --database a report is made when the program has ended, as 'deadheat "
      "report' makes it.");
  command.callback([request, analysis, report, &app, &command, &action] {
    request->command = command.remaining_size() > 0 ? command.remaining() : app.remaining();
    const bool reports = command.count("--format") + command.count("--output") + command.count("--baseline") +
                             command.count("--database") !=
                         0;
    action = [request, analysis, report, reports] {
      const bool outside = !analysis->detector.empty() || !analysis->filter.empty();
      if (outside && analysis->detector.empty()) analysis->detector = AnalysisOptions{}.detector;
      return run(*request, outside ? std::optional(*analysis) : std::nullopt, reports ? report.get() : nullptr);
    };
  });
}

}  // namespace deadheat::cli
