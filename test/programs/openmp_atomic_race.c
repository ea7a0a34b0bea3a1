// OpenMP: an atomic construct without an order publishes nothing.
// EXPECT race
// FLAGS -fopenmp
// NEEDS libomp
// OPTIONS atexit_sleep_ms=0
#include <omp.h>

#include "order.h"
int data, flag;
int main(void) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      data = 1;  // race
#pragma omp atomic write
      flag = 1;
    } else {
      int seen = 0;
      while (!seen) {
#pragma omp atomic read
        seen = flag;
      }
      USE(data);  // race
    }
  }
}
