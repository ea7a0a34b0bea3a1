// Forwards to the C library, for every function that programs expect their run time to export (forwards.def).
//
// Each is one jump through a slot, so arguments, variable ones too, and functions that return twice pass unchanged. A
// slot first leads to code that finds the real function. The symbols are weak: an interceptor of the same name in
// another file takes their place.
#include <cstdint>

#include "live/api.h"

namespace {

constexpr const char* kNames[] = {
#define X(name) #name,
#include "capture/forwards.def"
#undef X
};

}  // namespace

// The real functions, null until first called.
extern "C" {
__attribute__((visibility("hidden"), used)) void* deadheat_forward_slots[sizeof kNames / sizeof kNames[0]];

// Called by the code below with all argument registers saved.
__attribute__((visibility("hidden"), used)) void* deadheat_find_forward(uint64_t number) {
  void* found = deadheat::live::next_definition(kNames[number]);
  deadheat_forward_slots[number] = found;
  return found;
}
}

__asm__(R"(
  .text
  .type deadheat_forward, @function
deadheat_forward:
  push %rbp
  mov %rsp, %rbp
  push %rax
  push %rdi
  push %rsi
  push %rdx
  push %rcx
  push %r8
  push %r9
  push %r10
  sub $128, %rsp
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  mov 8(%rbp), %rdi
  and $-16, %rsp
  call deadheat_find_forward
  mov %rax, %r11
  lea -192(%rbp), %rsp
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  add $128, %rsp
  pop %r10
  pop %r9
  pop %r8
  pop %rcx
  pop %rdx
  pop %rsi
  pop %rdi
  pop %rax
  pop %rbp
  add $8, %rsp
  jmp *%r11
  .size deadheat_forward, .-deadheat_forward

  .macro forward name
  .weak \name
  .type \name, @function
\name:
  mov deadheat_forward_slots+8*\@(%rip), %r11
  test %r11, %r11
  jz 1f
  jmp *%r11
1:
  push $\@
  jmp deadheat_forward
  .size \name, .-\name
  .endm
)");

#define X(name) __asm__("forward " #name "\n.weak __interceptor_" #name "\n.set __interceptor_" #name ", " #name);
#include "capture/forwards.def"
#undef X
