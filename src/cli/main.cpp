// The `deadheat` program: parses the command line, runs the chosen subcommand, and turns whatever goes wrong into one
// line on standard error and an exit code.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>

#include "base/fatal.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/usage.h"
#include "event/trace.h"

namespace deadheat::cli {
namespace {

int fail(int exit_code, std::string_view what) {
  std::fputs(fmt::format("deadheat: {}\n", what).c_str(), stderr);  // not fmt::print: it throws if stderr is closed
  return exit_code;
}

int parse_and_run(int argc, char** argv) {
  Action action;
  CLI::App app;
  add_all_commands(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print_to_stdout(app.help());
    return 0;
  } catch (const CLI::CallForVersion& version) {
    print_to_stdout(fmt::format("{}\n", version.what()));
    return 0;
  } catch (const CLI::ParseError& error) {
    return fail(kExitUsage, explain(error, app));
  }
  return action();
}

int run(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const UsageError& error) {
    return fail(kExitUsage, error.what());
  } catch (const TraceError& error) {
    return fail(kExitUsage, error.what());
  } catch (const std::bad_alloc&) {
    return fail(kExitInternal, "out of memory");
  } catch (const std::exception& error) {
    return fail(kExitInternal, fmt::format("internal error: {}", error.what()));
  }
}

}  // namespace
}  // namespace deadheat::cli

int main(int argc, char** argv) { return deadheat::cli::run(argc, argv); }
