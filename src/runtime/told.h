// What was told: the keys of all reports, so that nothing is told twice.
//
// Guard  The lock of the reports.
#pragma once

#include "runtime/finding.h"

namespace deadheat::live {

// True the first time; the key counts as told from then on.
bool first_time(uint64_t key);

// The place in the source where the access was made.
uint64_t place_key(const Side& side);
// The object as the source has it: blocks that copies of one line allocate are one. `object` is the address's
// object_key.
uint64_t place_key(const Location& location, uint64_t object);
// Two places in either order, on an object.
uint64_t pair_key(uint64_t a, uint64_t b, uint64_t object = 0);

// Whether one of the two was told of at that address; from then on both are.
bool told_of_address(const Side (&sides)[2], uintptr_t address);

}  // namespace deadheat::live
