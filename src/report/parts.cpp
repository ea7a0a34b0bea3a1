#include "report/parts.h"

#include <fmt/core.h>

namespace deadheat {

namespace {

// The length of a colour that a text begins with; 0 if it begins with none.
size_t colour_length(std::string_view text) {
  if (!text.starts_with("\033[")) return 0;
  size_t end = 2;
  while (end < text.size() && end < 8 && ((text[end] >= '0' && text[end] <= '9') || text[end] == ';')) ++end;
  return end < text.size() && text[end] == 'm' ? end + 1 : 0;
}

}  // namespace

std::string harmless(std::string_view text, Keep keep) {
  std::string result;
  result.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const auto c = static_cast<unsigned char>(text[at]);
    size_t length = utf8_length(rest);
    const bool is_control =
        c < 0x20 || c == 0x7f || (length == 2 && c == 0xc2 && static_cast<unsigned char>(rest[1]) < 0xa0);
    if (keep != Keep::kNothing && (c == '\n' || c == '\t'))
      length = 1;
    else if (const size_t colour = keep == Keep::kLinesAndColours ? colour_length(rest) : 0; colour != 0)
      length = colour;
    else if (is_control || length == 0)
      length = 0;
    if (length == 0) {
      result += fmt::format("\\x{:02x}", c);
      length = 1;
    } else {
      result += rest.substr(0, length);
    }
    at += length;
  }
  return result;
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
