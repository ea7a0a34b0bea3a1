// `deadheat detectors`: the tables of detectors and filters, as text, as JSON, or as the README shows them.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/choice.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "engine/analysis.h"

namespace deadheat::cli {

namespace {

enum class Format { kText, kJson, kMarkdown };

std::string_view yes_no(bool value) { return value ? "yes" : "no"; }

std::string as_text() {
  size_t width = 8;
  for (const DetectorInfo& detector : detectors()) width = std::max(width, detector.name.size());
  for (const FilterInfo& filter : filters()) width = std::max(width, filter.name.size());
  std::string text = fmt::format("{:<{}}  precise  promise\n", "detector", width);
  for (const DetectorInfo& detector : detectors())
    text += fmt::format("{:<{}}  {:<7}  {} [{}]\n", detector.name, width, yes_no(detector.precise), detector.promise,
                        detector.paper);
  if (filters().empty()) return text;
  text += fmt::format("\n{:<{}}           promise\n", "filter", width);
  for (const FilterInfo& filter : filters())
    text += fmt::format("{:<{}}           {}\n", filter.name, width, filter.promise);
  return text;
}

std::string as_markdown() {
  std::string text = "| detector | precise | promise | from |\n| --- | --- | --- | --- |\n";
  for (const DetectorInfo& detector : detectors())
    text += fmt::format("| `{}` | {} | {} | {} |\n", detector.name, yes_no(detector.precise), detector.promise,
                        detector.paper);
  if (filters().empty()) return text;
  text += "\n| filter | promise |\n| --- | --- |\n";
  for (const FilterInfo& filter : filters()) text += fmt::format("| `{}` | {} |\n", filter.name, filter.promise);
  return text;
}

std::string as_json() {
  using Json = nlohmann::ordered_json;
  Json json = {{"detectors", Json::array()}, {"filters", Json::array()}};
  for (const DetectorInfo& detector : detectors())
    json["detectors"].push_back({{"name", detector.name},
                                 {"precise", detector.precise},
                                 {"promise", detector.promise},
                                 {"paper", detector.paper}});
  for (const FilterInfo& filter : filters())
    json["filters"].push_back({{"name", filter.name}, {"promise", filter.promise}});
  return json.dump(1) + "\n";
}

}  // namespace

void add_detectors_command(CLI::App& app, Action& action) {
  CLI::App& command = *app.add_subcommand("detectors", "List the detectors and filters and what each promises");
  const auto format = std::make_shared<Format>(Format::kText);
  add_choice(command, "--format", *format, {"text", "json", "markdown"}, "Write the tables in this form");
  command.callback([format, &action] {
    action = [format] {
      print_to_stdout(*format == Format::kJson ? as_json() : *format == Format::kMarkdown ? as_markdown() : as_text());
      return 0;
    };
  });
}

}  // namespace deadheat::cli
