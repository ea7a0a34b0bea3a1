// The numbers by which Deadheat knows things. Names are interned once, at the edge; inside, everything is an id.
//
// Every id is an enum class, so that a lock cannot be passed where a variable is meant; `index` gives the bare number
// where an id is an index into a table. Ids of one kind are dense and handed out in the order of first appearance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace deadheat {

enum class ThreadId : uint32_t {};    // a thread, as named by the trace
enum class Slot : uint32_t {};        // a thread's place in vector clocks; used again only when that is exact
enum class LockId : uint32_t {};      // a lock, plain or reader-writer
enum class VariableId : uint32_t {};  // a variable with a name
enum class ObjectId : uint32_t {};    // what stands before `.` or `[` in the name of a variable
enum class LocationId : uint32_t {};  // a place in the code
enum class MessageId : uint32_t {};
enum class BarrierId : uint32_t {};
enum class SemaphoreId : uint32_t {};
enum class ConditionId : uint32_t {};

inline constexpr LocationId kNoLocation{UINT32_MAX};

template <class Id>
  requires std::is_enum_v<Id>
constexpr size_t index(Id id) {
  return static_cast<size_t>(id);
}

}  // namespace deadheat
