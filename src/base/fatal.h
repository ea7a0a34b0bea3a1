// The way out when Deadheat itself cannot go on: one line on standard error, then exit code 70.
//
// For conditions that no input causes (the system refuses memory, a clock would overflow). What a user can cause is an
// error of the reader or the command line, with exit code 2.
#pragma once

namespace deadheat {

inline constexpr int kExitInternal = 70;

[[noreturn]] void fatal(const char* format, ...) __attribute__((format(printf, 1, 2), cold));

}  // namespace deadheat

// An invariant that is cheap and cold enough to be checked in every build.
#define DEADHEAT_CHECK(condition)               \
  (__builtin_expect(!!(condition), 1) ? (void)0 \
                                      : ::deadheat::fatal("%s:%d: %s does not hold", __FILE__, __LINE__, #condition))

// An invariant on a hot path: checked in development builds only.
#ifdef NDEBUG
#define DEADHEAT_DCHECK(condition) ((void)sizeof(!(condition)))
#else
#define DEADHEAT_DCHECK(condition) DEADHEAT_CHECK(condition)
#endif
