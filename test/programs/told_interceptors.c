// The same for functions whose interceptor has a frame of its own.
// EXPECT race
// HAS reported 2 warnings
#include <string.h>

#include "order.h"
static volatile char x[8] =
    "12\0"
    "345";
static char* (*volatile find)(const char*, int) = strrchr;
static void first(void) {
  for (int i = 0; i < 8; i += 4) x[i] = '6';  // race a // race b
  reach(1);
}
static void second(void) {
  await(1);
  USE(find((const char*)x, '1'));      // race a
  USE(find((const char*)x + 4, '4'));  // race b
}
int main(void) { RUN(first, second); }
