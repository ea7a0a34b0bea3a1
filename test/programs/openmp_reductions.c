// OpenMP: reductions of several kinds, by whatever means the library chooses.
// EXPECT none
// FLAGS -fopenmp
// NEEDS libomp
// OPTIONS atexit_sleep_ms=0
#include <omp.h>

#include "order.h"
typedef struct {
  double sum, squares;
} Moments;
static void add(Moments* into, const Moments* from) {
  into->sum += from->sum;
  into->squares += from->squares;
}
#pragma omp declare reduction(moments:Moments : add(&omp_out, &omp_in)) initializer(omp_priv = (Moments){0, 0})
int main(void) {
  for (int round = 0; round < 3; ++round) {
    int sum = 0, most = 0;
    long long product = 1;
    double array[8] = {0};
    Moments all = {0, 0};
#pragma omp parallel num_threads(8)
    {
#pragma omp for reduction(+ : sum) reduction(max : most) reduction(* : product)
      for (int i = 0; i < 100; ++i) {
        sum += i;
        if (i > most) most = i;
        if (i < 10) product *= i + 1;
      }
      if (sum != 4950 || most != 99) abort();
#pragma omp barrier
#pragma omp for reduction(+ : array[ : 8])
      for (int i = 0; i < 80; ++i) array[i % 8] += 1;
      if (array[3] != 10) abort();
#pragma omp for reduction(moments : all) nowait
      for (int i = 0; i < 64; ++i) {
        all.sum += i;
        all.squares += i * i;
      }
    }
    if (all.sum != 2016 || product != 3628800) abort();
    sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(5)
    for (int i = 0; i < 100; ++i) sum += i;
    if (sum != 4950) abort();
  }
  return 0;
}
