// What a function does to memory that other threads may see: the list that the rest of the pass works on.
//
// Promises  Every instruction that reads or writes memory is in the list, or is left out by one of these proofs:
//             constant      the bytes never change (constant globals, the tables that virtual calls go through);
//             private       the object is a local, a by-value argument or a thread-local of this file whose address no
//                           other code ever gets. The proof looks at the whole object: an access to its middle is
//                           shared if the address of its beginning escapes;
//             asked for     the user said so (no_sanitize, ignore lists, -fno-sanitize-thread-memory-access);
//             not memory    another address space, a register that Swift calls memory, counters of coverage tools.
//           An object that has not escaped *yet* is no proof: who publishes a pointer by a relaxed store orders nothing
//           that was done to the object before.
// Tested by test/pass/ir (the lists), test/pass/ways (the reports)
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cstdint>
#include <vector>

namespace deadheat::pass {

enum class Form : uint8_t {
  kBytes,     // `bytes` from `address` on
  kVptr,      // the pointer to the virtual table: storing the same one again is no write
  kMasked,    // lanes of `bytes` each from `address` on, where `mask` is set
  kPacked,    // as many lanes of `bytes` each from `address` on as `mask` has bits
  kGathered,  // lanes of `bytes` each at the vector of addresses `address`, where `mask` is set
  kIndexed,  // lanes of `bytes` each at `address` + `scale` * `index`, where `mask` is set; what has fewer lanes counts
};

struct Access {
  llvm::Instruction* at;
  llvm::Value* address;
  uint64_t bytes;
  llvm::Align align;
  bool writes;
  bool is_volatile = false;
  Form form = Form::kBytes;
  llvm::Value* mask = nullptr;
  llvm::Value* index = nullptr;
  uint64_t scale = 1;
  bool needed = true;    // false: covered by another check (covered.h)
  bool in_line = false;  // its test is in the program (inline.h)
};

// The same line of the same call path of functions that were put in line.
bool is_of_one_line(const Access& a, const Access& b);

// Accesses that have one test together (merged.h). The first in the program has the place of the test.
struct Merged {
  struct Member {
    size_t index;      // in Accesses::plain
    int64_t distance;  // from the first
  };
  llvm::SmallVector<Member, 4> members;  // in the order of the program
  int64_t begin;                         // of all bytes, from the first
  uint64_t bytes;
};

// What one function does, in the order of its blocks and instructions.
struct Accesses {
  std::vector<Access> plain;
  std::vector<llvm::Instruction*> atomics;
  std::vector<llvm::MemIntrinsic*> copies;  // memcpy, memmove, memset: calls of the run time stand for them
  std::vector<Merged> merged;
  bool has_calls = false;
};

// What the stock pass's own options say: drivers and users set them, and they hold for this pass as well.
struct Asked {
  bool memory_accesses, function_frames, atomics, copies, exceptions, reads_before_writes;
  static Asked by_options();
};

// Answers for one function whether other threads may see an object.
class Sharing {
 public:
  bool may_be_shared(llvm::Value* address, bool writes);

 private:
  bool escapes(const llvm::Value* object);
  llvm::DenseMap<const llvm::Value*, bool> escapes_;
};

// Whether other threads can see the operation in one step: then it is an atomic operation, else a plain access.
bool is_atomic(const llvm::Instruction& instruction);

// The mark of accesses that have a check already (loops.h): an access group, because the optimiser keeps those when it
// copies and widens accesses, and takes the intersection when it merges two.
void mark_checked(llvm::Instruction& instruction);
bool is_marked_checked(const llvm::Instruction& instruction);
inline constexpr const char* kCheckedGroup = "deadheat.checked";

// With `library`, calls of C's functions are also marked to stay calls: their checks are the run time's.
Accesses accesses_of(llvm::Function& function, const Asked& asked, const llvm::TargetLibraryInfo* library);

}  // namespace deadheat::pass
