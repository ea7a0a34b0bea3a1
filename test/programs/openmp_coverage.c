// OpenMP: coverage finds nothing in what either library is called for.
// EXPECT none
// FLAGS -fopenmp
// NEEDS libomp
// OPTIONS atexit_sleep_ms=0:coverage=1
// HASNOT not understood.*imported by openmp_coverage
// HAS not instrumented, so its own accesses were not seen: .*lib(g)?omp.so
#include "openmp_regions.c"
