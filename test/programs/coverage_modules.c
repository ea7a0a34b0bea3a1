// EXPECT none
// OPTIONS coverage=1
// HAS not instrumented, so its own accesses were not seen: .*libc.so.6
// HASNOT not seen: coverage_modules
// The C library is never instrumented, the program is.
int main(void) { return 0; }
