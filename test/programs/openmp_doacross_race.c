// OpenMP: a doacross loop that names another iteration than the one it reads.
// EXPECT race
// FLAGS -fopenmp
// NEEDS libomp
// OPTIONS atexit_sleep_ms=0
#include <omp.h>

#include "order.h"
int chain[4];
int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp for ordered(1) schedule(static, 1)
    for (int i = 0; i < 4; ++i) {
      if (i == 3) {
#pragma omp ordered depend(sink : i - 3)
        await(1);
        USE(chain[1]);  // race
      }
      if (i == 1) {
        chain[1] = 1;  // race
        reach(1);
      }
#pragma omp ordered depend(source)
    }
  }
}
