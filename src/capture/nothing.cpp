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
#include "capture/nothing.def"
#undef X

__asm__(R"(
  xor %eax, %eax
  ret
)");
