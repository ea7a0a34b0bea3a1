// OpenMP: a sum over a loop without a reduction.
// EXPECT race
// FLAGS -fopenmp
// NEEDS libomp
// OPTIONS atexit_sleep_ms=0
#include <omp.h>

#include "order.h"
int sum;
int main(void) {
#pragma omp parallel for schedule(static) num_threads(2)
  for (int i = 0; i < 2; ++i) {
    if (i == 1) await(1);
    sum += i;  // race
    if (i == 0) reach(1);
  }
}
