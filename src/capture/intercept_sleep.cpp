// Sleeps order nothing, but reports name the one that a thread may have relied on.
#include <time.h>
#include <unistd.h>

#include "capture/intercept.h"

using namespace deadheat::live;

#define SLEEP(result, name, parameters, ...)      \
  DEADHEAT_INTERCEPT(result, name, __VA_ARGS__) { \
    Entry entry(DEADHEAT_CALLER);                 \
    const result left = REAL(name) parameters;    \
    slept(entry);                                 \
    return left;                                  \
  }
SLEEP(unsigned, sleep, (seconds), unsigned seconds)
SLEEP(int, usleep, (microseconds), useconds_t microseconds)
SLEEP(int, nanosleep, (wanted, left_over), const timespec* wanted, timespec* left_over)
SLEEP(int, clock_nanosleep, (clock, flags, wanted, left_over), clockid_t clock, int flags, const timespec* wanted,
      timespec* left_over)
SLEEP(int, thrd_sleep, (wanted, left_over), const timespec* wanted, timespec* left_over)
