// The subcommands of `deadheat`: one file each, with its options, its help text and what it does.
//
// A subcommand is added to the application by one function, which describes its options to CLI11 and leaves an action
// behind when the user chose it. Help, man page and completion are all made from what these functions describe. A new
// subcommand is a file, a declaration here and a line in app.cpp.
#pragma once

#include <functional>
#include <stdexcept>

namespace CLI {
class App;
}

namespace deadheat::cli {

// 70, for what no input causes, is base/fatal.h's.
inline constexpr int kExitNoRaces = 0;
inline constexpr int kExitUsage = 2;  // bad usage, unreadable input, unwritable output
inline constexpr int kExitRaces = 66;

// What the user asked for cannot be done: one line, exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What a subcommand does after the command line was parsed; returns the exit code. May throw UsageError and TraceError.
using Action = std::function<int()>;

// Each adds a subcommand to `app`; its parse callback sets `action`, which must outlive the application.
void add_analyze_command(CLI::App& app, Action& action);
void add_compare_command(CLI::App& app, Action& action);
void add_detectors_command(CLI::App& app, Action& action);
void add_convert_command(CLI::App& app, Action& action);
void add_trace_command(CLI::App& app, Action& action);
void add_run_command(CLI::App& app, Action& action);
void add_record_command(CLI::App& app, Action& action);
void add_options_command(CLI::App& app, Action& action);
void add_report_command(CLI::App& app, Action& action);
void add_suppress_command(CLI::App& app, Action& action);
void add_explain_command(CLI::App& app, Action& action);
void add_man_command(CLI::App& app, Action& action);
void add_completion_command(CLI::App& app, Action& action);

// All of them, and the options that belong to no subcommand.
void add_all_commands(CLI::App& app, Action& action);

}  // namespace deadheat::cli
