// Random well-formed traces, larger than what can be enumerated. The same seed always gives the same trace.
//
// Two styles. Disciplined: threads run small scripts (lock, access, unlock ...) that are interleaved at random; every
// object has a discipline that would keep it free of races, and now and then a thread breaks it. Chaotic: any event
// that may come next, on few names, so that corners meet that no program would bring together.
#pragma once

#include <cstdint>

#include "support/test_trace.h"

namespace deadheat::test {

// Seeds are taken in turn by the styles and sizes, so that any run of a few hundred seeds meets all of them.
TestTrace random_trace(uint64_t seed);

}  // namespace deadheat::test
