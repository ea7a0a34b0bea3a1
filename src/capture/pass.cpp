// The entry points of our own compiler pass (src/pass): what those of -fsanitize=thread cannot say.
//
// Checks in line (base/pass_interface.h) come here when they miss. They may stand between any two instructions of the
// program, so the entries save what they use, and the program's own registers stay where they are: preserve_most of
// LLVM, which GCC does not have. A function without calls has no frame until it misses (_leaf).
//
// The pass and the run time come from one source, but the program in between may be old, or linked against something
// else. So each module that the pass compiled tells us the version of this interface when it is loaded, before its own
// code runs.
#include <cstddef>

#include "base/pass_interface.h"
#include "live/api.h"
#include "live/hits.h"

#define EXPORT extern "C" __attribute__((visibility("default")))
#define PC reinterpret_cast<uintptr_t>(__builtin_return_address(0))

using namespace deadheat::live;
using deadheat::AccessKind;

namespace {

constexpr uint32_t kInterface = deadheat::pass_interface::kVersion;

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

// Loops (pass/loops.h): `count` elements, one every `step` bytes.
#define SWEEP(name, bytes, access)                                                              \
  EXPORT void __deadheat_sweep_##name##bytes(const char* begin, ptrdiff_t step, size_t count) { \
    sweep<bytes, access>(begin, step, count, PC);                                               \
  }
#define SWEEPS(bytes)          \
  SWEEP(read, bytes, kReading) \
  SWEEP(write, bytes, kWriting)
SWEEPS(1)
SWEEPS(2)
SWEEPS(4)
SWEEPS(8)
SWEEPS(16)

// ---- misses of checks in line ------------------------------------------------------------------------------------------

// A read is a hit, too, if the thread has written the words in this epoch: asked with two registers, before others are
// saved. Not at addresses that are not aligned (ODD), as hits.h says.
#define LOOK_AT_WRITES(compare, odd)                                                     \
  PUSH(rax)                                                                              \
  "mov __deadheat_thread@gottpoff(%rip), %r11\nmov %fs:24(%r11), %rax\nand %rdi, %rax\n" \
  "add %fs:16(%r11), %rax\nmov %fs:0(%r11), %r11\n" compare "jne 1f\ntest $" #odd        \
  ", %dil\njne 1f\n" POP(rax) "ret\n.cfi_adjust_cfa_offset 8\n1: " POP(rax)
#define LOOK_1 LOOK_AT_WRITES("cmp %r11d, (%rax)\n", 0)
#define LOOK_2 LOOK_AT_WRITES("cmp %r11d, (%rax)\n", 1)
#define LOOK_4 LOOK_AT_WRITES("cmp %r11d, (%rax)\n", 3)
#define LOOK_8 LOOK_AT_WRITES("cmp %r11, (%rax)\n", 3)
#define LOOK_16 LOOK_AT_WRITES("cmp %r11, (%rax)\njne 1f\ncmp %r11, 8(%rax)\n", 3)
static_assert(offsetof(Tls, inline_mask) == 24 && offsetof(Tls, inline_write_cells) == 16 &&
              offsetof(Tls, current_twice) == 0);

// NAME(a), and NAME_leaf(a, caller): the registers that a call may use are saved, but r11 and those of vectors. The place
// is the return address; what NAME_leaf pushes stands where the return address is put.
#define MISS_ENTRIES(name, look)                                                                       \
  __asm__(                                                                                             \
      ".pushsection .text\n"                                                                           \
      ".globl __deadheat_" #name "\n.type __deadheat_" #name                                           \
      ",@function\n.p2align 4\n"                                                                       \
      "__deadheat_" #name ":\n.cfi_startproc\n" look SAVE                                              \
      "mov 64(%rsp), %rsi\nsub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"                                   \
      "call deadheat_miss_" #name                                                                      \
      "\n"                                                                                             \
      "add $8, %rsp\n.cfi_adjust_cfa_offset -8\n" RESTORE "ret\n.cfi_endproc\n.size __deadheat_" #name \
      ", .-__deadheat_" #name                                                                          \
      "\n"                                                                                             \
      ".globl __deadheat_" #name "_leaf\n.type __deadheat_" #name                                      \
      "_leaf,@function\n.p2align 4\n"                                                                  \
      "__deadheat_" #name "_leaf:\n.cfi_startproc\n" look SAVE                                         \
      "mov 64(%rsp), %rdx\nlea 64(%rsp), %rcx\nsub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"               \
      "call deadheat_leaf_" #name                                                                      \
      "\n"                                                                                             \
      "add $8, %rsp\n.cfi_adjust_cfa_offset -8\n" RESTORE "ret\n.cfi_endproc\n.size __deadheat_" #name \
      "_leaf, .-__deadheat_" #name                                                                     \
      "_leaf\n"                                                                                        \
      ".popsection\n");
#define SAVE PUSH(rax) PUSH(rcx) PUSH(rdx) PUSH(rsi) PUSH(rdi) PUSH(r8) PUSH(r9) PUSH(r10)
#define RESTORE POP(r10) POP(r9) POP(r8) POP(rdi) POP(rsi) POP(rdx) POP(rcx) POP(rax)
#define PUSH(which) "push %" #which "\n.cfi_adjust_cfa_offset 8\n"
#define POP(which) "pop %" #which "\n.cfi_adjust_cfa_offset -8\n"

#define MISS(name, bytes, access, look)                                                                             \
  extern "C" __attribute__((visibility("hidden"), used)) void deadheat_miss_##name(const void* a, uintptr_t pc) {   \
    missed<bytes, access>(a, pc);                                                                                   \
  }                                                                                                                 \
  extern "C" __attribute__((visibility("hidden"), used)) void deadheat_leaf_##name(const void* a, uintptr_t caller, \
                                                                                   uintptr_t pc, uintptr_t stack) { \
    function_entered_at(caller, stack);                                                                             \
    missed<bytes, access>(a, pc);                                                                                   \
    function_left();                                                                                                \
  }                                                                                                                 \
  MISS_ENTRIES(name, look)
// Neighbours of one line: NAME is read1x4 for four bytes.
#define MISS_TOGETHER(name, bytes, count, access, look)                                                             \
  extern "C" __attribute__((visibility("hidden"), used)) void deadheat_miss_##name(const char* a, uintptr_t pc) {   \
    sweep<bytes, access>(a, bytes, count, pc);                                                                      \
  }                                                                                                                 \
  extern "C" __attribute__((visibility("hidden"), used)) void deadheat_leaf_##name(const char* a, uintptr_t caller, \
                                                                                   uintptr_t pc, uintptr_t stack) { \
    function_entered_at(caller, stack);                                                                             \
    sweep<bytes, access>(a, bytes, count, pc);                                                                      \
    function_left();                                                                                                \
  }                                                                                                                 \
  MISS_ENTRIES(name, look)
#define MISSES_TOGETHER(bytes, count, look)                          \
  MISS_TOGETHER(read##bytes##x##count, bytes, count, kReading, look) \
  MISS_TOGETHER(write##bytes##x##count, bytes, count, kWriting, "")
#define MISSES(bytes)                              \
  MISS(read##bytes, bytes, kReading, LOOK_##bytes) \
  MISS(write##bytes, bytes, kWriting, "")
MISSES(1)
MISSES(2)
MISSES(4)
MISSES(8)
MISSES(16)
MISSES_TOGETHER(1, 2, LOOK_2)
MISSES_TOGETHER(1, 4, LOOK_4)
MISSES_TOGETHER(1, 8, LOOK_8)
MISSES_TOGETHER(1, 16, LOOK_16)
MISSES_TOGETHER(2, 2, LOOK_4)
MISSES_TOGETHER(2, 4, LOOK_8)
MISSES_TOGETHER(2, 8, LOOK_16)
MISSES_TOGETHER(4, 2, LOOK_8)
MISSES_TOGETHER(4, 4, LOOK_16)
MISSES_TOGETHER(8, 2, LOOK_16)
