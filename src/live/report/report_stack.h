// A stack as a report shows it: node ids resolved to modules, functions and lines, innermost first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "live/ground/message.h"
#include "live/paths/stacks.h"

namespace deadheat::live {

struct ReportFrame {
  const char* function;  // null if not known
  const char* file;
  const char* module;
  int line;
  int column;
  uintptr_t offset;  // in the module
  bool inlined;      // into the next frame
  bool ours;         // an interceptor
  uintptr_t pc;
};

struct ReportStack {
  static constexpr unsigned kFrames = 256;
  ReportFrame frames[kFrames] = {};
  unsigned count = 0;
};

// As reports show the name of a file (strip_path_prefix).
const char* without_prefix(const char* file);
// Asks the symbolizer; texts are those of the session that the calling thread has open.
void fill_stack(ReportStack& stack, NodeId origin);
void add_stack(Text& text, const ReportStack& stack);
// "FILE:LINE in FUNCTION" of the innermost frame of the program, for the summary line.
void add_place(Text& text, const ReportStack& stack);
// "DEDUP_TOKEN: f--g--h" of the innermost functions.
void add_token(Text& text, const ReportStack& stack);
// One frame in the form that stack_trace_format or a caller of __sanitizer_symbolize_pc asks for.
void add_frame(Text& text, const ReportFrame& frame, unsigned number, const char* format);
// The frames of one place in the code, inlined ones first.
void add_code_place(ReportStack& stack, uintptr_t pc);

}  // namespace deadheat::live
