// OpenMP: a barrier orders what comes before it with what comes after, not two threads after it.
// EXPECT race
// FLAGS -fopenmp
// NEEDS libomp
// OPTIONS atexit_sleep_ms=0
#include <omp.h>

#include "order.h"
int x;
int main(void) {
#pragma omp parallel num_threads(2)
  {
    const int me = omp_get_thread_num();
    if (me == 0) x = 1;
#pragma omp barrier
    if (me == 1) {
      x = 2;  // race
      reach(1);
    } else {
      await(1);
      USE(x);  // race
    }
  }
}
