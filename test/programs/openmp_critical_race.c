// OpenMP: critical parts of different names do not exclude each other.
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
#pragma omp critical(one)
      x = 1;  // race
      reach(1);
    } else {
      await(1);
#pragma omp critical(two)
      x = 2;  // race
    }
  }
}
