// OpenMP: the same reductions, by the means that libomp is told to take.
// EXPECT none
// FLAGS -fopenmp
// NEEDS libomp
// OPTIONS atexit_sleep_ms=0
// COMPILERS clang
// COMMAND KMP_FORCE_REDUCTION=critical @PROGRAM@
#include "openmp_reductions.c"
