// Variables on the stacks of threads: whose they are, and what they are called.
//
// Idea     A thread's shadow stack has, for each instrumented function that it has entered, the return address into the
//          caller and the stack pointer at the entry. Right below that stack pointer lies the return address of the
//          call that the function makes now: a place in the function itself. Above it lie the function's variables, and
//          above those its own return address, which is known and so can be searched for: there its frame ends.
//          deadheat-symbolizer knows from the unwind tables how the frame of that function looks, and from debug
//          information which variable is where in it.
// Promises A function is named only if the bytes lie in its frame, a variable only if it is in scope at that call.
//          Bytes between the frames of instrumented functions belong to none of them. If the owner of the stack made
//          one of the accesses, the function must have been running then, too: a later function at the same place is
//          not named.
// Cost     Nothing until a report is made. The thread may run on: the system copies its memory, and what was found
//          counts if the function is still there afterwards.
// Tested by test/programs/stack_*.c, stack_*.cpp
#pragma once

#include <cstddef>
#include <cstdint>

namespace deadheat::live {

class Draft;

// Fills in the function and the variable of the draft's memory, as far as they are certain.
void find_on_stack(Draft& draft, uintptr_t address, size_t bytes);

}  // namespace deadheat::live
