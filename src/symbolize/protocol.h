// The language of deadheat-symbolizer: one request a line on standard input, one answer each on standard output.
//
//   CODE "path/of/module" 0x1f30            one pair of lines for each frame, innermost (inlined) first:
//                                             function
//                                             file:line:column
//   DATA "path/of/module" 0x4010            the variable there:
//                                             name
//                                             start size          (decimal, start as an offset in the module)
//   CODE "path" 0x1f30 0123abcd...          only if the module on disk still has this build id
//   STACK "path" 0x1f30 ADDRESS BYTES STACK-POINTER FRAME-END LOWEST-RETURN
//                                           the variable of the function there that has these bytes of a stack:
//                                             name                (with members and elements: table[2].hits)
//                                             file:line:column    (of the declaration)
//                                             begin size inlined  (of the function that far out from the innermost)
//                                           no line at all if the frame cannot be one of that function
//
// For STACK, the place is in a call that the function makes and STACK-POINTER is the register just before it; FRAME-END
// is the frame's canonical frame address, 0 if not known, and LOWEST-RETURN where the function's return address lies,
// or the lowest copy of it, which functions that align their frame make.
//
// An empty line ends every answer. What is not known is `??`, `??:0:0`, `0 0`, `0 0 0`. Offsets are addresses as the
// module's own headers count them: what is left of an address when the place where the module was loaded is taken off.
// For a return address ask for the byte before it. Quotes may be left out around a path without blanks; in quotes, `\"`
// and `\\` are a quote and a backslash. LLVM's symbolizer understands CODE and DATA and answers alike, so either can
// stand in for the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deadheat::symbolize {

struct Frame {
  std::string function;  // demangled; empty if not known
  std::string file;
  int line = 0;
  int column = 0;
};

struct Variable {
  std::string name;
  uint64_t start = 0;
  uint64_t size = 0;
};

// A frame on a stack, and bytes in it.
struct StackBytes {
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t stack_pointer = 0;
  uint64_t frame_end = 0;
  uint64_t lowest_return = 0;
};

struct StackVariable {
  std::string name;  // empty if not known
  std::string file;
  int line = 0;
  uint64_t begin = 0;
  uint64_t size = 0;
  unsigned inlined = 0;
};

struct Request {
  enum class Kind { kCode, kData, kStack };
  Kind kind = Kind::kCode;
  std::string module;
  uint64_t offset = 0;
  std::string build_id;  // lower-case hex; empty: any
  StackBytes stack;
};

// None if the line is not a request.
std::optional<Request> parse_request(std::string_view line);

std::string format_answer(const std::vector<Frame>& frames);
std::string format_answer(const std::optional<Variable>& variable);
std::string format_answer(const std::optional<StackVariable>& variable);

}  // namespace deadheat::symbolize
