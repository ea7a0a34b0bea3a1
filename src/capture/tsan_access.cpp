// The entry points that compilers call for every access, function entry and exit under -fsanitize=thread.
//
// Each begins with the hit test: a cell equal to the thread's current id means that this access is already recorded.
// One load and one compare, no frame; a miss leaves by a jump to the slow path (live/shadow/shadow.cpp).
// The disassembly of the hit paths is kept in test/codegen: a slower one shows up in its diff.
#include <emmintrin.h>

#include "live/order/thread.h"
#include "live/paths/called.h"
#include "live/shadow/shadow.h"

// A line of the processor's cache for each: where a hit path straddles two it takes half as long again.
#define EXPORT extern "C" __attribute__((visibility("default"), aligned(64)))
#define PC reinterpret_cast<uintptr_t>(__builtin_return_address(0))

namespace {

using namespace deadheat::live;
using deadheat::AccessKind;

inline uintptr_t key(const void* address) { return reinterpret_cast<uintptr_t>(address); }

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
inline bool has_bytes(Cell cell, const void* address) {
  const uint32_t other = cell ^ static_cast<uint32_t>(tls.current_twice), bytes = other >> kIdBits;
  constexpr uint32_t kAll = (1u << kBytes) - 1;
  return (other & kIdMask) == 0 && bytes < 15 && (bytes >> (key(address) & 3) & kAll) == kAll;
}

// Whether an access that begins at a word, or lies in one, is recorded already. Programs let the compiler believe that
// an address is aligned where it is not: then it is no hit, and the slow path sorts it out.
template <size_t kBytes, Access access>
inline bool is_hit(const void* address) {
  constexpr unsigned kWords = kBytes < 4 ? 1 : kBytes / 4;
  const uintptr_t at = key(address);
  if (kBytes > 1 && __builtin_expect((at & (kBytes == 2 ? 1 : 3)) != 0, 0)) return false;
  if (access == kReading && are_current<kWords>(own_read_cell(at))) return true;
  if (are_current<kWords>(cell_of(kPlaneW, at))) return true;
  if constexpr (kBytes >= 4) return false;
  return has_bytes<kBytes>(access == kReading ? load(own_read_cell(at)) & ~kHasOlder : load(cell_of(kPlaneW, at)),
                           address);
}
template <size_t kBytes, Access access>
inline void miss(const void* address, uintptr_t pc) {
  if constexpr (kBytes < 4)
    bytes_slow<kBytes, access == kWriting ? AccessKind::kWrite : AccessKind::kRead>(key(address), pc);
  else if constexpr (access == kWriting)
    write_words_slow<kBytes / 4>(key(address), pc);
  else
    read_words_slow<kBytes / 4>(key(address), pc);
}

inline void range(const void* address, size_t bytes, AccessKind kind, uintptr_t pc) {
  access_range(key(address), bytes, kind, pc);
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
  if (kBytes < 4 || __builtin_expect((key(address) & 3) != 0, 0)) return across_words<kBytes, access>(key(address), pc);
  if (!is_hit<kBytes, access>(address)) miss<kBytes, access>(address, pc);
}

}  // namespace

// The return address is looked up after a miss only.
#define ALIGNED(bytes)                                             \
  EXPORT void __tsan_read##bytes(void* a) {                        \
    if (!is_hit<bytes, kReading>(a)) miss<bytes, kReading>(a, PC); \
  }                                                                \
  EXPORT void __tsan_write##bytes(void* a) {                       \
    if (!is_hit<bytes, kWriting>(a)) miss<bytes, kWriting>(a, PC); \
  }
ALIGNED(1)
ALIGNED(2)
ALIGNED(4)
ALIGNED(8)
ALIGNED(16)

EXPORT void __tsan_unaligned_read2(const void* a) { unaligned<2, kReading>(a, PC); }
EXPORT void __tsan_unaligned_read4(const void* a) { unaligned<4, kReading>(a, PC); }
EXPORT void __tsan_unaligned_read8(const void* a) { unaligned<8, kReading>(a, PC); }
EXPORT void __tsan_unaligned_read16(const void* a) { unaligned<16, kReading>(a, PC); }
EXPORT void __tsan_unaligned_write2(void* a) { unaligned<2, kWriting>(a, PC); }
EXPORT void __tsan_unaligned_write4(void* a) { unaligned<4, kWriting>(a, PC); }
EXPORT void __tsan_unaligned_write8(void* a) { unaligned<8, kWriting>(a, PC); }
EXPORT void __tsan_unaligned_write16(void* a) { unaligned<16, kWriting>(a, PC); }

// Volatile is a plain access; a compound one (read, then written in one basic block) is its write: whatever races with
// the read races with the write.
#define VARIANTS(bytes)                                                                                   \
  EXPORT void __tsan_volatile_read##bytes(void* a) { unaligned<bytes, kReading>(a, PC); }                 \
  EXPORT void __tsan_volatile_write##bytes(void* a) { unaligned<bytes, kWriting>(a, PC); }                \
  EXPORT void __tsan_unaligned_volatile_read##bytes(const void* a) { unaligned<bytes, kReading>(a, PC); } \
  EXPORT void __tsan_unaligned_volatile_write##bytes(void* a) { unaligned<bytes, kWriting>(a, PC); }      \
  EXPORT void __tsan_read_write##bytes(void* a) { unaligned<bytes, kWriting>(a, PC); }                    \
  EXPORT void __tsan_unaligned_read_write##bytes(void* a) { unaligned<bytes, kWriting>(a, PC); }
VARIANTS(1)
VARIANTS(2)
VARIANTS(4)
VARIANTS(8)
VARIANTS(16)

#define WITH_PC(bytes)                                                                               \
  EXPORT void __tsan_read##bytes##_pc(void* a, void* pc) { unaligned<bytes, kReading>(a, key(pc)); } \
  EXPORT void __tsan_write##bytes##_pc(void* a, void* pc) { unaligned<bytes, kWriting>(a, key(pc)); }
WITH_PC(1)
WITH_PC(2)
WITH_PC(4)
WITH_PC(8)
WITH_PC(16)

EXPORT void __tsan_read_range(void* a, size_t bytes) { range(a, bytes, AccessKind::kRead, PC); }
EXPORT void __tsan_write_range(void* a, size_t bytes) { range(a, bytes, AccessKind::kWrite, PC); }
EXPORT void __tsan_read_range_pc(void* a, size_t bytes, void* pc) { range(a, bytes, AccessKind::kRead, key(pc)); }
EXPORT void __tsan_write_range_pc(void* a, size_t bytes, void* pc) { range(a, bytes, AccessKind::kWrite, key(pc)); }

EXPORT void __tsan_vptr_read(void** a) {
  if (!is_hit<8, kReading>(a)) miss<8, kReading>(a, pc_in(Called::kVptr, __builtin_return_address(0)));
}
// A destructor stores the same table again; that changes nothing that a reader could see.
EXPORT void __tsan_vptr_update(void** a, void* new_value) {
  if (*a == new_value || is_hit<8, kWriting>(a)) return;
  miss<8, kWriting>(a, pc_in(Called::kVptr, __builtin_return_address(0)));
}

EXPORT void __tsan_func_entry(void* caller) { push_frame(key(caller)); }
EXPORT void __tsan_func_exit() { pop_frame(); }

EXPORT void __sanitizer_unaligned_store16(void* a, uint16_t v) {
  unaligned<2, kWriting>(a, PC);
  __builtin_memcpy(a, &v, 2);
}
EXPORT void __sanitizer_unaligned_store32(void* a, uint32_t v) {
  unaligned<4, kWriting>(a, PC);
  __builtin_memcpy(a, &v, 4);
}
EXPORT void __sanitizer_unaligned_store64(void* a, uint64_t v) {
  unaligned<8, kWriting>(a, PC);
  __builtin_memcpy(a, &v, 8);
}
EXPORT uint16_t __sanitizer_unaligned_load16(const void* a) {
  unaligned<2, kReading>(a, PC);
  uint16_t v;
  __builtin_memcpy(&v, a, 2);
  return v;
}
EXPORT uint32_t __sanitizer_unaligned_load32(const void* a) {
  unaligned<4, kReading>(a, PC);
  uint32_t v;
  __builtin_memcpy(&v, a, 4);
  return v;
}
EXPORT uint64_t __sanitizer_unaligned_load64(const void* a) {
  unaligned<8, kReading>(a, PC);
  uint64_t v;
  __builtin_memcpy(&v, a, 8);
  return v;
}
