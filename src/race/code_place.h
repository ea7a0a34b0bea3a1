// A place in the code as a key: what tells one line of a program, or one location of a trace, from another.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string_view>
#include <utility>

#include "race/finding.h"

namespace deadheat {

struct CodePlace {
  std::string_view where = {};  // a file, or a location of a trace; without debug information a module
  uint64_t number = 0;          // the line, or the offset

  bool is_known() const { return !where.empty(); }
  auto operator<=>(const CodePlace&) const = default;
};

inline CodePlace place_of(const StackFrame& frame) {
  if (!frame.file.empty()) return {frame.file, static_cast<uint64_t>(frame.line)};
  return {frame.module, frame.offset};
}

// The innermost one that is not an interceptor's.
inline CodePlace place_of(const Side& side) {
  for (const StackFrame& frame : side.stack)
    if (!frame.ours) return place_of(frame);
  return {};
}

// Of both accesses of a race, in either order; not known where an access or its location is not.
using PlacePair = std::pair<CodePlace, CodePlace>;
inline PlacePair places_of(const Finding& race) {
  const Side* const earlier = race.earlier();
  return std::minmax(earlier != nullptr ? place_of(*earlier) : CodePlace{},
                     race.is_race() ? place_of(race.sides[0]) : CodePlace{});
}

}  // namespace deadheat
