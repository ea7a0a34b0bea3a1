// The part of api.h that must be in line: what a compiled access costs when it is already recorded, and the frames of functions.
//
// Each access begins with the hit test: a cell equal to the thread's current id means that this access is already recorded. One load
// and one compare, no frame; a miss leaves by a jump to the slow path (live/shadow/access.cpp). Only capture/tsan_access.cpp includes
// this header; an answer of another kind (api.h) has a hits.h of its own with the same functions. Our own compiler pass will put the
// same test into the program. Tested by test/codegen, which keeps the disassembly: a slower one shows up in its diff.
#pragma once

#include <emmintrin.h>

#include <cstddef>
#include <cstdint>

#include "live/order/thread.h"
#include "live/shadow/shadow.h"

namespace deadheat::live {

enum Access : bool { kReading, kWriting };

// Whether so many cells are all the thread's current id.
template <unsigned kWords>
inline bool are_current(const Cell* cells) {
  if constexpr (kWords == 1) {
    uint32_t one;
    __builtin_memcpy(&one, cells, 4);
    return __builtin_expect(one == static_cast<uint32_t>(tls.current_twice), 1);
  } else if constexpr (kWords == 2) {
    uint64_t both;
    __builtin_memcpy(&both, cells, 8);
    return __builtin_expect(both == tls.current_twice, 1);
  } else {
    const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(cells));
    const __m128i mine = _mm_set1_epi32(static_cast<int>(tls.current_twice));
    return __builtin_expect(_mm_movemask_epi8(_mm_cmpeq_epi32(four, mine)) == 0xffff, 1);
  }
}

// Whether the current id stands in a cell for the bytes of the access, if not for the whole word.
template <size_t kBytes>
inline bool has_bytes(Cell cell, uintptr_t address) {
  const uint32_t other = cell ^ static_cast<uint32_t>(tls.current_twice), bytes = other >> kIdBits;
  constexpr uint32_t kAll = (1u << kBytes) - 1;
  return (other & kIdMask) == 0 && bytes < 15 && (bytes >> (address & 3) & kAll) == kAll;
}

// Whether an access that begins at a word, or lies in one, is recorded already. Programs let the compiler believe that
// an address is aligned where it is not: then it is no hit, and the slow path sorts it out.
template <size_t kBytes, Access access>
inline bool is_hit(const void* address) {
  constexpr unsigned kWords = kBytes < 4 ? 1 : kBytes / 4;
  const uintptr_t at = reinterpret_cast<uintptr_t>(address);
  if (kBytes > 1 && __builtin_expect((at & (kBytes == 2 ? 1 : 3)) != 0, 0)) return false;
  if (access == kReading && are_current<kWords>(own_read_cell(at))) return true;
  if (are_current<kWords>(cell_of(kPlaneW, at))) return true;
  if constexpr (kBytes >= 4) return false;
  return has_bytes<kBytes>(access == kReading ? load(own_read_cell(at)) & ~kHasOlder : load(cell_of(kPlaneW, at)), at);
}
// The access is recorded, and told if it races.
template <size_t kBytes, Access access>
inline void miss(const void* address, uintptr_t pc) {
  const uintptr_t at = reinterpret_cast<uintptr_t>(address);
  if constexpr (kBytes < 4)
    bytes_slow<kBytes, access == kWriting ? AccessKind::kWrite : AccessKind::kRead>(at, pc);
  else if constexpr (access == kWriting)
    write_words_slow<kBytes / 4>(at, pc);
  else
    read_words_slow<kBytes / 4>(at, pc);
}

// The words of the first and the last byte, and those between.
template <size_t kBytes, Access access>
__attribute__((noinline)) void across_words(uintptr_t begin, uintptr_t pc) {
  const auto is_current = [](const Cell* first, const Cell* last) {
    uint32_t different = 0;
    for (const Cell* cell = first; cell <= last; ++cell)
      different |= load(cell) ^ static_cast<uint32_t>(tls.current_twice);
    return __builtin_expect(different == 0, 1);
  };
  const uintptr_t last = begin + kBytes - 1;
  if (access == kReading && is_current(own_read_cell(begin), own_read_cell(last))) return;
  if (is_current(cell_of(kPlaneW, begin), cell_of(kPlaneW, last))) return;
  access_slow(begin, kBytes, access == kWriting ? AccessKind::kWrite : AccessKind::kRead, pc);
}

// An access that may cross words. Most begin at a word all the same (vectorised loops over 4-byte elements).
template <size_t kBytes, Access access>
inline void unaligned(const void* address, uintptr_t pc) {
  const uintptr_t at = reinterpret_cast<uintptr_t>(address);
  if (kBytes < 4 || __builtin_expect((at & 3) != 0, 0)) return across_words<kBytes, access>(at, pc);
  if (!is_hit<kBytes, access>(address)) miss<kBytes, access>(address, pc);
}

// The program enters a function, called from `pc`, and leaves the innermost one.
__attribute__((always_inline)) inline void function_entered(uintptr_t pc) { push_frame(pc); }
inline void function_left() { pop_frame(); }

}  // namespace deadheat::live
