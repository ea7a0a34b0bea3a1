// The entry points that compilers call for every access, function entry and exit under -fsanitize=thread.
//
// Each begins with the hit test: a cell equal to the thread's current id means that this access is already recorded.
// One load and one compare, no frame; a miss leaves by a jump to the slow path (runtime/shadow.cpp).
// The disassembly of the hit paths is kept in test/codegen: a slower one shows up in its diff.
#include <emmintrin.h>

#include "runtime/called.h"
#include "runtime/shadow.h"
#include "runtime/thread.h"

// A line of the processor's cache for each: where a hit path straddles two it takes half as long again.
#define EXPORT extern "C" __attribute__((visibility("default"), aligned(64)))
#define PC reinterpret_cast<uintptr_t>(__builtin_return_address(0))

namespace {

using namespace deadheat::live;

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

// Accesses that begin at a word. Whoever calls these for another address gets a miss, and the slow path sorts it out.
template <unsigned kWords>
inline void read_words(const void* a, uintptr_t pc) {
  if (are_current<kWords>(exact_own_read_cell(key(a)))) return;
  if (are_current<kWords>(exact_cell_of(kPlaneW, key(a)))) return;
  read_words_slow<kWords>(key(a), pc);
}
template <unsigned kWords>
inline void write_words(const void* a, uintptr_t pc) {
  if (!are_current<kWords>(exact_cell_of(kPlaneW, key(a)))) write_words_slow<kWords>(key(a), pc);
}

// Whether the current id stands in a cell for the bytes of the access, if not for the whole word.
template <size_t kBytes>
inline bool has_bytes(Cell cell, const void* address) {
  const uint32_t other = cell ^ static_cast<uint32_t>(tls.current_twice), bytes = other >> kIdBits;
  constexpr uint32_t kAll = (1u << kBytes) - 1;
  return (other & kIdMask) == 0 && bytes < 15 && (bytes >> (key(address) & 3) & kAll) == kAll;
}

// Every byte of an access of 1 or 2 bytes lies in one word if it is aligned.
template <size_t kBytes>
inline void read_small(const void* address, uintptr_t pc) {
  if (are_current<1>(own_read_cell(key(address)))) return;
  if (are_current<1>(cell_of(kPlaneW, key(address)))) return;
  if (has_bytes<kBytes>(load(own_read_cell(key(address))) & ~kHasOlder, address)) return;
  bytes_slow<kBytes, AccessKind::kRead>(key(address), pc);
}
template <size_t kBytes>
inline void write_small(const void* address, uintptr_t pc) {
  if (are_current<1>(cell_of(kPlaneW, key(address)))) return;
  if (has_bytes<kBytes>(load(cell_of(kPlaneW, key(address))), address)) return;
  bytes_slow<kBytes, AccessKind::kWrite>(key(address), pc);
}

inline void range(const void* address, size_t bytes, AccessKind kind, uintptr_t pc) {
  access_range(key(address), bytes, kind, pc);
}

// An access that may cross words: the hit test looks at the words of its first and its last byte. Most begin at a word
// all the same (vectorised loops over 4-byte elements).
template <size_t kBytes, Access access>
inline void unaligned(const void* address, uintptr_t pc) {
  if constexpr (kBytes >= 4) {
    if (__builtin_expect((key(address) & 3) == 0, 1))
      return access == kWriting ? write_words<kBytes / 4>(address, pc) : read_words<kBytes / 4>(address, pc);
  }
  const auto hit = [=](const Cell* first, const Cell* last) {
    uint32_t different = 0;
    for (const Cell* cell = first; cell <= last; ++cell) different |= load(cell) ^ static_cast<uint32_t>(tls.current_twice);
    return __builtin_expect(different == 0, 1);
  };
  const uintptr_t begin = key(address), last = begin + kBytes - 1;
  if (access == kReading && hit(own_read_cell(begin), own_read_cell(last))) return;
  if (!hit(cell_of(kPlaneW, begin), cell_of(kPlaneW, last)))
    access_slow(key(address), kBytes, access == kWriting ? AccessKind::kWrite : AccessKind::kRead, pc);
}

}  // namespace

EXPORT void __tsan_read1(void* a) { read_small<1>(a, PC); }
EXPORT void __tsan_read2(void* a) { read_small<2>(a, PC); }
EXPORT void __tsan_read4(void* a) { read_words<1>(a, PC); }
EXPORT void __tsan_read8(void* a) { read_words<2>(a, PC); }
EXPORT void __tsan_read16(void* a) { read_words<4>(a, PC); }
EXPORT void __tsan_write1(void* a) { write_small<1>(a, PC); }
EXPORT void __tsan_write2(void* a) { write_small<2>(a, PC); }
EXPORT void __tsan_write4(void* a) { write_words<1>(a, PC); }
EXPORT void __tsan_write8(void* a) { write_words<2>(a, PC); }
EXPORT void __tsan_write16(void* a) { write_words<4>(a, PC); }

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

EXPORT void __tsan_vptr_read(void** a) { read_words<2>(a, pc_in(Called::kVptr, __builtin_return_address(0))); }
// A destructor stores the same table again; that changes nothing that a reader could see.
EXPORT void __tsan_vptr_update(void** a, void* new_value) {
  if (*a == new_value) return;
  write_words<2>(a, pc_in(Called::kVptr, __builtin_return_address(0)));
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
