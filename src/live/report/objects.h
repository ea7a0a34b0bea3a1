// Which object an address is part of, as far as objects tell one bug from another.
//
// The same two lines of code may race on several variables, in a function that gets them as arguments: these are
// several bugs. Races on the elements of one array, or on blocks that one line allocates, are one bug. A program that
// races a million times asks a million times, so the last answers are kept.
// Tested by test/programs/report_two_variables.c, report_two_blocks.c, told_*.c
#pragma once

#include <cstdint>

namespace deadheat::live {

struct Object {
  // Equal for two addresses in one global, in blocks that were allocated by the same stack of lines, in descriptors
  // that were opened so, in frames of functions that one line called; equal for all thread-local data, for all data of
  // a module that no symbol names, and for all that nothing is known about.
  uint64_t key;
  uint64_t path;  // the exact call path beside the key, where there is one
};
// The calling thread has a session open.
Object object_at(uintptr_t address);

}  // namespace deadheat::live
