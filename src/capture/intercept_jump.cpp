// longjmp: leaves functions without their exit calls, so the shadow stack is cut back to where the jump goes.
//
// The frames know the low half of the stack pointer at their entry. A jump buffer holds the stack pointer of the
// function that called setjmp.
#include "capture/foreign_layouts.h"
#include "capture/intercept.h"

using namespace deadheat::live;

#define JUMP(name)                                          \
  DEADHEAT_INTERCEPT(void, name, void* buffer, int value) { \
    functions_left(foreign::stack_pointer_in(buffer));      \
    REAL(name)(buffer, value);                              \
    __builtin_unreachable();                                \
  }
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)
