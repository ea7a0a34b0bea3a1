#include "live/ground/own_stack.h"

// Unwinders find their way through it by the frame pointer.
extern "C" __attribute__((visibility("hidden"))) void deadheat_call_on(void* top, void (*function)(void*), void* data);
__asm__(R"(
  .text
  .type deadheat_call_on, @function
deadheat_call_on:
  .cfi_startproc
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  mov %rsp, %rbp
  .cfi_def_cfa_register %rbp
  mov %rdi, %rsp
  mov %rdx, %rdi
  call *%rsi
  leave
  .cfi_def_cfa %rsp, 8
  ret
  .cfi_endproc
  .size deadheat_call_on, .-deadheat_call_on
)");

namespace deadheat::live {

void call_on_stack(char* top, void (*function)(void* data), void* data) { deadheat_call_on(top, function, data); }

}  // namespace deadheat::live
