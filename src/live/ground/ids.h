// The small numbers by which the rooms of the run time name things to each other.
#pragma once

#include <cstdint>

namespace deadheat::live {

using NodeId = uint32_t;  // a call path, an access or a set of locks (paths/stacks.h); 0 is the empty path
enum class EpochId : uint32_t {
};                           // an epoch in a shadow cell (order/epochs.h); kNeverId is the epoch before everything
using ThreadUid = uint32_t;  // a thread of this run, never used again

inline constexpr EpochId kNeverId{};
constexpr uint32_t index(EpochId id) { return static_cast<uint32_t>(id); }

}  // namespace deadheat::live
