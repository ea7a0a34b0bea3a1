// OpenMP: the tasks of a taskloop know what came before, and what follows knows them.
// EXPECT none
// FLAGS -fopenmp
// NEEDS libomp
// OPTIONS atexit_sleep_ms=0
#include <omp.h>

#include "order.h"
int data[1000], sum;
int main(void) {
  for (int round = 0; round < 3; ++round) {
#pragma omp parallel num_threads(4)
#pragma omp single
    {
      for (int i = 0; i < 1000; ++i) data[i] = round;
#pragma omp taskloop grainsize(10)
      for (int i = 0; i < 1000; ++i) data[i] += i;
      for (int i = 0; i < 1000; ++i) sum += data[i];
      int total = 0;
#pragma omp taskloop num_tasks(16) reduction(+ : total)
      for (int i = 0; i < 1000; ++i) total += data[i];
      if (total != 499500 + 1000 * round) abort();
    }
  }
  return 0;
}
