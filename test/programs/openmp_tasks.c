// OpenMP: tasks know what their creator did, and a thread that waits for them knows what they did.
// EXPECT none
// FLAGS -fopenmp
// NEEDS libomp
// OPTIONS atexit_sleep_ms=0
#include <omp.h>

#include "order.h"
int made[64], sum, deep;
static void tree(int depth, int at) {
  made[at] += 1;
  if (depth == 0) return;
#pragma omp task firstprivate(depth, at)
  tree(depth - 1, 2 * at);
#pragma omp task firstprivate(depth, at)
  tree(depth - 1, 2 * at + 1);
}
static int fib(int n) {
  if (n < 2) return n;
  int a, b;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}
int main(void) {
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 64; ++i) made[i] = 0;
#pragma omp parallel num_threads(4)
    {
#pragma omp single
      {
        for (int i = 0; i < 64; ++i) {
#pragma omp task firstprivate(i)
          made[i] = i;
        }
#pragma omp taskwait
        for (int i = 0; i < 64; ++i) sum += made[i];
        for (int i = 0; i < 64; ++i) made[i] = 0;
#pragma omp taskgroup
        tree(4, 1);
        for (int i = 1; i < 32; ++i)
          if (made[i] != 1) abort();
        tree(4, 1);  // the barrier of the single waits for these
      }
#pragma omp for
      for (int i = 1; i < 32; ++i)
        if (made[i] != 2) abort();
#pragma omp single
      deep = fib(10);
    }
    if (deep != 55) abort();
  }
  return 0;
}
