// Twenty lines write a block that another thread frees: each of them is a bug of its own, and none is left out because there
// are many.
// EXPECT race
// HAS reported 20 warnings
#include "order.h"
static volatile int* x;
static void first(void) {
  x[0] = 0;    // race a
  x[1] = 1;    // race b
  x[2] = 2;    // race c
  x[3] = 3;    // race d
  x[4] = 4;    // race e
  x[5] = 5;    // race f
  x[6] = 6;    // race g
  x[7] = 7;    // race h
  x[8] = 8;    // race i
  x[9] = 9;    // race j
  x[10] = 10;  // race k
  x[11] = 11;  // race l
  x[12] = 12;  // race m
  x[13] = 13;  // race n
  x[14] = 14;  // race o
  x[15] = 15;  // race p
  x[16] = 16;  // race q
  x[17] = 17;  // race r
  x[18] = 18;  // race s
  x[19] = 19;  // race t
  reach(1);
}
static void second(void) {
  await(1);
  free((void*)x);  // race a // race b // race c // race d // race e // race f // race g // race h // race i // race j // race k // race l // race m // race n // race o // race p // race q // race r // race s // race t
}
int main(void) {
  x = malloc(100);
  RUN(first, second);
}
