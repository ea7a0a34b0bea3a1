// syscall(): what goes past the functions of the C library is at least counted, for who asked for it.
#include "live/api.h"
#include "live/ground/options.h"
#include "live/report/coverage.h"

using namespace deadheat::live;

// Six arguments are passed on whether or not the system call has them; so does the C library.
DEADHEAT_INTERCEPT(long, syscall, long number, long a, long b, long c, long d, long e, long f) {
  if (__builtin_expect(options.coverage, 0)) note_system_call(number, reinterpret_cast<uintptr_t>(DEADHEAT_CALLER));
  return REAL(syscall)(number, a, b, c, d, e, f);
}
