// OpenMP: a taskloop without its group does not wait.
// EXPECT race
// FLAGS -fopenmp
// NEEDS libomp
// OPTIONS atexit_sleep_ms=0
#include <omp.h>

#include "order.h"
int data[2], ended;
int main(void) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
#pragma omp taskloop nogroup num_tasks(2)
      for (int i = 0; i < 2; ++i) {
        data[i] = i;  // race
        __atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
      }
      // The other thread waits in the barrier at the end, and runs the tasks.
      while (__atomic_load_n(&ended, __ATOMIC_RELAXED) < 2) sched_yield();
      USE(data[1]);  // race
    }
  }
}
