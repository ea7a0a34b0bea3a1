// Neighbouring accesses of one object: one hit test for all of them, in the program (inline.h).
//
// Which     Accesses of one block, all reads or all writes, at known distances from one another, that together are 2, 4, 8
//           or 16 bytes without a gap. Between the first and the last nothing may end the epoch (covered.h), and no call
//           may stand there, since it might not return.
// Test      Stands before the first of them. If all cells are the thread's, each single test would be a hit.
// Miss      Then the checks of all are made, in their order, each with its own place and size: reports do not change. Those
//           of one line and size that follow on another, such as the bytes of a number, are one call: the run time
//           reports elements (live/hits.h, `sweep`).
// Order     A check that is made earlier must not pass one of the same bytes, or that one's line would not be the one that
//           reports name: where another access between may be of the same bytes, the later check stays where it is.
// Faults    An access between that faults, in a program whose handler leaves by siglongjmp, is undefined in C and C++.
// Tested by test/pass/ir/merged.ll, test/pass/random; test/mutants/pass.mutants
#pragma once

#include <llvm/Analysis/AliasAnalysis.h>

#include "pass/access.h"
#include "pass/covered.h"

namespace deadheat::pass {

// What is merged is in `accesses.merged`, and no longer needed by itself.
void merge_neighbours(Accesses& accesses, const QuietFunctions& quiet, llvm::AAResults& aliases,
                      const llvm::DataLayout& layout);

}  // namespace deadheat::pass
