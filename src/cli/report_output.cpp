#include "cli/report_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "cli/commands.h"
#include "cli/output.h"
#include "report/formats.h"

namespace deadheat::cli {

namespace {

bool wants_colour(const ReportRequest& request) {
  if (request.color != "auto") return request.color == "always";
  const char* const terminal = std::getenv("TERM");
  return request.output.empty() && isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr &&
         terminal != nullptr && std::string_view(terminal) != "dumb";
}

CLI::Option* add_word(CLI::App& command, const std::string& name, std::string& value,
                      const std::vector<std::string>& words, const std::string& description) {
  return command.add_option(name, value, fmt::format("{} [{}]", description, value))
      ->check([words](const std::string& word) {
        const bool is_known = std::find(words.begin(), words.end(), word) != words.end();
        return is_known ? std::string{} : fmt::format("'{}' is none of {}", word, fmt::join(words, ", "));
      })
      ->option_text(fmt::format("{}", fmt::join(words, "|")));
}

}  // namespace

void add_report_request(CLI::App& command, ReportRequest& request) {
  std::vector<std::string> names;
  for (const Format& format : formats()) names.emplace_back(format.name);
  add_word(command, "--format", request.format, names, "Write the report in this form");
  command.add_option("--output", request.output, "Write the report to FILE, whole or not at all [standard output]")
      ->option_text("FILE");
  add_word(command, "--color", request.color, {"auto", "always", "never"}, "Use colours in text");
  command.add_flag("--no-source", request.no_source, "Do not show lines of the source");
  command
      .add_option("--source-root", request.source_root, "Look for source files with relative names in this folder [.]")
      ->option_text("FOLDER");
}

int write_report(ReportModel& model, const ReportRequest& request) {
  Output output(request.output);
  const Format* const format = find_format(request.format);
  if (format == nullptr) throw UsageError(fmt::format("there is no format {}", request.format));
  FormatStyle style;
  style.in_colour = wants_colour(request);
  style.with_source = !request.no_source;
  style.source_root = request.source_root;
  format->write(model, style, output.file());
  output.finish();
  return model.groups.empty() ? kExitNoRaces : kExitRaces;
}

}  // namespace deadheat::cli
