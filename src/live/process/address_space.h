// Limits of address space (ulimit -v, RLIMIT_AS): the size of the shadow does not count.
//
// At start we lift the limit as far as the system allows, map the shadow, and set the limit again with our part added.
// When the program sets a limit later, we add our part; when it asks for the limit, we subtract it.
// Tested by test/programs/quiet_limit_*.c
#pragma once

#include <cstdint>

namespace deadheat::live {

void address_space_begin();  // before the first mapping of ours
void address_space_end();    // after the last large one
uint64_t own_address_space();

}  // namespace deadheat::live
