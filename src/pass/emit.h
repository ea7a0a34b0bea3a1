// Puts checks into the code: a call of the run time before each access, calls in place of atomic operations and of
// memcpy and its relatives, and the frames of functions.
//
// Interface  The entry points of -fsanitize=thread where they can say what happens; so objects of the stock pass, of this
//            one and of GCC mix. Accesses that those cannot express go to entry points of our own (capture/pass.cpp).
//            Every object calls __deadheat_pass_interface with its version when it is loaded: another run time does not
//            have it, and one that speaks another version stops the program with a line that says so.
// Lines      A check has the place in the source of its access.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "pass/access.h"
#include "pass/inline.h"

namespace deadheat::pass {

class Emitter {
 public:
  // Checks are calls, or in line.
  Emitter(llvm::Module& module, bool in_line);

  // Before the checks of each function. Whether it needs a frame for them.
  bool begin(const llvm::Function& function, const Accesses& accesses);
  void check(const Access& access);
  void check_merged(const Accesses& accesses, const Merged& merged);
  // What loops.h has put there as calls.
  void put_in_line(llvm::Function& function);
  // The same at another place, and of `count` elements like it, one every `step` bytes from `begin` on.
  void check_single(llvm::IRBuilder<>& builder, const Access& access) { check_bytes(builder, access); }
  void check_sweep(llvm::IRBuilder<>& builder, const Access& access, llvm::Value* begin, int64_t step,
                   llvm::Value* count);
  // The whole operation, by the run time; the instruction is gone afterwards.
  void replace_atomic(llvm::Instruction& instruction);
  void replace_copy(llvm::MemIntrinsic& copy);
  void function_frames(llvm::Function& function, bool exceptions);
  // Nothing that the function does, calls included, is looked at.
  void ignore_within(llvm::Function& function, bool exceptions);
  void announce_interface();

 private:
  llvm::FunctionCallee entry(const llvm::Twine& name, llvm::Type* result, llvm::ArrayRef<llvm::Type*> arguments);
  void check_bytes(llvm::IRBuilder<>& builder, const Access& access);
  void check_vptr(llvm::IRBuilder<>& builder, const Access& access);
  void check_lanes(llvm::IRBuilder<>& builder, const Access& access);
  Access with_addresses(llvm::IRBuilder<>& builder, const Access& indexed);
  llvm::Value* mask_bits(llvm::IRBuilder<>& builder, llvm::Value* mask);
  void modify_by_loop(llvm::AtomicRMWInst& modify, unsigned bits);

  llvm::Module& module_;
  InlineChecks inline_;
  const bool in_line_;
  const llvm::DataLayout& layout_;
  llvm::Type* nothing_;
  llvm::Type* pointer_;
  llvm::IntegerType* word_;   // as large as a pointer
  llvm::IntegerType* order_;  // of memory orders
};

}  // namespace deadheat::pass
