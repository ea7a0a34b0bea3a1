// `deadheat record`: runs a program and writes a trace of what it does, to be analysed later.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>

#include "cli/commands.h"
#include "cli/recorder.h"
#include "event/binary_trace.h"

namespace deadheat::cli {

namespace {

namespace fs = std::filesystem;

struct RecordRequest {
  RunRequest run;
  std::string output;
  bool full = false;
  bool paused = false;
  std::string toggle;
};

// USR1, SIGUSR1 or 10.
int signal_named(std::string_view name) {
  const std::string_view bare = name.starts_with("SIG") ? name.substr(3) : name;
  for (int signal = 1; signal < NSIG; ++signal) {
    const char* const known = sigabbrev_np(signal);
    if ((known != nullptr && bare == known) || bare == std::to_string(signal))
      if (signal != SIGKILL && signal != SIGSTOP && signal != SIGCHLD) return signal;
  }
  throw UsageError(fmt::format("--toggle {}: expected a signal that can be caught, such as USR1", name));
}

// The program's own file, or one of another process: NAME.dht, NAME.PID.dht.
std::string file_of(const std::string& output, const RecordedProcess& process) {
  if (process.is_program) return output;
  fs::path path = output;
  const std::string suffix = path.extension();
  return path.replace_extension("." + process.name + suffix);
}

int record(const RecordRequest& request) {
  if (request.run.command.empty()) throw UsageError("record: expected a program to run");
  if (request.run.command[0].starts_with('-'))
    throw UsageError(
        fmt::format("record: there is no option {} (see 'deadheat record --help')", request.run.command[0]));
  const std::string output =
      request.output.empty() ? fs::path(request.run.command[0]).filename().string() + ".dht" : request.output;
  RecordingOptions options{.every_access = request.full, .paused = request.paused};
  if (!request.toggle.empty()) options.toggle_signal = signal_named(request.toggle);
  std::mutex speaking;
  const RecordedEnd end =
      record_program(request.run, options, [&](record::RecordingReader& reader, const RecordedProcess& process) {
        const std::string file = file_of(output, process);
        BinaryWriter writer(file, true);
        reader.write_to(writer);
        writer.finish();
        const std::lock_guard lock(speaking);
        note(fmt::format("{} events of process {} are in {}", writer.events(), process.process, file));
      });
  if (end.processes == 0) note("nothing was recorded: the program and its children never called the run time");
  return end_like(end.status);
}

}  // namespace

void add_record_command(CLI::App& app, Action& action) {
  CLI::App& command =
      *app.add_subcommand("record", "Run a program and write a trace of what it does, for 'analyze' and 'compare'");
  const auto request = std::make_shared<RecordRequest>();
  command.add_option("-o,--output", request->output, "The trace [PROGRAM.dht]; other processes have NAME.PID.dht")
      ->option_text("FILE");
  command.add_flag("--full", request->full,
                   "Every access, also those that repeat one of the same thread since it last let others proceed; "
                   "detectors that are not precise need it");
  command.add_flag("--paused", request->paused,
                   "Leave out plain accesses until the program calls DeadheatRecordingStart or the signal of --toggle "
                   "comes; what orders threads, and atomic operations, are recorded from the beginning");
  command
      .add_option("--toggle", request->toggle,
                  "Start or stop the recording of plain accesses whenever this process gets the signal")
      ->option_text("SIGNAL");
  command.add_flag("--no-preload", request->run.no_preload,
                   "Do not load the library into programs that did not ask for it");
  command.prefix_command();
  command.preparse_callback([&app](size_t) { app.prefix_command(); });
  command.footer(
      "deadheat record [OPTIONS] [--] PROGRAM [ARGUMENTS...]\n"
      "The exit status is the program's.");
  command.callback([request, &app, &command, &action] {
    request->run.command = command.remaining_size() > 0 ? command.remaining() : app.remaining();
    action = [request] { return record(*request); };
  });
}

}  // namespace deadheat::cli
