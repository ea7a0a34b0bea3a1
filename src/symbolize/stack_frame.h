// The frame of one function on a stack: where its registers point according to the unwind tables, and which of its
// variables some bytes belong to.
//
// Idea      Debug information places a variable at a distance from the canonical frame address, the frame pointer or
//           the stack pointer. The caller knows the stack pointer and where the function's return address lies; the
//           unwind tables relate these to the other two.
// Promises  A frame that contradicts the unwind tables is none. A variable is found only where its location is plain
//           memory: what would need a look into the watched program's memory or registers is not guessed.
// Tested by test/unit/symbolize_stack_test.cpp, test/programs/stack_*.c
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "symbolize/protocol.h"

namespace deadheat::symbolize {

// "./a.cpp" as a compiler was told, "a.cpp" as everybody shows it.
inline const char* without_dot(const char* file) {
  while (file != nullptr && file[0] == '.' && file[1] == '/') file += 2;
  return file;
}

class StackFrame {
 public:
  // Of the function whose unwind information is in `table` at `address`; none if the frame cannot be one of it.
  static std::optional<StackFrame> of(Dwarf_CFI* table, uint64_t address, const StackBytes& known);

  // The variable of `function`, or of a call inlined into it, that exists at `address` and has the bytes. `places` are
  // the lines there, innermost first.
  std::optional<StackVariable> variable(Dwarf_Die& function, uint64_t address, const StackBytes& wanted,
                                        const std::vector<Frame>& places) const;

 private:
  class Search;

  std::optional<uint64_t> register_value(uint64_t number) const;
  // The address that an operation says, relative to `base`, the function's frame base.
  std::optional<uint64_t> address_of(const Dwarf_Op& operation, std::optional<uint64_t> base) const;
  std::optional<uint64_t> frame_base(Dwarf_Die& function, uint64_t address) const;

  uint64_t stack_pointer_ = 0;
  std::optional<uint64_t> frame_pointer_;
  std::optional<uint64_t> frame_end_;  // canonical frame address
};

}  // namespace deadheat::symbolize
