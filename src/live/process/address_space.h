// Limits of address space (ulimit -v, RLIMIT_AS): the shadow is not the program's, so that its size does not count.
//
// A limit that is there at start is lifted while the shadow is mapped, as far as the system allows, and set again with
// our part added. What the program asks for later gets our part added, what it is told has it taken off.
// Tested by test/programs/quiet_limit_*.c
#pragma once

#include <cstdint>

namespace deadheat::live {

void address_space_begin();  // before the first mapping of ours
void address_space_end();    // after the last large one
uint64_t own_address_space();

}  // namespace deadheat::live
