// What every command that writes a report shares: its format and where it goes.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "race/report_model.h"

namespace CLI {
class App;
}

namespace deadheat::cli {

struct ReportRequest {
  std::string format = "text";
  std::string output = {};     // empty: standard output
  std::string color = "auto";  // auto, always, never
  bool no_source = false;
  std::string source_root = {};
  std::string baseline = {};  // an earlier report or records; empty for none
  std::string database = {};  // empty for none
  std::string label = {};     // of runs that have none, for the database
};

// --format, with the names of the table of formats.
void add_format_option(CLI::App& command, std::string& format);
void add_report_request(CLI::App& command, ReportRequest& request);

// Adds the report to the database, leaves out what the baseline knows, writes the rest, and gives the exit code. The model
// was made with the request's baseline (baseline.h). Throws UsageError if something cannot be read or written.
int write_report(ReportModel& model, const ReportRequest& request);
// What the database knows of all runs.
int write_database_report(const ReportRequest& request);

// The findings of analyses as a report: each analysis is a run, called after its detector.
ReportModel model_of(std::span<const Findings* const> analyses, std::string_view program,
                     const std::set<std::string>* known = nullptr);

}  // namespace deadheat::cli
