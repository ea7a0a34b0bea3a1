// OpenMP: a program with a tool of its own hides libomp from us, and coverage says so.
// EXPECT none
// FLAGS -fopenmp
// NEEDS libomp
// COMPILERS clang
// OPTIONS atexit_sleep_ms=0:coverage=1
// HAS not understood.*__kmpc_fork_call \(OpenMP \(libomp\)\), imported by openmp_coverage_other_tool
int count;
void* ompt_start_tool(unsigned version, const char* name) {
  (void)name;
  count += version != 0;
  return 0;
}
int main(void) {
#pragma omp parallel num_threads(1)
  count += 1;
  return count == 2 ? 0 : 1;
}
