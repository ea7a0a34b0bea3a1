// Small pieces that several reports are made of.
#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "race/findings.h"
#include "report/finding_report.h"

namespace deadheat {

// Keys stay in the order in which they were written.
using Json = nlohmann::ordered_json;

// On one line.
inline std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

inline void put(std::FILE* out, std::string_view text) { std::fwrite(text.data(), 1, text.size(), out); }
inline Sink sink_of(std::FILE* out) {
  return {[](void* to, std::string_view text) { put(static_cast<std::FILE*>(to), text); }, out};
}
inline Sink sink_of(std::string& out) {
  return {[](void* to, std::string_view text) { static_cast<std::string*>(to)->append(text); }, &out};
}

// A text that does no harm to a terminal and stays on its line, as a Name in a sink.
std::string harmless(std::string_view text);

// Why the accesses of a race are not ordered, a sentence each (explanation.h).
std::vector<std::string> explanation_lines(const Finding& finding);

ReportStyle style_of(const Findings& findings);

// "1 race", "2 races"
std::string counted(uint64_t count, std::string_view one, std::string_view many);

// "26 events (2 threads, 5 variables, 1 lock)"
std::string counts_text(const TraceCounts& trace);
Json counts_json(const TraceCounts& trace);

}  // namespace deadheat
