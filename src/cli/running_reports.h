// Reports of a program that still runs: each is printed once, as soon as its race is found and can be told in full.
//
// What is found is read up in the copy of the trace so far (recorded_findings.h), which takes longer the longer the
// program runs. So the engine asks for it at moments that are further and further apart, or when the program pauses
// (engine/analysis.h). When the program has ended, what was not told yet is told, and the summary of everything.
// Tested by test/record/ways running
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>

#include "race/findings.h"
#include "race/suppressions.h"

namespace deadheat::cli {

class RunningReports {
 public:
  RunningReports(Suppressions& rules, bool all) : rules_(rules), all_(all) {}

  // Of one process, from any thread: new findings while it runs, then once all of them.
  void tell(const std::string& process, Findings& found);
  void conclude(const std::string& process, Findings& found);

 private:
  void prepare(Findings& found);
  // Whether nothing like it was told of this process.
  bool is_new(const std::string& process, const Finding& race);

  Suppressions& rules_;
  const bool all_;  // without folds
  std::mutex mutex_;
  std::map<std::string, std::set<std::string>> told_;
};

}  // namespace deadheat::cli
