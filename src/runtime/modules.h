// What the helper process deadheat-symbolizer says about code and data.
//
// One thread asks at a time; the others sleep until its answer is there, which may take seconds. Answers are texts of
// the session (report_session.h) that the calling thread has open, and go with it. A helper that died or did not answer
// in time is left with whatever it would still say, and the next question goes to a new one.
// Tested by test/programs/symbols_*.c
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/module_table.h"

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
// The child of a fork starts a helper of its own.
void symbols_after_fork();

}  // namespace deadheat::live
