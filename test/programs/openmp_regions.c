// OpenMP: what a region is given, what it leaves, its barriers, workshares, critical parts and locks.
// EXPECT none
// FLAGS -fopenmp
// NEEDS libomp
// OPTIONS atexit_sleep_ms=0
#include <omp.h>

#include "order.h"
int data[1000], total, hits, locked, copied[4];
int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  for (int round = 0; round < 3; ++round) {
    data[0] = -1;
#pragma omp parallel num_threads(4)
    {
      if (data[0] != -1) abort();
#pragma omp barrier
#pragma omp for
      for (int i = 0; i < 1000; ++i) data[i] = i + round;
#pragma omp for schedule(dynamic, 10)
      for (int i = 0; i < 1000; ++i) data[i] += data[i] - i - round;
#pragma omp critical
      ++hits;
#pragma omp critical(named)
      ++total;
#pragma omp barrier
#pragma omp single
      total += hits;
#pragma omp sections
      {
#pragma omp section
        data[0] = 1;
#pragma omp section
        data[1] = 1;
      }
      omp_set_lock(&lock);
      ++locked;
      omp_unset_lock(&lock);
      int mine;
#pragma omp single copyprivate(mine)
      mine = total + data[0];
      copied[omp_get_thread_num()] = mine;
#pragma omp master
      total = 0;
    }
    for (int i = 0; i < 4; ++i)
      if (copied[i] != copied[0]) abort();
#pragma omp parallel for
    for (int i = 0; i < 1000; ++i) data[i] = 0;
    if (data[5] != 0) abort();
  }
  omp_destroy_lock(&lock);
  return hits == 12 && locked == 12 ? 0 : 1;
}
