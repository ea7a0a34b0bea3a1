// OpenMP: a task is not ordered with what its creator does after it.
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
#pragma omp task
      {
        x = 1;  // race
        reach(1);
      }
      await(1);  // the other thread waits in the barrier at the end, and runs the task
      x = 2;     // race
    }
  }
}
