#include "report/parts.h"

#include <fmt/core.h>

namespace deadheat {

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
