// Functions that do nothing, for every name of nothing.def. Weak: a definition elsewhere takes their place.
__asm__(R"(
  .text
  .macro nothing name
  .weak \name
  .type \name, @function
\name:
  .endm
)");

#define X(name) __asm__("nothing " #name);
#define HOOKS(call) X(__sanitizer_syscall_pre_impl_##call) X(__sanitizer_syscall_post_impl_##call)
#include "capture/nothing.def"
#undef HOOKS
#undef X

__asm__(R"(
  xor %eax, %eax
  ret
)");
