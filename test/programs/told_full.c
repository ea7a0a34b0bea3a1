// Where there is no room to remember more reports, new ones are not told, which is said once and at exit; none is told twice.
// EXPECT race
// OPTIONS told_reports=3:coverage=1
// HAS there is no room to remember more reports
// HAS degraded from .*: 6 findings that were not told
// HAS reported 3 warnings
#include "order.h"
// 6 variables of four bytes each, one after the other.
__asm__(
    ".pushsection .bss,\"aw\",@nobits\n.balign 4\n.globl variables\nvariables:\n"
    ".altmacro\n.macro variable number\n.type variable\\number,@object\n.size variable\\number,4\nvariable\\number: .skip 4\n.endm\n"
    ".set number,0\n.rept 6\nvariable %number\n.set number,number+1\n.endr\n.noaltmacro\n.popsection\n");
extern int variables[6];
static __attribute__((noinline)) void set(int* variable) {
  *variable = 1;  // race 3
  __asm__ volatile("");
}
static void set_all(void) {
  for (int i = 0; i < 6; ++i) set(&variables[i]);
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
