// A report as JUnit XML, which CI systems show beside the results of tests: each group is a failed test case; a report
// with no group is one case that passed.
//
// Bytes that XML cannot hold (control characters, what is not UTF-8) become U+FFFD.
// Tested by test/unit/report_model_test.cpp
#include <fmt/format.h>

#include "base/version.h"
#include "report/additions.h"
#include "report/finding_report.h"
#include "report/formats.h"
#include "report/parts.h"

namespace deadheat {

namespace {

std::string xml(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const size_t length = utf8_length(rest);
    const auto c = static_cast<unsigned char>(rest[0]);
    const bool is_nothing = length == 3 && (rest.starts_with("\xef\xbf\xbe") || rest.starts_with("\xef\xbf\xbf"));
    if (length == 0 || is_nothing || (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
      result += "\xef\xbf\xbd";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else if (c == '"')
      result += "&quot;";
    else if (c == '\n' || c == '\t')  // an attribute would lose them
      result += c == '\n' ? "&#10;" : "&#9;";
    else
      result += rest.substr(0, length);
    at += std::max<size_t>(length, 1);
  }
  return result;
}

// The same for text between tags, where ends of lines stay.
std::string xml_lines(std::string_view text) {
  std::string result;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    result += xml(text.substr(at, end - at));
    if (end < text.size()) result += '\n';
    at = end + 1;
  }
  return result;
}

std::string text_of(const ReportModel& model, const Group& group) {
  const Example& example = group.examples.front();
  ReportStyle style;
  if (example.run < model.runs.size()) {
    style.process = model.runs[example.run].facts.process;
    style.detector = model.runs[example.run].facts.detector;
  }
  std::string text;
  Sink sink = sink_of(text);
  write_finding_text(example.finding, style, sink);
  for (const std::string& line : additions_to(group)) text += harmless(line) + "\n";
  for (const std::string& line : ways_to_suppress(group)) text += harmless(line) + "\n";
  return text;
}

}  // namespace

void write_junit(const ReportModel& model, const FormatStyle&, std::FILE* out) {
  const size_t failures = model.groups.size(), tests = std::max<size_t>(failures, 1);
  const std::string counts = fmt::format(R"(tests="{}" failures="{}")", tests, failures);
  put(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  put(out,
      fmt::format("<testsuites {}>\n <testsuite name=\"deadheat\" {} errors=\"0\" skipped=\"0\">\n", counts, counts));
  put(out,
      fmt::format("  <properties><property name=\"version\" value=\"{}\"/><property name=\"records\" value=\"{}\"/>"
                  "<property name=\"runs\" value=\"{}\"/></properties>\n",
                  xml(kVersion), model.records, model.runs.size()));
  if (model.groups.empty())
    put(out, fmt::format("  <testcase classname=\"deadheat\" name=\"{}\"/>\n",
                         model.has_baseline ? "nothing new" : "nothing was reported"));
  for (const Group& group : model.groups) {
    const std::string places = group.places.empty() ? "" : group.places.front().first;
    put(out, fmt::format("  <testcase classname=\"deadheat.{}\" name=\"{} [{}]\">\n", finding_name(group.kind),
                         xml(group.title), group.fingerprint));
    put(out, fmt::format("   <failure type=\"{}\" message=\"{}\">{}</failure>\n", finding_name(group.kind),
                         xml(group.title + ", " + places), xml_lines(text_of(model, group))));
    put(out, "  </testcase>\n");
  }
  std::string notes;
  for (const std::string& line : gone_lines(model)) notes += "not seen in the last runs: " + line + "\n";
  for (const std::string& line : closing_lines(model)) notes += line + "\n";
  notes += summary_of(model) + "\n";
  put(out, fmt::format("  <system-out>{}</system-out>\n", xml_lines(notes)));
  put(out, " </testsuite>\n</testsuites>\n");
}

}  // namespace deadheat
