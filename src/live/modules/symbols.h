// What the helper process deadheat-symbolizer says about code and data.
//
// One thread asks at a time. The others sleep until its answer is there, which may take seconds. Answers are texts of
// the session (report_session.h) that the calling thread has open, and live as long as it. If a helper has died or does
// not answer in time, we leave it alone, and the next question goes to a new one.
// Tested by test/programs/symbols_*.c
#pragma once

#include <cstddef>
#include <cstdint>

#include "live/modules/module_table.h"

namespace deadheat::live {

struct SourceFrame {
  const char* function;  // null if not known
  const char* file;      // null if not known
  int line;
  int column;
};

// The helper is started by the first question. Returns the number of frames (inlined ones first), 0 if nothing is
// known.
unsigned symbolize_code(const Module& module, uintptr_t offset, SourceFrame* frames, unsigned capacity);
// The global variable there; false if not known.
bool symbolize_data(const Module& module, uintptr_t offset, const char*& name, uintptr_t& start, size_t& size);
// A frame on a stack, and bytes in it.
struct StackQuestion {
  uintptr_t address;
  size_t bytes;
  uintptr_t stack_pointer;  // of the function, at the call that `offset` is in
  uintptr_t frame_end;      // its canonical frame address; 0 if that is not certain
  uintptr_t lowest_return;  // the lowest copy of its return address
};
enum class StackAnswer : uint8_t { kNothing, kOtherFrame, kNoVariable, kVariable };
struct StackVariable {
  const char* name;      // with the members and elements down to the bytes: "table[2].hits"
  SourceFrame declared;  // no function
  uintptr_t begin;
  size_t bytes;
  unsigned inlined;  // it is of the function that comes so much further out than the innermost one inlined there
};
// Which variable of the function at `offset` the bytes are. kOtherFrame: the frame is not one of that function.
StackAnswer symbolize_stack(const Module& module, uintptr_t offset, const StackQuestion& question,
                            StackVariable& variable);
// Keeps a text in the session that the calling thread has open (report/report_session.h, which defines it); null
// without memory.
const char* session_text(const char* text, size_t length);
// The child of a fork starts a helper of its own.
void symbols_after_fork();

}  // namespace deadheat::live
