// `deadheat man`: the manual page in roff, made from the same description as `--help`. The build runs it.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <string>

#include "base/version.h"
#include "cli/commands.h"
#include "cli/output.h"

namespace deadheat::cli {

namespace {

// Backslashes and hyphens mean something to roff, and so do dots and quotes at the start of a line.
std::string escaped(std::string_view text) {
  std::string roff;
  for (const char c : text) {
    if (c == '-')
      roff += "\\-";
    else if (c == '\\')
      roff += "\\e";
    else if ((c == '.' || c == '\'') && (roff.empty() || roff.back() == '\n'))
      roff += fmt::format("\\&{}", c);
    else
      roff += c;
  }
  return roff;
}

bool is_hidden(const CLI::App& command) { return command.get_group().empty(); }

void append_option(const CLI::Option& option, std::string& page) {
  const bool is_positional = option.get_positional();
  page += fmt::format(".TP\n.B {}", escaped(option.get_name(is_positional, !is_positional)));
  if (!is_positional && !option.get_option_text().empty())
    page += fmt::format(" \\fI{}\\fR", escaped(option.get_option_text()));
  page += fmt::format("\n{}\n", escaped(option.get_description()));
}

void append_options(const CLI::App& command, std::string& page) {
  for (const bool positional : {true, false})
    for (const CLI::Option* option : command.get_options())
      if (option->get_positional() == positional && !option->get_group().empty()) append_option(*option, page);
}

// A section for every command that does something itself; one with subcommands only groups them.
void append_commands(const CLI::App& parent, const std::string& path, std::string& page) {
  for (const CLI::App* command : parent.get_subcommands([](const CLI::App*) { return true; })) {
    if (is_hidden(*command)) continue;
    const std::string name = path + " " + command->get_name();
    std::string operands;
    for (const CLI::Option* option : command->get_options())
      if (option->get_positional()) operands += fmt::format(" \\fI{}\\fR", escaped(option->get_name(true)));
    const bool only_groups = !command->get_subcommands([](const CLI::App*) { return true; }).empty();
    if (!only_groups) {
      page +=
          fmt::format(".SS \"{} \\fR[options]{}\"\n{}\n", escaped(name), operands, escaped(command->get_description()));
      append_options(*command, page);
    }
    append_commands(*command, name, page);
  }
}

std::string man_page(const CLI::App& app) {
  std::string page = fmt::format(".TH DEADHEAT 1 \"\" \"deadheat {}\" \"User Commands\"\n", kVersion);
  page += ".SH NAME\ndeadheat \\- find data races\n";
  page += ".SH SYNOPSIS\n.B deadheat\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIOPERANDS\\fR]\n";
  page += fmt::format(".SH DESCRIPTION\n{}\n", escaped(app.get_description()));
  page += ".SH OPTIONS\n";
  append_options(app, page);
  page += ".SH COMMANDS\n";
  append_commands(app, app.get_name(), page);
  const std::string footer = app.get_footer();
  page += fmt::format(".SH EXIT STATUS\n{}\n", escaped(footer.substr(footer.find(':') + 2)));
  return page;
}

}  // namespace

void add_man_command(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("man", "Print the manual page in roff");
  command.group("");
  command.callback([&app, &action] {
    action = [&app] {
      print_to_stdout(man_page(app));
      return 0;
    };
  });
}

}  // namespace deadheat::cli
