// syscall(): calls that bypass the functions of the C library are at least counted, for the option coverage.
#include "capture/intercept.h"

using namespace deadheat::live;

// Six arguments are passed on whether or not the system call has them; so does the C library.
DEADHEAT_INTERCEPT(long, syscall, long number, long a, long b, long c, long d, long e, long f) {
  system_call_made(number, DEADHEAT_CALLER);
  return REAL(syscall)(number, a, b, c, d, e, f);
}
