// The entry points of our own compiler pass (src/pass): what those of -fsanitize=thread cannot say.
//
// The pass and the run time come from one source, but the program in between may be old, or linked against something
// else. So each module that the pass compiled tells us the version of this interface when it is loaded, before its own
// code runs.
#include "live/api.h"
#include "live/hits.h"

#define EXPORT extern "C" __attribute__((visibility("default")))
#define PC reinterpret_cast<uintptr_t>(__builtin_return_address(0))

using namespace deadheat::live;
using deadheat::AccessKind;

namespace {

constexpr uint32_t kInterface = 1;  // src/pass/emit.h has the same

// Lanes that are neighbours are one access, as the instruction is one.
inline void masked(const char* begin, uint64_t mask, size_t bytes, AccessKind kind, uintptr_t pc) {
  while (mask != 0) {
    const unsigned first = static_cast<unsigned>(__builtin_ctzll(mask));
    const uint64_t ends = ~(mask >> first);
    const unsigned count = ends == 0 ? 64 - first : static_cast<unsigned>(__builtin_ctzll(ends));
    range(begin + first * bytes, count * bytes, kind, pc);
    mask = first + count >= 64 ? 0 : mask >> (first + count) << (first + count);
  }
}

inline void gathered(const void* const* lanes, uint64_t mask, size_t bytes, AccessKind kind, uintptr_t pc) {
  for (; mask != 0; mask &= mask - 1) range(lanes[__builtin_ctzll(mask)], bytes, kind, pc);
}

}  // namespace

EXPORT void __deadheat_pass_interface(uint32_t of_program) {
  if (__builtin_expect(of_program == kInterface, 1)) return;
  wrong_interface(of_program, kInterface);
}

EXPORT void __deadheat_read_masked(const char* begin, uint64_t mask, size_t bytes) {
  masked(begin, mask, bytes, AccessKind::kRead, PC);
}
EXPORT void __deadheat_write_masked(const char* begin, uint64_t mask, size_t bytes) {
  masked(begin, mask, bytes, AccessKind::kWrite, PC);
}
EXPORT void __deadheat_read_gathered(const void* const* lanes, uint64_t mask, size_t bytes) {
  gathered(lanes, mask, bytes, AccessKind::kRead, PC);
}
EXPORT void __deadheat_write_gathered(const void* const* lanes, uint64_t mask, size_t bytes) {
  gathered(lanes, mask, bytes, AccessKind::kWrite, PC);
}
