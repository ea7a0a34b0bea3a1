// OpenMP: a taskwait waits for children, not for what those have started.
// EXPECT race
// FLAGS -fopenmp
// NEEDS libomp
// OPTIONS atexit_sleep_ms=0
#include <omp.h>

#include "order.h"
int x, y;
int main(void) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
#pragma omp task if (0)
      {
#pragma omp task depend(out : y)
        x = 1;  // race
#pragma omp task depend(inout : y)
        reach(1);
        await(1);  // the other thread waits in the barrier at the end, and runs both
      }
#pragma omp taskwait
      x = 2;  // race
    }
  }
}
