// Loops that sweep over memory: one check of each range before the loop, instead of one for each element in it.
//
// Which     Innermost loops that run a number of rounds known before they begin, are left at the end of a round only, and
//           have no calls, atomic operations or volatile accesses. Every access that needs a check is made in every
//           round and moves by a constant that is not more than its own size, so the bytes accessed are exactly one
//           range. All other loops keep their single checks. (An early exit would make the range a guess.)
// Before    The checks are made right before the first round. Nothing between them and the last access can end the epoch, so
//           they find the races that the single checks would find. A loop with no round does not get there.
// Order     The first access to a byte in an epoch is the one that reports name. Where two streams of a loop may overlap, so
//           that the order of their checks matters (one writes, or they are of different lines), the code compares the
//           ranges; if they overlap, and for short ones, it makes the single checks, in the order of the program, in a
//           loop of their own.
// Lines     A stream is an access of the source, and its range has the access's place.
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
bool check_loops_by_ranges(llvm::Function& function, Accesses& accesses, const LoopAnalyses& analyses,
                           Emitter& emitter);

}  // namespace deadheat::pass
