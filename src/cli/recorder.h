// Runs a program with the recording run time under it, and hands every process of it that is watched to a consumer,
// while it runs.
//
// Each process has a channel in a folder of shared memory (base/recording.h), and a thread of ours that reads it. The
// program waits when its buffers are full; so a slow consumer slows the program, and loses nothing. A consumer that
// fails says so once, and the rest is read and thrown away: the program is not stopped by what becomes of its records.
#pragma once

#include <functional>
#include <string>

#include "cli/program_run.h"
#include "record/recording_reader.h"

namespace deadheat::cli {

struct RecordedProcess {
  uint32_t process = 0;
  bool is_program = false;  // the program itself, not a child of it, nor what it became by exec
  std::string name;         // "1234", or "1234.1" for what the process became
};

// Called in a thread of its own for each process. What it throws as TraceError is said.
using Consume = std::function<void(record::RecordingReader& reader, const RecordedProcess& process)>;

struct RecordedEnd {
  int status = 0;          // of the program, as waitpid gives it
  unsigned processes = 0;  // that were recorded
  bool failed = false;     // a consumer did
};

struct RecordingOptions {
  bool every_access = false;
  bool paused = false;    // plain accesses are left out at first
  int toggle_signal = 0;  // which, sent to us, starts and stops the recording of accesses; 0: none
};

RecordedEnd record_program(const RunRequest& request, const RecordingOptions& options, const Consume& consume);

}  // namespace deadheat::cli
