// The small numbers by which the rooms of the run time name things to each other. Each is an enum class, so that an
// origin cannot be passed where a thread is meant.
#pragma once

#include <cstdint>
#include <type_traits>

namespace deadheat::live {

enum class NodeId : uint32_t {};     // a call path, an access or a set of locks (paths/stacks.h)
enum class OriginId : uint32_t {};   // an access with the locks held (paths/stacks.h): what the shadow names
enum class EpochId : uint32_t {};    // an epoch in a shadow cell (order/epochs.h)
enum class ThreadUid : uint32_t {};  // a thread of this run, never used again

inline constexpr NodeId kNoNode{};  // the empty path, and the set of no locks
inline constexpr OriginId kNoOrigin{};
inline constexpr EpochId kNeverId{};  // the epoch before everything
inline constexpr ThreadUid kNobody{UINT32_MAX};

template <class Id>
  requires std::is_enum_v<Id>
constexpr uint32_t number_of(Id id) {
  return static_cast<uint32_t>(id);
}

// An id that its thread may change meanwhile.
template <class Id>
  requires std::is_enum_v<Id>
Id peek(const Id& id) {
  Id seen;
  __atomic_load(&id, &seen, __ATOMIC_RELAXED);
  return seen;
}

}  // namespace deadheat::live
