// Loops that sweep over memory: one check of all elements before the loop, instead of one for each element in it.
//
// Which     Innermost loops that run a number of rounds known before they begin, are left at the end of a round only, and
//           have no calls, atomic operations or volatile accesses. Every access that needs a check is made in every
//           round and moves by a constant that is 0 or at least its own size, up or down: so its elements have no byte
//           twice, and each byte tells its element. All other loops keep their single checks. With an early exit, what
//           the loop will touch would be a guess; a check after the loop would never be made if the loop faults, if a
//           handler leaves it by longjmp, or if it does not end.
// Before    The checks are made right before the first round. Nothing between them and the last access can end the epoch, so
//           they find the races that the single checks would find. A loop with no round does not get there.
// Order     The first access to a byte in an epoch is the one that reports name. Where two streams of a loop may overlap, so
//           that the order of their checks matters (one writes, or they are of different lines), the code compares the
//           memory from their first to their last element; if that overlaps, and for short sweeps, it makes the single
//           checks, in the order of the program, in a loop of their own. Streams of one step whose elements lie side by
//           side never overlap.
// Reports   A stream is an access of the source, and its sweep has the access's place. The run time reports elements, the
//           first of the loop first (live/hits.h).
// Where     Before the vectoriser, for which the loop is free of calls then. The accesses are marked (access.h), also
//           those that the vectoriser makes of them, and the instrumentation at the end leaves marked ones alone.
// Signals   as in covered.h: the language does not order a handler with the plain accesses of the loop that it interrupts.
// Tested by test/pass/ir/loops.ll, test/pass/random, test/mutants/pass.mutants
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>

#include "pass/access.h"
#include "pass/emit.h"

namespace deadheat::pass {

struct LoopAnalyses {
  llvm::LoopInfo& loops;
  llvm::DominatorTree& dominators;
  llvm::ScalarEvolution& evolution;
};

// Whether something was changed.
bool check_loops_by_sweeps(llvm::Function& function, Accesses& accesses, const LoopAnalyses& analyses,
                           Emitter& emitter);

}  // namespace deadheat::pass
