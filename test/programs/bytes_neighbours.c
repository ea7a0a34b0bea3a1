// Every byte of a word belongs to another thread.
// EXPECT none
#include "order.h"
_Alignas(8) char x[8];
static void at0(void) {
  for (int i = 0; i < 1000; ++i) x[0]++;
}
static void at1(void) {
  for (int i = 0; i < 1000; ++i) x[1]++;
}
static void at2(void) {
  for (int i = 0; i < 1000; ++i) x[2]++;
}
static void at3(void) {
  for (int i = 0; i < 1000; ++i) x[3]++;
}
static void at7(void) {
  for (int i = 0; i < 1000; ++i) x[7]++;
}
int main(void) { RUN(at0, at1, at2, at3, at7); }
