// longjmp: leaves functions without their exit calls, so the shadow stack is cut back to where the jump goes.
//
// The frames know the low half of the stack pointer at their entry. A jump buffer holds the stack pointer of the
// function that called setjmp, mangled by glibc: rotated, and xored with a value kept beside the thread's own data.
#include <setjmp.h>

#include "capture/intercept.h"

using namespace deadheat::live;

namespace {

constexpr unsigned kSavedStackPointer = 6;  // JB_RSP of glibc on x86-64

uintptr_t stack_pointer_in(const void* buffer) {
  uintptr_t saved = static_cast<const uintptr_t*>(buffer)[kSavedStackPointer];
  uintptr_t guard;
  __asm__("mov %%fs:0x30, %0" : "=r"(guard));
  saved = saved >> 17 | saved << (64 - 17);
  return saved ^ guard;
}

}  // namespace

#define JUMP(name)                                          \
  DEADHEAT_INTERCEPT(void, name, void* buffer, int value) { \
    functions_left(stack_pointer_in(buffer));               \
    REAL(name)(buffer, value);                              \
    __builtin_unreachable();                                \
  }
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)
