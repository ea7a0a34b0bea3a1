// OpenMP: without the barrier at its end a loop orders nothing.
// EXPECT race
// FLAGS -fopenmp
// NEEDS libomp
// OPTIONS atexit_sleep_ms=0
#include <omp.h>

#include "order.h"
int x[2], sum;
int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 2; ++i) x[i] = i + 1;  // race
    const int me = omp_get_thread_num();
    if (me == 0) reach(1);
    if (me == 1) {
      await(1);
      USE(x[0]);  // race
    }
  }
}
