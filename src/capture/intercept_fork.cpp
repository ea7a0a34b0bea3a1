// New processes that do not come from fork(): clone without shared memory, the system call itself, and vfork.
//
// We learn of fork() through handlers of our own (live/process/lifecycle.cpp). A child of vfork runs in the parent's memory
// and must leave no trace in our records there: until the parent runs again, the child is not watched.
#include <sched.h>

#include <cstdarg>

#include "capture/intercept.h"

using namespace deadheat::live;

namespace {

struct Cloned {
  int (*function)(void*);
  void* argument;
};

int run_cloned(void* data) {
  const Cloned call = *static_cast<Cloned*>(data);
  forked(true);
  return call.function(call.argument);
}

}  // namespace

DEADHEAT_INTERCEPT(int, clone, int (*function)(void*), void* stack, int flags, void* argument, ...) {
  va_list arguments;
  va_start(arguments, argument);
  void* const parent_id = va_arg(arguments, void*);
  void* const thread_data = va_arg(arguments, void*);
  void* const child_id = va_arg(arguments, void*);
  va_end(arguments);
  if ((flags & CLONE_VM) != 0) return REAL(clone)(function, stack, flags, argument, parent_id, thread_data, child_id);
  Cloned call{function, argument};
  const auto real = REAL(clone);
  forking();
  const int child = real(run_cloned, stack, flags, &call, parent_id, thread_data, child_id);
  forked(false);
  return child;
}

extern "C" {
__attribute__((visibility("default"))) void __sanitizer_syscall_pre_impl_fork() { forking(); }
__attribute__((visibility("default"))) void __sanitizer_syscall_post_impl_fork(long result) { forked(result == 0); }

// Called by the code below with the registers saved that vfork needs.
__attribute__((visibility("hidden"), used)) void* deadheat_before_vfork() {
  static void* real;
  if (real == nullptr) real = next_definition("vfork");
  vforking();
  return real;
}
}

// The return address must be on the stack when the real one is called, as it returns twice: a jump.
__asm__(R"(
  .text
  .globl vfork
  .type vfork, @function
vfork:
  sub $8, %rsp
  call deadheat_before_vfork
  add $8, %rsp
  jmp *%rax
  .size vfork, .-vfork
)");
