// A place in the code as a key: what tells one line of a program, or one location of a trace, from another.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/text.h"
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

// Where the system and the compilers keep headers of libraries.
inline bool is_system_header(std::string_view file) {
  for (const std::string_view folder : {"/usr/include/", "/usr/lib/", "/usr/local/include/", "/usr/local/lib/"})
    if (starts_with(file, folder)) return true;
  constexpr std::string_view kAnywhere = "/include/c++/";
  for (size_t at = 0; at + kAnywhere.size() <= file.size(); ++at)
    if (starts_with(slice(file, at, file.size()), kAnywhere)) return true;
  return false;
}

// The innermost place of the program: neither an interceptor's nor, if there is another, in a header of the system.
inline CodePlace place_of(const Side& side) {
  CodePlace header;
  for (const StackFrame& frame : side.stack) {
    if (frame.ours) continue;
    if (!is_system_header(frame.file)) return place_of(frame);
    if (!header.is_known()) header = place_of(frame);
  }
  return header;
}

// What tells one variable from another: the name that a trace gives it, or the bytes.
using VariableKey = std::pair<std::string_view, uint64_t>;
inline VariableKey variable_of(const Finding& race) {
  if (race.memory.kind == Memory::kVariable) return {race.memory.name, 0};
  return {{}, race.both_begin};
}

// Of both accesses of a race, in either order; not known where an access or its location is not.
using PlacePair = std::pair<CodePlace, CodePlace>;
inline PlacePair places_of(const Finding& race) {
  const Side* const earlier = race.earlier();
  return std::minmax(earlier != nullptr ? place_of(*earlier) : CodePlace{},
                     race.is_race() ? place_of(race.sides[0]) : CodePlace{});
}

}  // namespace deadheat
