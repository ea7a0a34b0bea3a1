// EXPECT none
// OPTIONS coverage=1
// HAS not instrumented, so its own accesses were not seen: .*libc.so.6
// HASNOT not seen: option_coverage
int main(void) { return 0; }
