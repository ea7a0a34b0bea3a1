// A program that is analysed while it runs: the recorder's stream goes into the engine in this process.
//
// What the program did goes to a temporary trace as well, which is read again for reports (recorded_findings.h) and
// removed.
#pragma once

#include <span>
#include <vector>

#include "cli/program_run.h"
#include "cli/running_reports.h"
#include "engine/analysis.h"

namespace deadheat::cli {

struct AnalysedProgram {
  int status = 0;  // of the program, as waitpid gives it
  // For each process, the program first: a result for each analysis.
  std::vector<std::vector<AnalysisResult>> processes;
};

// `reports` prints what is found while the program runs.
AnalysedProgram analyze_program(const RunRequest& request, std::span<const AnalysisOptions> analyses,
                                RunningReports* reports = nullptr);

}  // namespace deadheat::cli
