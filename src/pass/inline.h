// The hit test of an access, in the program itself; and the frames of functions.
//
// Idea      A hit is what live/hits.h says, from the thread's own line of data (base/pass_interface.h): a load for each of
//           id, plane and mask, one of the cell, a compare and a branch that is not taken. Nothing is called, no register is
//           given up: a miss calls an entry that saves what it uses (preserve_most), from a block that the layout puts
//           aside. That entry looks further before it saves anything: a read may also be a hit by the thread's cells of
//           writes, and an access of some bytes of a word by their bits in a cell. In line, these questions took the
//           compiler twice as long.
// Where     In functions that call nothing and have few checks, and in loops: in a function with many checks, the quarter
//           that runs most often. Elsewhere a check is a call. With all in line, the compiler took up to three times as
//           long, for tests that rarely run.
// Aligned   The optimiser believes what types say of addresses. The test asks again, except for parts of variables
//           whose place the compiler chose: two cells of a word that is not aligned would not be looked at.
// Unaligned Accesses that are known not to be aligned are tested at the cells of all their words.
// Frames    A function that calls nothing and only has such checks enters a frame where it misses, and not before.
//           It must not have locals that others see: reports find their frames by the shadow stack.
// Cost      test/pass/ir/inline.ll keeps the instructions; docs/pass.md the sizes.
// Tested by test/pass/ir/inline.ll, test/pass/random, test/pass/ways; test/mutants/pass.mutants
#pragma once

#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "pass/access.h"

namespace deadheat::pass {

// Decides which checks are in line.
void choose_in_line(const llvm::Function& function, Accesses& accesses, const llvm::BlockFrequencyInfo& frequencies);

class InlineChecks {
 public:
  explicit InlineChecks(llvm::Module& module);

  static bool can_test(uint64_t bytes) { return bytes <= 16 && (bytes & (bytes - 1)) == 0; }
  // Before `at`, with its place in the source. `miss` puts the call there; without it, that is an entry point of ours.
  void check(llvm::Instruction* at, llvm::Value* address, uint64_t bytes, llvm::Align align, bool writes,
             llvm::function_ref<void(llvm::IRBuilder<>&)> miss = nullptr);
  // The call for a miss: the check by the run time. Of `count` neighbours, if there are several.
  void call_miss(llvm::IRBuilder<>& builder, llvm::Value* address, uint64_t bytes, bool writes, uint64_t count = 1);
  // The checks to come are those of a function without a frame.
  void set_leaf(bool is_leaf) { is_leaf_ = is_leaf; }
  void function_frames(llvm::Function& function, bool exceptions);

 private:
  llvm::Value* thread(llvm::IRBuilder<>& builder);
  llvm::Value* field(llvm::IRBuilder<>& builder, unsigned offset, llvm::Type* type);
  llvm::Value* differences(llvm::IRBuilder<>& builder, llvm::Value* cells, llvm::Value* last, uint64_t bytes);
  bool is_surely_aligned(const llvm::Value* address, uint64_t bytes) const;
  llvm::FunctionCallee outside(const llvm::Twine& name, llvm::ArrayRef<llvm::Type*> arguments, bool preserves);

  llvm::Module& module_;
  llvm::Type *nothing_, *pointer_;
  llvm::IntegerType *int32_, *int64_;
  llvm::MDNode* unlikely_;
  bool is_leaf_ = false;
};

}  // namespace deadheat::pass
