// OpenMP: two threads of a team write one variable.
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
    if (omp_get_thread_num() == 0) {
      x = 1;  // race
      reach(1);
    } else {
      await(1);
      x = 2;  // race
    }
  }
}
