// The lines of the program that accesses and allocations come from, as keys: equal where the source says so.
//
// A program that races a million times asks a million times, so the symbolizer's answers are kept until a library is
// unloaded. Tested by test/programs/told_*.c, report_two_blocks.c
#pragma once

#include <cstdint>

#include "live/paths/stacks.h"

namespace deadheat::live {

// The line of the program that made the access: the innermost one that is neither an interceptor's nor in a header of
// the system. Where a library that is not instrumented called the interceptor, its code counts, too: which line of the
// program called the library is not on the stack. The calling thread has a session open.
uint64_t line_key(OriginId origin);

// All lines of the path.
uint64_t path_key(NodeId path);

// The line of one call; 0 if it is not in the program's own code.
uint64_t call_key(uintptr_t pc);

// Of a text; 0 for none.
uint64_t text_key(const char* text);

}  // namespace deadheat::live
