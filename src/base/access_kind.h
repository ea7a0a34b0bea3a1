// How an event touches memory, apart from the order it may create.
#pragma once

#include <cstdint>

namespace deadheat {

enum class AccessKind : uint8_t { kNone, kRead, kWrite, kAtomicRead, kAtomicWrite, kFree };
inline constexpr unsigned kAccessKinds = 6;

constexpr bool is_write(AccessKind kind) {
  return kind == AccessKind::kWrite || kind == AccessKind::kAtomicWrite || kind == AccessKind::kFree;
}
constexpr bool is_atomic(AccessKind kind) {
  return kind == AccessKind::kAtomicRead || kind == AccessKind::kAtomicWrite;
}

}  // namespace deadheat
