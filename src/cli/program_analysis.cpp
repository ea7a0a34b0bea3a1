#include "cli/program_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>

#include "cli/commands.h"
#include "cli/recorder.h"
#include "cli/temporary_folder.h"
#include "cli/trace_analysis.h"

namespace deadheat::cli {

AnalysedProgram analyze_program(const RunRequest& request, std::span<const AnalysisOptions> analyses,
                                RunningReports* reports) {
  check_names(analyses);
  const bool every_access = std::any_of(analyses.begin(), analyses.end(),
                                        [](const AnalysisOptions& a) { return !needs_every_access(a).empty(); });
  const TemporaryFolder folder;
  std::mutex mutex;
  std::map<std::string, std::vector<AnalysisResult>> results;
  const auto consume = [&](record::RecordingReader& reader, const RecordedProcess& process) {
    TraceInput input;
    input.annotations = request.annotations;
    input.path = (folder.path() / (process.name + ".dht")).string();
    const auto writer = create_trace(input.path, TraceForm::kBinary, true);
    reader.copy_to(*writer);
    bool is_finished = false;
    const auto reopen = [&]() -> std::unique_ptr<TraceReader> {
      if (!is_finished && reader.is_at_end()) {
        writer->finish();
        is_finished = true;
      } else if (!is_finished) {
        writer->flush();
      }
      return open_trace(input.path);
    };
    FoundCallback tell;
    if (reports != nullptr) tell = [&](size_t, Findings& so_far) { reports->tell(process.name, so_far); };
    std::vector<AnalysisResult> found = run_analyses(reader, input, analyses, reopen, tell);
    if (reports != nullptr) reports->conclude(process.name, found[0].findings);
    const std::lock_guard lock(mutex);
    results[process.is_program ? "" : process.name] = std::move(found);
  };
  AnalysedProgram program;
  const RecordedEnd end = record_program(request, {.every_access = every_access}, consume);
  program.status = end.status;
  if (end.processes == 0) note("nothing was analysed: the program and its children never called the run time");
  for (auto& [name, found] : results) program.processes.push_back(std::move(found));
  return program;
}

}  // namespace deadheat::cli
