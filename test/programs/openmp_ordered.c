// OpenMP: ordered parts follow each other, and so do the iterations that a doacross loop names.
// EXPECT none
// FLAGS -fopenmp
// NEEDS libomp
// OPTIONS atexit_sleep_ms=0
#include <omp.h>

#include "order.h"
int last, chain[200], grid[20][20];
int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp for ordered schedule(dynamic)
    for (int i = 0; i < 100; ++i) {
#pragma omp ordered
      last += i;
    }
#pragma omp for ordered(1) schedule(static, 3)
    for (int i = 1; i < 200; ++i) {
#pragma omp ordered depend(sink : i - 1)
      chain[i] = chain[i - 1] + 1;
#pragma omp ordered depend(source)
    }
#pragma omp for ordered(2) schedule(static, 1)
    for (int i = 1; i < 20; ++i)
      for (int j = 1; j < 20; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
        grid[i][j] = grid[i - 1][j] + grid[i][j - 1] + 1;
#pragma omp ordered depend(source)
      }
  }
  return last == 4950 && chain[199] == 199 ? 0 : 1;
}
