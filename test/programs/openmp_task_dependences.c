// OpenMP: dependences order tasks.
// EXPECT none
// FLAGS -fopenmp
// NEEDS libomp
// OPTIONS atexit_sleep_ms=0
#include <omp.h>

#include "order.h"
int x, y, copies[4], set[2];
int main(void) {
  for (int round = 0; round < 20; ++round) {
    x = y = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task depend(out : x)
      x = 1;
      for (int i = 0; i < 4; ++i) {
#pragma omp task depend(in : x) firstprivate(i)
        copies[i] = x;
      }
#pragma omp task depend(inout : x)
      x = 2;
#pragma omp task depend(in : x) depend(out : y)
      y = x;
#pragma omp task depend(in : y)
      if (y != 2) abort();
    }
    if (copies[3] != 1) abort();
  }
  return 0;
}
