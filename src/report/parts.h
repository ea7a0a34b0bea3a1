// Small pieces that several reports are made of.
#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "race/race.h"

namespace deadheat {

// Keys stay in the order in which they were written.
using Json = nlohmann::ordered_json;

// Names are free, so they may be no UTF-8; JSON must be. What is not becomes U+FFFD.
inline std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

inline void put(std::FILE* out, std::string_view text) { std::fwrite(text.data(), 1, text.size(), out); }

// "1 race", "2 races"
std::string counted(uint64_t count, std::string_view one, std::string_view many);

// "26 events (2 threads, 5 variables, 1 lock)"
std::string counts_text(const TraceCounts& trace);
Json counts_json(const TraceCounts& trace);

}  // namespace deadheat
