// `deadheat options`: the table of run-time options with their defaults, as text, as JSON, or as documentation.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/runtime_options.h"
#include "cli/commands.h"
#include "cli/output.h"

namespace deadheat::cli {

namespace {

enum class Format { kText, kJson, kMarkdown };

struct Group {
  OptionOrigin origin;
  std::string_view name;
  std::string_view title;
};
constexpr Group kGroups[] = {
    {OptionOrigin::kShared, "shared", "As in ThreadSanitizer"},
    {OptionOrigin::kOurs, "deadheat", "Deadheat's own"},
    {OptionOrigin::kAccepted, "accepted", "Accepted without effect"},
};

std::string_view type_name(OptionType type) {
  return type == OptionType::kSwitch ? "switch" : type == OptionType::kNumber ? "number" : "text";
}

std::string with_default(const RuntimeOptionInfo& option) {
  return fmt::format("{}={}", option.name, option.default_value);
}

std::string as_text() {
  size_t width = 0;
  for (const RuntimeOptionInfo& option : runtime_options()) width = std::max(width, with_default(option).size());
  std::string text =
      "Set in DEADHEAT_OPTIONS (or TSAN_OPTIONS, where only that is set), separated by ':', ',' or blanks.\n";
  for (const Group& group : kGroups) {
    text += fmt::format("\n{}:\n", group.title);
    for (const RuntimeOptionInfo& option : runtime_options())
      if (option.origin == group.origin)
        text += fmt::format("  {:<{}}  {}\n", with_default(option), width, option.help);
  }
  return text;
}

std::string as_markdown() {
  std::string text;
  for (const Group& group : kGroups) {
    text += fmt::format("{}## {}\n\n| option | default | meaning |\n| --- | --- | --- |\n", text.empty() ? "" : "\n",
                        group.title);
    for (const RuntimeOptionInfo& option : runtime_options())
      if (option.origin == group.origin)
        text += fmt::format("| `{}` | {} | {} |\n", option.name,
                            option.default_value.empty() ? "" : fmt::format("`{}`", option.default_value), option.help);
  }
  return text;
}

std::string as_json() {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Group& group : kGroups)
    for (const RuntimeOptionInfo& option : runtime_options())
      if (option.origin == group.origin)
        json.push_back({{"name", option.name},
                        {"type", type_name(option.type)},
                        {"default", option.default_value},
                        {"group", group.name},
                        {"help", option.help}});
  return json.dump(1) + "\n";
}

}  // namespace

void add_options_command(CLI::App& app, Action& action) {
  static const std::map<std::string, Format> kFormats = {
      {"text", Format::kText}, {"json", Format::kJson}, {"markdown", Format::kMarkdown}};
  CLI::App& command = *app.add_subcommand("options", "List the options of DEADHEAT_OPTIONS with their defaults");
  const auto format = std::make_shared<Format>(Format::kText);
  command.add_option("--format", *format, "Write the table in this form [text]")
      ->transform(CLI::CheckedTransformer(kFormats).description(""))
      ->option_text("text|json|markdown");
  command.callback([format, &action] {
    action = [format] {
      print_to_stdout(*format == Format::kJson ? as_json() : *format == Format::kMarkdown ? as_markdown() : as_text());
      return 0;
    };
  });
}

}  // namespace deadheat::cli
