#include "cli/trace_analysis.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "cli/choice.h"
#include "cli/commands.h"
#include "cli/progress_bar.h"
#include "cli/recorded_names.h"
#include "cli/report_output.h"
#include "cli/usage.h"

namespace deadheat::cli {

namespace {

template <class Infos>
std::vector<std::string> names_of(const Infos& infos) {
  std::vector<std::string> names;
  for (const auto& info : infos) names.emplace_back(info.name);
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string unknown_name(std::string_view what, const std::string& name, const std::vector<std::string>& known) {
  return fmt::format("unknown {} '{}'{} ('deadheat detectors' lists all)", what, name, suggestion(name, known));
}

bool is_precise(std::string_view name) {
  const auto known = detectors();
  const auto found = std::find_if(known.begin(), known.end(), [name](const DetectorInfo& d) { return d.name == name; });
  return found != known.end() && found->precise;
}

// Which of the names the engine did not know. Only asked after it refused one: it also knows names that are for
// measurements and not listed.
std::string explain_refusal(std::span<const AnalysisOptions> analyses, const std::string& reason) {
  for (const AnalysisOptions& options : analyses) {
    if (const auto known = names_of(filters()); !options.filter.empty() && !contains(known, options.filter))
      return unknown_name("filter", options.filter, known);
    if (const auto known = names_of(detectors()); !contains(known, options.detector))
      return unknown_name("detector", options.detector, known);
  }
  return reason;
}

}  // namespace

void add_trace_input(CLI::App& command, TraceInput& input) {
  command.add_option("TRACE", input.path, "A trace in text or binary form; - is standard input")
      ->required()
      ->option_text(" ");
  command.add_flag("--lenient", input.lenient, "Repair or skip events that make no sense, and say how many there were");
}

void add_analysis_options(CLI::App& command, AnalysisOptions& options) {
  command.add_option("--jobs", options.jobs, "Divide the variables among N workers, with the same result [1]")
      ->check(CLI::Range(1u, 256u).description(""))
      ->option_text("N");
  add_choice(command, "--granularity", options.coarse, {"fine", "coarse"},
             "Watch every variable by itself, or all of an object (array, struct) as one variable");
}

void add_detector_choice(CLI::App& command, AnalysisOptions& options) {
  command
      .add_option("--detector", options.detector,
                  fmt::format("Use this detector: {} [{}]", fmt::join(names_of(detectors()), ", "),
                              options.detector.empty() ? "fasttrack, inside the program" : options.detector))
      ->option_text("NAME");
  const std::vector<std::string> known_filters = names_of(filters());
  command
      .add_option("--filter", options.filter,
                  known_filters.empty()
                      ? std::string("Use this filter before the detector [none]")
                      : fmt::format("Use this filter before the detector: {} [none]", fmt::join(known_filters, ", ")))
      ->option_text("NAME");
}

void add_report_options(CLI::App& command, std::string& format, std::string& output_path) {
  add_format_option(command, format);
  command.add_option("--output", output_path, "Write the result to FILE, whole or not at all [standard output]")
      ->option_text("FILE");
}

std::string needs_every_access(const AnalysisOptions& analysis) {
  const auto known = detectors();
  const bool listed =
      std::any_of(known.begin(), known.end(), [&](const auto& d) { return d.name == analysis.detector; });
  if (listed && !is_precise(analysis.detector) && analysis.detector != "empty") return analysis.detector;
  if (analysis.filter == "rex-lockset") return analysis.filter;
  return analysis.stats ? "--stats" : "";
}

std::vector<AnalysisResult> run_analyses(const TraceInput& input, std::span<const AnalysisOptions> analyses) {
  const auto reader = open_trace(input.path, {.lenient = input.lenient});
  return run_analyses(*reader, input, analyses, reopen_of(input));
}

void check_names(std::span<const AnalysisOptions> analyses) {
  if (const std::string refusal = explain_refusal(analyses, ""); !refusal.empty()) throw UsageError(refusal);
}

Reopen reopen_of(const TraceInput& input) {
  return [input]() -> std::unique_ptr<TraceReader> {
    std::error_code error;
    if (!std::filesystem::is_regular_file(input.path, error)) return nullptr;
    return open_trace(input.path, {.lenient = input.lenient});
  };
}

std::vector<AnalysisResult> run_analyses(TraceReader& reader, const TraceInput& input,
                                         std::span<const AnalysisOptions> analyses, const Reopen& reopen,
                                         const FoundCallback& found) {
  std::optional<Annotations> annotations;
  try {
    if (!input.annotations.empty()) annotations = Annotations::read(input.annotations);
  } catch (const AnnotationError& error) {
    throw UsageError(error.what());
  }
  if (const RunInfo* const run = reader.run(); run != nullptr && !run->every_access)
    for (const AnalysisOptions& options : analyses)
      if (const std::string needing = needs_every_access(options); !needing.empty())
        throw UsageError(fmt::format("{}: was recorded without repeated accesses, which {} needs; record with --full",
                                     input.path, needing));
  std::vector<AnalysisOptions> wanted(analyses.begin(), analyses.end());
  for (AnalysisOptions& options : wanted) options.fresh_is_new = reader.run() != nullptr;
  std::optional<RecordedNames> names;
  if (annotations && reader.run() != nullptr) names.emplace(*reader.run());
  Losses losses;
  std::vector<AnalysisResult> results;
  const FoundCallback told = [&](size_t analysis, Findings& so_far) {
    so_far.precise = is_precise(so_far.detector);
    if (Findings* const one = &so_far; reader.run() != nullptr) tell_in_full({&one, 1}, *reader.run(), reopen);
    found(analysis, so_far);
  };
  {
    ProgressBar bar;
    try {
      results = analyze(
          reader, wanted, input.lenient, losses, [&bar](const Progress& p) { bar.update(p); },
          annotations ? &*annotations : nullptr, found ? told : FoundCallback(), names ? &*names : nullptr);
    } catch (const std::invalid_argument& error) {
      throw UsageError(explain_refusal(analyses, error.what()));
    }
  }
  for (AnalysisResult& result : results) result.findings.precise = is_precise(result.findings.detector);
  if (reader.run() != nullptr) {
    std::vector<Findings*> all;
    all.reserve(results.size());
    for (AnalysisResult& result : results) all.push_back(&result.findings);
    tell_in_full(all, *reader.run(), reopen);
  }
  say_losses(input.path, losses);
  return results;
}

void say_losses(const std::string& path, const Losses& losses) {
  const std::string name = path == "-" ? "standard input" : path;
  if (const std::string lost = describe_losses(losses); !lost.empty())
    std::fputs(fmt::format("deadheat: {}: {}\n", name, lost).c_str(), stderr);
  if (losses.truncated)
    std::fputs(fmt::format("deadheat: {} is truncated: read up to its last whole block\n", name).c_str(), stderr);
}

std::string describe_losses(const Losses& losses) {
  std::string text;
  const auto say = [&text](uint64_t count, std::string_view one, std::string_view many, std::string_view what) {
    if (count > 0) text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", count, count == 1 ? one : many, what);
  };
  say(losses.skipped_lines, "malformed line", "malformed lines", "skipped");
  say(losses.skipped_blocks, "corrupt block", "corrupt blocks", "skipped");
  say(losses.skipped_events, "event that made no sense", "events that made no sense", "skipped");
  say(losses.repaired_events, "event", "events", "repaired");
  return text;
}

}  // namespace deadheat::cli
