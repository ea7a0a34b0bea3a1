#include "report/parts.h"

#include <fmt/core.h>

#include <vector>

#include "report/explanation.h"

namespace deadheat {

std::string harmless(std::string_view text) {
  std::string result;
  sink_of(result).put(Name{text});
  return result;
}

std::vector<std::string> explanation_lines(const Finding& finding) {
  std::string text;
  Sink sink = sink_of(text);
  write_explanation(finding, sink);  // no name in it has the end of a line
  std::vector<std::string> lines;
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    lines.push_back(text.substr(begin, end - begin));
  return lines;
}

ReportStyle style_of(const Findings& findings) {
  return {.process = findings.process, .precise = findings.precise, .detector = findings.detector};
}

std::string counted(uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string counts_text(const TraceCounts& trace) {
  return fmt::format("{} ({}, {}, {})", counted(trace.events, "event", "events"),
                     counted(trace.threads, "thread", "threads"), counted(trace.variables, "variable", "variables"),
                     counted(trace.locks, "lock", "locks"));
}

Json counts_json(const TraceCounts& trace) {
  return {{"events", trace.events}, {"threads", trace.threads}, {"variables", trace.variables}, {"locks", trace.locks}};
}

}  // namespace deadheat
