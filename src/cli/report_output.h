// What every command that writes a report shares: its format and where it goes.
#pragma once

#include <string>

#include "race/report_model.h"

namespace CLI {
class App;
}

namespace deadheat::cli {

struct ReportRequest {
  std::string format = "text";
  std::string output;          // empty: standard output
  std::string color = "auto";  // auto, always, never
  bool no_source = false;
  std::string source_root;
};

void add_report_request(CLI::App& command, ReportRequest& request);

// Writes it, and gives the exit code. Throws UsageError if it cannot be written.
int write_report(ReportModel& model, const ReportRequest& request);

}  // namespace deadheat::cli
