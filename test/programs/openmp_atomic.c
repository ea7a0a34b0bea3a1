// OpenMP: atomic constructs, with a release and an acquire one that publish.
// EXPECT none
// FLAGS -fopenmp
// NEEDS libomp
// OPTIONS atexit_sleep_ms=0
#include <omp.h>

#include "order.h"
int data, counter, flag;
int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp atomic
    ++counter;
    if (omp_get_thread_num() == 0) {
      data = 1;
#pragma omp atomic write release
      flag = 1;
    } else {
      int seen = 0;
      while (!seen) {
#pragma omp atomic read acquire
        seen = flag;
      }
      if (data != 1) abort();
    }
  }
  return counter == 2 ? 0 : 1;
}
