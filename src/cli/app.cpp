#include <CLI/CLI.hpp>
#include <string>

#include "base/version.h"
#include "cli/commands.h"

namespace deadheat::cli {

namespace {

// In the order in which help shows them.
constexpr void (*kCommands[])(CLI::App&, Action&) = {
    add_run_command,     add_record_command,  add_report_command,     add_suppress_command,  add_explain_command,
    add_options_command, add_analyze_command, add_compare_command,    add_detectors_command, add_convert_command,
    add_trace_command,   add_man_command,     add_completion_command,
};

}  // namespace

void add_all_commands(CLI::App& app, Action& action) {
  app.name("deadheat");
  app.description("Finds data races: pairs of accesses to the same memory that nothing orders.");
  app.set_version_flag("--version", std::string("deadheat ") + kVersion, "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.footer(
      "Exit status: 0 nothing was found; 66 races were found; 2 bad usage, unreadable input or unwritable output; "
      "70 an internal failure.");
  app.require_subcommand(1);
  for (const auto add : kCommands) add(app, action);
}

}  // namespace deadheat::cli
