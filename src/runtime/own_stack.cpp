#include "runtime/own_stack.h"

#include <cstddef>
#include <cstdint>

#include "runtime/sys.h"

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
namespace {

// Programs are called back from reports: as much as many a thread has.
constexpr size_t kBytes = size_t{1} << 20, kGuard = 4096;
char* top;

}  // namespace

void own_stack_start() {
  char* memory = static_cast<char*>(sys::reserve(kBytes));
  if (memory == nullptr) return;
  sys::call(SYS_mprotect, reinterpret_cast<long>(memory), kGuard, PROT_NONE);
  top = memory + kBytes;
}

void call_on_own_stack(void (*function)(void* data), void* data) {
  if (top == nullptr)
    function(data);
  else
    deadheat_call_on(top, function, data);
}

}  // namespace deadheat::live
