// Which object an address is part of, as far as it tells one bug from another.
//
// The same two lines of code may race on several variables, by way of a function that both use: these are several bugs.
// On the elements of one array, or on blocks that one line allocates, they are one. A program that races a million
// times asks a million times, so what was found out last is kept. Tested by test/programs/report_two_variables.c,
// report_two_heap_blocks.c, report_one_array.c
#pragma once

#include <cstdint>

namespace deadheat::live {

// Equal for two addresses in one global or in blocks that were allocated at the same place; equal for all stacks, for
// all thread-local data, and for all that nothing is known about. The calling thread has a session open.
uint64_t object_key(uintptr_t address);

}  // namespace deadheat::live
