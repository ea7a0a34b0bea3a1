// The dynamic linker calls functions of the program while it relocates it, before the C library is ready: those that choose a
// function for this processor.
// EXPECT race
// MARKS race.h
#include "race.h"
static int numbers[100] = {1, 2};
__attribute__((target_clones("avx2", "default"))) int sum(const int* of, int count) {
  int all = 0;
  for (int i = 0; i < count; ++i) all += of[i];
  return all;
}
static int one(void) { return 1; }
int (*choose_one(void))(void) { return one; }
int chosen(void) __attribute__((ifunc("choose_one")));
int main(void) {
  MUST(sum(numbers, 100) == 3 && chosen() == 1);
  race();
}
