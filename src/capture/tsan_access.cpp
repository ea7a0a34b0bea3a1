// The entry points that compilers call for every access, function entry and exit under -fsanitize=thread.
//
// Each is the hit test of live/hits.h, and a jump elsewhere on a miss.
#include "live/api.h"
#include "live/hits.h"

// A line of the processor's cache for each: where a hit path straddles two it takes half as long again.
#define EXPORT extern "C" __attribute__((visibility("default"), aligned(64)))
#define PC reinterpret_cast<uintptr_t>(__builtin_return_address(0))

using namespace deadheat::live;
using deadheat::AccessKind;

namespace {
inline uintptr_t key(const void* address) { return reinterpret_cast<uintptr_t>(address); }
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

EXPORT void __tsan_func_entry(void* caller) { function_entered(key(caller)); }
EXPORT void __tsan_func_exit() { function_left(); }

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
