// A trace in memory, as the tests make, vary, shrink and print it.
//
// Ids need not be dense nor in the order of first appearance: `MemoryReader` renumbers them as a reader of a file
// would, so events can be dropped or put together freely. Everything that leaves a test goes by name.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "event/event.h"

namespace deadheat::test {

struct TestTrace {
  std::vector<Event> events;
  std::array<std::vector<std::string>, 9> names;  // by Operand, then by id
  std::vector<std::string> locations;             // by LocationId

  const std::string& name(Operand operand, uint64_t id) const { return names[static_cast<size_t>(operand)][id]; }
  std::string thread_name(ThreadId thread) const { return name(Operand::kThread, index(thread)); }
  std::string location_name(LocationId location) const;
  // The id of the object that the variable belongs to, UINT64_MAX if no event names that object.
  uint64_t object_of(uint64_t variable) const;
};

// Events in the STD notation, separated by blanks: "T0|w(x)|12 T0|fork(T1) T1|ld(a.f,acquire)". An event without a
// location gets its number as one. Throws std::invalid_argument if it is malformed.
TestTrace parse_trace(std::string_view text);

// The same notation, one event a line: what a failing test prints, and what `deadheat analyze` reads.
std::string to_text(const TestTrace& trace);

}  // namespace deadheat::test
