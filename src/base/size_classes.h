// The sizes of an allocator's blocks: 16, 32, 48, 64, then four steps to every doubling. Above 64 bytes at most a
// fifth of a block is slack.
#pragma once

#include <bit>
#include <cstddef>

namespace deadheat {

inline constexpr size_t kSizeClasses = 4 * 48;

// The class of the smallest block that has room for so many bytes.
constexpr size_t size_class_of(size_t bytes) {
  const size_t units = bytes <= 16 ? 1 : (bytes + 15) / 16;
  if (units <= 4) return units - 1;
  const int top = static_cast<int>(std::bit_width(units - 1)) - 1;  // units - 1 in [2^top, 2^(top+1))
  return static_cast<size_t>(top - 1) * 4 + ((units - 1) >> (top - 2) & 3);
}

// The bytes of a block of the class.
constexpr size_t bytes_of_class(size_t size_class) {
  if (size_class < 4) return (size_class + 1) * 16;
  const size_t doublings = (size_class / 4 - 1) & 63;
  return ((size_class % 4 + 5) << doublings) * 16;
}

}  // namespace deadheat
