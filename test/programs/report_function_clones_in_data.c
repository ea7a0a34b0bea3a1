// The address of a function that the dynamic linker chooses for this processor is in data: it is chosen before the program can
// call any other module, so the function that chooses may not call the run time.
// EXPECT race
// MARKS race.h
// COMPILERS clang-19
#include "race.h"
static int numbers[100] = {1, 2};
__attribute__((target_clones("avx2", "default"))) int sum(const int* of, int count) {
  int all = 0;
  for (int i = 0; i < count; ++i) all += of[i];
  return all;
}
static int one(void) { return 1; }
static int choices;
int (*choose_one(void))(void) {
  ++choices;
  return one;
}
int chosen(void) __attribute__((ifunc("choose_one")));
static struct {
  int (*sum)(const int*, int);
  int (*one)(void);
} methods = {sum, chosen};
int main(void) {
  MUST(methods.sum(numbers, 100) == 3 && methods.one() == 1 && choices != 0);
  race();
}
