// OpenMP by libgomp: regions, loops, reductions, critical, single, locks and tasks of a correct program.
// EXPECT none
// COMPILERS gcc
// FLAGS -fopenmp
// OPTIONS atexit_sleep_ms=0
#include <omp.h>
#include <stdlib.h>
int data[1000], total, hits, locked;
int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  for (int round = 0; round < 3; ++round) {
    int sum = 0;
#pragma omp parallel num_threads(4)
    {
#pragma omp for
      for (int i = 0; i < 1000; ++i) data[i] = i + round;
#pragma omp for reduction(+ : sum)
      for (int i = 0; i < 1000; ++i) sum += data[999 - i];
#pragma omp critical
      ++hits;
#pragma omp barrier
#pragma omp single
      total += hits;
      omp_set_lock(&lock);
      ++locked;
      omp_unset_lock(&lock);
#pragma omp for schedule(dynamic, 10)
      for (int i = 0; i < 1000; ++i) data[i] += total;
    }
    int made[8] = {0};
#pragma omp parallel num_threads(4)
#pragma omp single
    {
      for (int i = 0; i < 8; ++i)
#pragma omp task firstprivate(i) shared(made)
        made[i] = i;
#pragma omp taskwait
      for (int i = 0; i < 8; ++i) sum += made[i];
    }
#pragma omp parallel for
    for (int i = 0; i < 1000; ++i) data[i] = 0;
    if (data[5] != 0) abort();
  }
}
