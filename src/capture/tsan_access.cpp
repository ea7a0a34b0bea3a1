// The entry points that compilers call for every access, function entry and exit under -fsanitize=thread.
//
// Each begins with the hit test: a cell equal to the thread's current id means that this access is already recorded.
// One load and one compare, no frame; a miss leaves by a jump to the slow path (runtime/shadow.cpp).
// The disassembly of the hit paths is kept in test/codegen: a slower one shows up in its diff.
#include <emmintrin.h>

#include "runtime/called.h"
#include "runtime/shadow.h"
#include "runtime/thread.h"

#define EXPORT extern "C" __attribute__((visibility("default")))
#define PC reinterpret_cast<uintptr_t>(__builtin_return_address(0))

namespace {

using namespace deadheat::live;

inline uintptr_t key(const void* address) { return reinterpret_cast<uintptr_t>(address); }

inline bool hit_one(Plane plane, const void* address) {
  return __builtin_expect(load(cell_of(plane, key(address))) == static_cast<uint32_t>(tls.current_twice), 1);
}
// Two cells at once; the second of an access that is not aligned lies in another word, and then nothing matches.
inline bool hit_two(Plane plane, const void* address) {
  uint64_t cells;
  __builtin_memcpy(&cells, cell_of(plane, key(address)), 8);
  return __builtin_expect(cells == tls.current_twice, 1);
}
inline bool hit_four(Plane plane, const void* address) {
  const __m128i cells = _mm_loadu_si128(reinterpret_cast<const __m128i*>(cell_of(plane, key(address))));
  const __m128i mine = _mm_set1_epi32(static_cast<int>(tls.current_twice));
  return __builtin_expect(_mm_movemask_epi8(_mm_cmpeq_epi32(cells, mine)) == 0xffff, 1);
}

// Every byte of an access of 1 or 2 bytes lies in one word if it is aligned.
template <size_t kBytes>
inline void read_small(const void* address, uintptr_t pc) {
  if (!hit_one(kPlaneR, address)) access_slow(key(address), kBytes, AccessKind::kRead, pc);
}
template <size_t kBytes>
inline void write_small(const void* address, uintptr_t pc) {
  if (!hit_one(kPlaneW, address)) access_slow(key(address), kBytes, AccessKind::kWrite, pc);
}

inline void range(const void* address, size_t bytes, AccessKind kind, uintptr_t pc) {
  access_range(key(address), bytes, kind, pc);
}

// An access that may cross words: the hit test looks at the words of its first and its last byte.
inline void unaligned(const void* address, size_t bytes, AccessKind kind, uintptr_t pc) {
  const Plane plane = kind == AccessKind::kWrite ? kPlaneW : kPlaneR;
  const uint32_t current = static_cast<uint32_t>(tls.current_twice);
  uint32_t different = 0;
  for (size_t i = 0; i < bytes; i += 4) different |= load(cell_of(plane, key(address) + i)) ^ current;
  different |= load(cell_of(plane, key(address) + bytes - 1)) ^ current;
  if (__builtin_expect(different != 0, 0)) access_slow(key(address), bytes, kind, pc);
}

}  // namespace

EXPORT void __tsan_read1(void* a) { read_small<1>(a, PC); }
EXPORT void __tsan_read2(void* a) { read_small<2>(a, PC); }
EXPORT void __tsan_read4(void* a) {
  if (!hit_one(kPlaneR, a)) read_words_slow<1>(key(a), PC);
}
EXPORT void __tsan_read8(void* a) {
  if (!hit_two(kPlaneR, a)) read_words_slow<2>(key(a), PC);
}
EXPORT void __tsan_read16(void* a) {
  if (!hit_four(kPlaneR, a)) read_words_slow<4>(key(a), PC);
}
EXPORT void __tsan_write1(void* a) { write_small<1>(a, PC); }
EXPORT void __tsan_write2(void* a) { write_small<2>(a, PC); }
EXPORT void __tsan_write4(void* a) {
  if (!hit_one(kPlaneW, a)) write_words_slow<1>(key(a), PC);
}
EXPORT void __tsan_write8(void* a) {
  if (!hit_two(kPlaneW, a)) write_words_slow<2>(key(a), PC);
}
EXPORT void __tsan_write16(void* a) {
  if (!hit_four(kPlaneW, a)) write_words_slow<4>(key(a), PC);
}

EXPORT void __tsan_unaligned_read2(const void* a) { unaligned(a, 2, AccessKind::kRead, PC); }
EXPORT void __tsan_unaligned_read4(const void* a) { unaligned(a, 4, AccessKind::kRead, PC); }
EXPORT void __tsan_unaligned_read8(const void* a) { unaligned(a, 8, AccessKind::kRead, PC); }
EXPORT void __tsan_unaligned_read16(const void* a) { unaligned(a, 16, AccessKind::kRead, PC); }
EXPORT void __tsan_unaligned_write2(void* a) { unaligned(a, 2, AccessKind::kWrite, PC); }
EXPORT void __tsan_unaligned_write4(void* a) { unaligned(a, 4, AccessKind::kWrite, PC); }
EXPORT void __tsan_unaligned_write8(void* a) { unaligned(a, 8, AccessKind::kWrite, PC); }
EXPORT void __tsan_unaligned_write16(void* a) { unaligned(a, 16, AccessKind::kWrite, PC); }

// Volatile is a plain access; a compound one (read, then written in one basic block) is its write: whatever races with
// the read races with the write.
#define VARIANTS(bytes)                                                                                            \
  EXPORT void __tsan_volatile_read##bytes(void* a) { unaligned(a, bytes, AccessKind::kRead, PC); }                 \
  EXPORT void __tsan_volatile_write##bytes(void* a) { unaligned(a, bytes, AccessKind::kWrite, PC); }               \
  EXPORT void __tsan_unaligned_volatile_read##bytes(const void* a) { unaligned(a, bytes, AccessKind::kRead, PC); } \
  EXPORT void __tsan_unaligned_volatile_write##bytes(void* a) { unaligned(a, bytes, AccessKind::kWrite, PC); }     \
  EXPORT void __tsan_read_write##bytes(void* a) { unaligned(a, bytes, AccessKind::kWrite, PC); }                   \
  EXPORT void __tsan_unaligned_read_write##bytes(void* a) { unaligned(a, bytes, AccessKind::kWrite, PC); }
VARIANTS(1)
VARIANTS(2)
VARIANTS(4)
VARIANTS(8)
VARIANTS(16)

#define WITH_PC(bytes)                                                                                        \
  EXPORT void __tsan_read##bytes##_pc(void* a, void* pc) { unaligned(a, bytes, AccessKind::kRead, key(pc)); } \
  EXPORT void __tsan_write##bytes##_pc(void* a, void* pc) { unaligned(a, bytes, AccessKind::kWrite, key(pc)); }
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
  if (!hit_two(kPlaneR, a)) read_words_slow<2>(key(a), pc_in(Called::kVptr, __builtin_return_address(0)));
}
// A destructor stores the same table again; that changes nothing that a reader could see.
EXPORT void __tsan_vptr_update(void** a, void* new_value) {
  if (*a == new_value) return;
  if (!hit_two(kPlaneW, a)) write_words_slow<2>(key(a), pc_in(Called::kVptr, __builtin_return_address(0)));
}

EXPORT void __tsan_func_entry(void* caller) { push_frame(key(caller)); }
EXPORT void __tsan_func_exit() { pop_frame(); }

EXPORT void __sanitizer_unaligned_store16(void* a, uint16_t v) {
  unaligned(a, 2, AccessKind::kWrite, PC);
  __builtin_memcpy(a, &v, 2);
}
EXPORT void __sanitizer_unaligned_store32(void* a, uint32_t v) {
  unaligned(a, 4, AccessKind::kWrite, PC);
  __builtin_memcpy(a, &v, 4);
}
EXPORT void __sanitizer_unaligned_store64(void* a, uint64_t v) {
  unaligned(a, 8, AccessKind::kWrite, PC);
  __builtin_memcpy(a, &v, 8);
}
EXPORT uint16_t __sanitizer_unaligned_load16(const void* a) {
  unaligned(a, 2, AccessKind::kRead, PC);
  uint16_t v;
  __builtin_memcpy(&v, a, 2);
  return v;
}
EXPORT uint32_t __sanitizer_unaligned_load32(const void* a) {
  unaligned(a, 4, AccessKind::kRead, PC);
  uint32_t v;
  __builtin_memcpy(&v, a, 4);
  return v;
}
EXPORT uint64_t __sanitizer_unaligned_load64(const void* a) {
  unaligned(a, 8, AccessKind::kRead, PC);
  uint64_t v;
  __builtin_memcpy(&v, a, 8);
  return v;
}
