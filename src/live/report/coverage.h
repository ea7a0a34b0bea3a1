// What was not seen in this run, printed at exit if the option coverage asks for it.
//
//   modules     without instrumentation: their own accesses were not seen
//   functions   that order threads (sync_functions.def), that a module imports, and that nothing watches: what they
//               order may be reported as a race
//   calls       by syscall() that do the same, if the atomics around them are not watched
//   degraded    what did not fit (degraded.h), how much and from when on
//   suppressed  reports, by which rule
// Not known, and not claimed: system calls by own instructions, and locks made of atomics in modules of the first kind.
// Tested by test/programs/coverage_*
#pragma once

#include <cstdint>

namespace deadheat::live {

void print_coverage();

// Functions of this kind are understood by other means than interception; `what` as in sync_functions.def, for good.
void note_understood(const char* what);
// A call of syscall(); `caller` is the address it returns to.
void note_system_call(long number, uintptr_t caller);

}  // namespace deadheat::live
