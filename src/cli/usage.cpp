#include "cli/usage.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <numeric>

namespace deadheat::cli {

namespace {

// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
size_t typing_mistakes(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!command->get_group().empty()) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// "deadheat analyze": how the user would ask for help on `app`.
std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

// The subcommand the user got to: `app` itself if none.
const CLI::App& chosen_command(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().back();
  return *command;
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  const std::string* best = nullptr;
  size_t best_mistakes = word.size() / 3 + 1;  // more than every third letter wrong is another word
  for (const std::string& candidate : candidates) {
    const size_t mistakes = typing_mistakes(word, candidate);
    const bool is_nearer = mistakes < best_mistakes || (mistakes == best_mistakes && best == nullptr);
    if (is_nearer && mistakes < std::max(word.size(), candidate.size())) {
      best = &candidate;
      best_mistakes = mistakes;
    }
  }
  return best == nullptr ? std::string{} : *best;
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates) {
  const std::string meant = nearest(word, candidates);
  return meant.empty() ? std::string{} : fmt::format("; did you mean '{}'?", meant);
}

std::string explain(const CLI::ParseError& error, const CLI::App& app) {
  const CLI::App& command = chosen_command(app);
  const std::string help = fmt::format(" (see '{} --help')", full_name(command));
  // An argument that was not understood explains more than an argument that is missing because of it.
  const std::vector<std::string> unknown = command.remaining();
  for (const std::string& word : unknown) {
    if (word.size() < 2 || word[0] != '-') continue;
    const std::string name = word.substr(0, word.find('='));
    return fmt::format("unknown option '{}'{}{}", name, suggestion(name, option_names(command)), help);
  }
  const std::vector<std::string> commands = command_names(command);
  if (!unknown.empty() && !commands.empty())
    return fmt::format("unknown command '{}'{}{}", unknown[0], suggestion(unknown[0], commands), help);
  if (!unknown.empty()) return fmt::format("unexpected argument '{}'{}", unknown[0], help);
  if (!commands.empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr)
    return fmt::format("a command is missing: {}{}", fmt::join(commands, ", "), help);
  std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    text = fmt::format("{} needs a value", text.substr(0, text.find(':')));
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0)
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text + help;
}

}  // namespace deadheat::cli
