// `deadheat suppress RECORDS`: the lines of a suppressions file that hide chosen groups.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <set>

#include "cli/choice.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/record_input.h"
#include "race/ranking.h"
#include "report/parts.h"

namespace deadheat::cli {

namespace {

struct Options {
  std::vector<std::string> records;
  std::vector<std::string> groups;  // beginnings of fingerprints; none means all
  SuppressBy by = SuppressBy::kFunctions;
  std::string output;
};

bool is_chosen(const Group& group, const std::vector<std::string>& wanted) {
  if (wanted.empty()) return true;
  for (const std::string& beginning : wanted)
    for (const std::string& fingerprint : group.fingerprints)
      if (fingerprint.starts_with(beginning)) return true;
  return false;
}

int run(const Options& options) {
  Output output(options.output);
  Arena arena;
  Suppressions none(arena);
  const ReportModel model = read_record_files(options.records, none);
  size_t written = 0;
  for (const Group& group : model.groups) {
    if (!is_chosen(group, options.groups)) continue;
    ++written;
    std::set<std::string> told;
    std::string text = fmt::format("# {} {}\n", group.fingerprint, harmless(group.title));
    // A group may have several pairs of functions: every example needs its line.
    for (const Example& example : group.examples) {
      const std::vector<std::string> lines = suppressions_for(example.finding, options.by);
      if (lines.empty()) {
        text += "# nothing is known of a record that a suppression could name\n";
        break;
      }
      if (told.insert(lines.front()).second) text += lines.front() + "\n";
    }
    put(output.file(), text);
  }
  if (written == 0 && !options.groups.empty())
    throw UsageError(fmt::format("no group has a fingerprint that begins with {}", fmt::join(options.groups, " or ")));
  output.finish();
  return kExitNoRaces;
}

}  // namespace

void add_suppress_command(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("suppress", "Write the suppressions that hide what race records tell");
  const auto options = std::make_shared<Options>();
  command.add_option("RECORDS", options->records, "Files of race records; - is standard input")
      ->option_text(" ")
      ->required();
  command
      .add_option("--group", options->groups,
                  "Only this group, by its fingerprint or the beginning of it; may be repeated [all]")
      ->option_text("FINGERPRINT")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_choice(command, "--by", options->by, {"functions", "offsets"},
             "Name the two functions, or module and offset of both places, which needs no symbols");
  command.add_option("--output", options->output, "Write to FILE, whole or not at all [standard output]")
      ->option_text("FILE");
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace deadheat::cli
