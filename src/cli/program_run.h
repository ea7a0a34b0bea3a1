// What the commands that run a program share: finding it, putting the run time under it, signals, and its end.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "wrapper/run_time.h"

namespace deadheat::cli {

struct RunRequest {
  std::vector<std::string> options;  // name=value
  std::string suppressions, annotations;
  std::string flags;  // for the compiler
  bool coverage = false;
  bool no_preload = false;
  std::vector<std::string> command;
};

// The program's place, by the search path if it has no folder. Throws UsageError.
std::string find_program(const std::string& name);
// The run time beside this program. Throws UsageError.
wrapper::RunTime installed_run_time();
// What the user has set goes first, so that the command line has the last word.
std::string merged_options(const RunRequest& request);
// Makes the environment of a program so that the library in `folder` is under it. Throws for one that cannot be watched.
void prepare(const std::string& path, bool no_preload, const std::string& folder);

std::vector<char*> pointers_to(std::vector<std::string>& words);
// Signals that somebody sends to us are for the program.
void forward_signals(bool on);
pid_t spawn(std::vector<std::string>& words);
// The status, as waitpid gives it.
int wait_for(pid_t child);
// Ends as the program ended: by the same status, or by the same signal (without a second core file).
int end_like(int status);
// One line on standard error.
void note(const std::string& text);

}  // namespace deadheat::cli
