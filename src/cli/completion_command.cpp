// `deadheat completion`: a completion script for bash, made from the same description as `--help`. The build runs it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/output.h"
#include "engine/analysis.h"

namespace deadheat::cli {

namespace {

std::vector<const CLI::App*> visible_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

// "|deadheat analyze|deadheat trace|deadheat trace print|"
std::string all_paths(const CLI::App& app, const std::string& path) {
  std::string paths = "|";
  for (const CLI::App* command : visible_commands(app)) {
    const std::string name = path + " " + command->get_name();
    paths += name + all_paths(*command, name);
  }
  return paths;
}

// The words an option takes, if they are a closed list.
std::vector<std::string> values_of(const CLI::Option& option) {
  std::vector<std::string> values;
  if (option.check_lname("detector"))
    for (const DetectorInfo& detector : detectors()) values.emplace_back(detector.name);
  else if (option.check_lname("filter"))
    for (const FilterInfo& filter : filters()) values.emplace_back(filter.name);
  else if (option.get_option_text().find('|') != std::string::npos)
    values = CLI::detail::split(option.get_option_text(), '|');
  return values;
}

// One branch for each command: what may follow it, and the values of its options.
void append_cases(const CLI::App& app, const std::string& path, std::string& script) {
  std::vector<std::string> words;
  std::string values;
  for (const CLI::App* command : visible_commands(app)) words.push_back(command->get_name());
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    if (const auto list = values_of(*option); !list.empty())
      values += fmt::format("        --{}) words=\"{}\" ;;\n", option->get_lnames().front(), fmt::join(list, " "));
  }
  script += fmt::format("    \"{}\")\n      words=\"{}\"\n", path, fmt::join(words, " "));
  if (!values.empty()) script += fmt::format("      case $before in\n{}      esac\n", values);
  script += "      ;;\n";
  for (const CLI::App* command : visible_commands(app))
    append_cases(*command, path + " " + command->get_name(), script);
}

std::string bash_completion(const CLI::App& app) {
  std::string script =
      "# bash completion for deadheat, printed by `deadheat completion`\n"
      "_deadheat() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} path=deadheat words= i\n"
      "  local commands=\"";
  script += all_paths(app, app.get_name());
  script +=
      "\"\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    [[ $commands == *\"|$path ${COMP_WORDS[i]}|\"* ]] && path+=\" ${COMP_WORDS[i]}\"\n"
      "  done\n"
      "  case $path in\n";
  append_cases(app, app.get_name(), script);
  script +=
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  if [[ $word != -* && ${#COMPREPLY[@]} -eq 0 ]]; then COMPREPLY=($(compgen -f -- \"$word\")); fi\n"
      "}\n"
      "complete -o filenames -F _deadheat deadheat\n";
  return script;
}

}  // namespace

void add_completion_command(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("completion", "Print a completion script for bash");
  command.group("");
  command.callback([&app, &action] {
    action = [&app] {
      print_to_stdout(bash_completion(app));
      return 0;
    };
  });
}

}  // namespace deadheat::cli
