// What `analyze` and `compare` share: the options of an analysis on the command line, and a run that shows progress,
// checks names and says what was lost.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/recorded_findings.h"
#include "engine/analysis.h"

namespace CLI {
class App;
}

namespace deadheat::cli {

struct TraceInput {
  std::string path;
  bool lenient = false;
  std::string annotations;  // a file; empty for none
};

enum class ReportFormat { kText, kJson };

// The trace and how it is read.
void add_trace_input(CLI::App& command, TraceInput& input);
// The options that every analysis has, whichever detector runs it.
void add_analysis_options(CLI::App& command, AnalysisOptions& options);
// Which detector and filter.
void add_detector_choice(CLI::App& command, AnalysisOptions& options);
// The format by its name: text and json have forms of their own for analyses, the others are those of all reports.
void add_report_options(CLI::App& command, std::string& format, std::string& output_path);

// Reads the trace once and runs all analyses over it. What was skipped, repaired or missing is said on standard error.
// Throws TraceError, and UsageError for an unknown detector or filter.
std::vector<AnalysisResult> run_analyses(const TraceInput& input, std::span<const AnalysisOptions> analyses);
// The same over a trace that is open; `reopen` is asked for it once more if a recorded program has something to report.
std::vector<AnalysisResult> run_analyses(TraceReader& reader, const TraceInput& input,
                                         std::span<const AnalysisOptions> analyses, const Reopen& reopen,
                                         const FoundCallback& found = {});

// Throws UsageError for an unknown detector or filter, before a program is run for it.
void check_names(std::span<const AnalysisOptions> analyses);

// Opens the trace anew, if it is a file.
Reopen reopen_of(const TraceInput& input);

// Why the analysis needs accesses that a recording leaves out unless it is full, in words: "eraser"; "" if it does not.
std::string needs_every_access(const AnalysisOptions& analysis);

// "3 malformed lines skipped, 1 event repaired"; empty if nothing was lost.
std::string describe_losses(const Losses& losses);
// Says on standard error what was lost of the trace at `path`; nothing if nothing was.
void say_losses(const std::string& path, const Losses& losses);

}  // namespace deadheat::cli
