// Which checks are superfluous, because another check of the same thread stands for them.
//
// Quiet     A stretch of a path is quiet if nothing in it can end the thread's epoch, free memory, or let the program
//           notice that another thread ran meanwhile: no atomic operation (not even a relaxed load: programs wait by
//           them), no fence (also one for signals), no volatile access, no assembly, and no call but of functions of
//           this module whose bodies are quiet.
// Rule 1    Read before write. A read needs no check if the same block writes the same bytes later on a quiet stretch
//           without calls. The write is certain, and whatever conflicts with the read conflicts with the write. The
//           stock pass has this rule, so the same line is reported.
// Rule 2    Covered. An access needs no check if on every path to it some checks, each followed by a quiet stretch, had
//           all its bytes, as writes if it writes. The earlier check and this access are in one epoch of one thread, so
//           a third access is ordered with both or with neither: FastTrack calls it "same epoch", and the run time
//           would do nothing either. It keeps the first of them for its reports, as with both checks. Bytes are the
//           same if they have the same offsets from the same SSA value; a value that is computed again (in a loop)
//           starts anew.
// Signals   A handler may come between the two and synchronise. The language orders nothing between a handler and the
//           plain accesses of the code that it interrupts, unless a fence says so, and a fence ends the stretch: the
//           optimiser may move the later access before the interruption in the same way. A handler that leaves by
//           longjmp goes to a call of setjmp, and functions that call it are left alone, as are those that the longjmp
//           leaves: the covered access is not executed then, or comes after the call.
// Exceptions are calls that return to another block: what may throw is no quiet call unless its body is quiet.
// Tested by test/pass/ir, where each rule fires and where it must not; test/pass/random; test/mutants/pass.mutants
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Module.h>

#include "pass/access.h"

namespace deadheat::pass {

// The functions of a module whose bodies, with all that they call, are quiet.
class QuietFunctions {
 public:
  explicit QuietFunctions(const llvm::Module& module);
  bool is_quiet(const llvm::Instruction& instruction) const;

 private:
  llvm::DenseSet<const llvm::Function*> quiet_;
};

void drop_reads_before_writes(llvm::Function& function, Accesses& accesses, const QuietFunctions& quiet);
void drop_covered(llvm::Function& function, Accesses& accesses, const QuietFunctions& quiet);

}  // namespace deadheat::pass
