// EXPECT none
// OPTIONS help=1
// HAS ^  halt_on_error=0
int main(void) { return 0; }
