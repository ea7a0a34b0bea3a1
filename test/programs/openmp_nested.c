// OpenMP: a team within a team, and teams of different sizes one after the other.
// EXPECT none
// FLAGS -fopenmp
// NEEDS libomp
// OPTIONS atexit_sleep_ms=0
#include <omp.h>

#include "order.h"
int data[4][4], sums[4], sizes[5];
int main(void) {
  omp_set_max_active_levels(2);
  for (int round = 0; round < 3; ++round) {
#pragma omp parallel num_threads(2)
    {
      const int me = omp_get_thread_num();
      for (int i = 0; i < 4; ++i) data[me][i] = i;
#pragma omp parallel num_threads(2)
      {
#pragma omp for
        for (int i = 0; i < 4; ++i) data[me][i] += 1;
#pragma omp single
        for (int i = 0; i < 4; ++i) sums[me] += data[me][i];
      }
      sums[me] += data[me][0];
    }
    sums[0] += sums[1];
    for (int size = 1; size <= 4; ++size) {
      for (int i = 0; i < 5; ++i) sizes[i] = 0;
#pragma omp parallel num_threads(size)
      sizes[omp_get_thread_num()] = 1;
      for (int i = 0; i < size; ++i)
        if (sizes[i] != 1) abort();
    }
  }
  return 0;
}
