// Each of 4,300 variables that race at the same two lines is told once, however many others were told before.
// EXPECT race
// HAS reported 4300 warnings
#include "order.h"
// 4300 variables of four bytes each, one after the other.
__asm__(
    ".pushsection .bss,\"aw\",@nobits\n.balign 4\n.globl variables\nvariables:\n"
    ".altmacro\n.macro variable number\n.type variable\\number,@object\n.size variable\\number,4\nvariable\\number: .skip 4\n.endm\n"
    ".set number,0\n.rept 4300\nvariable %number\n.set number,number+1\n.endr\n.noaltmacro\n.popsection\n");
extern int variables[4300];
static __attribute__((noinline)) void set(int* variable) {
  *variable = 1;  // race 4300
  __asm__ volatile("");
}
static void set_all(void) {
  for (int i = 0; i < 4300; ++i) set(&variables[i]);
}
static void first(void) {
  set_all();
  reach(1);
  await(2);
  set_all();
}
static void second(void) {
  await(1);
  set_all();
  reach(2);
}
int main(void) { RUN(first, second); }
