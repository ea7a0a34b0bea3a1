// Strided ranges: the sets of array indices that SlimState can grow an index at a time.
//
//   <b:e:k> = { b + i*k | b <= b + i*k <= e },   EMPTY = <1:0:1>
//
// For all that are not empty: b <= e, k >= 1, k divides e - b; a single index has k = 1. Indices stay below 2^28
// (kMostElements), so no sum of two of them overflows.
// Tested by test/rules/slimstate_test.cpp, by brute force against sets
#pragma once

#include <cstdint>

namespace deadheat {

inline constexpr uint64_t kMostElements = uint64_t{1} << 28;

struct StridedRange {
  uint32_t b = 1, e = 0, k = 1;

  constexpr bool empty() const { return b > e; }
  constexpr uint32_t size() const { return empty() ? 0 : (e - b) / k + 1; }
  constexpr bool contains(uint32_t i) const { return i >= b && i <= e && (k == 1 || (i - b) % k == 0); }

  // What adding an index comes to; the range is changed unless it is kCannot.
  enum class Growth : uint8_t { kHadIt, kFirst, kUp, kDown, kCannot };
  constexpr Growth add(uint32_t i) {
    if (empty()) {
      *this = {i, i, 1};
      return Growth::kFirst;
    }
    if (b == e && i != b) {  // the second index sets the stride
      k = i > b ? i - b : b - i;
    }
    if (i == e + k) {
      e = i;
      return Growth::kUp;
    }
    if (i + k == b) {
      b = i;
      return Growth::kDown;
    }
    return contains(i) ? Growth::kHadIt : Growth::kCannot;
  }

  friend constexpr bool operator==(const StridedRange&, const StridedRange&) = default;
};

}  // namespace deadheat
