// One finding as text and as JSON.
//
// There are two forms. The full form is for findings of live and recorded programs, which have bytes, stacks and
// threads: text as users of ThreadSanitizer and their tools know it, JSON with everything. The short form is for
// findings of plain traces, which have the name of a variable and a location for each access: a few lines.
//
// Promises Inside rules: libdeadheat.so has the same code. Names may have any bytes; JSON is valid UTF-8 all the same.
// Tested by test/unit/finding_report_test.cpp, test/programs/report_*.c, test/golden
#pragma once

#include <string_view>

#include "race/finding.h"
#include "report/sink.h"

namespace deadheat {

// What does not depend on the finding.
struct ReportStyle {
  // Of the full form.
  int process = 0;
  bool in_colour = false;
  std::string_view frame_format = "DEFAULT";
  bool hint_second_stack = false;  // a lock order has one stack for each lock; there is an option for both
  int token_length = 0;            // of the line DEDUP_TOKEN
  // Of the short form.
  bool precise = true;
  std::string_view detector = {};
};

bool is_told_in_full(const Finding& finding);

void write_finding_text(const Finding& finding, const ReportStyle& style, Sink& out);
// One object, without the end of the line.
void write_finding_json(const Finding& finding, const ReportStyle& style, Sink& out);

// Frames, a line each, in the form that stack_trace_format or a caller of __sanitizer_symbolize_pc asks for.
void write_stack(StackView stack, std::string_view format, Sink& out);
void write_frame(const StackFrame& frame, unsigned number, std::string_view format, Sink& out);

// A text in quotes. Bytes that are not UTF-8 become U+FFFD.
void write_json_text(std::string_view text, Sink& out);
void write_json_text_or_null(std::string_view text, Sink& out);  // null if it is empty

// The member `location` of a finding in JSON and of its record: up to its stack, which the caller writes, and from there on.
void write_location_begin(const Memory& memory, Sink& out);
void write_location_end(const Memory& memory, Sink& out);

// The length of the character that a text begins with, 0 if it is not UTF-8.
size_t utf8_length(std::string_view text);

// read, write, atomic-read, atomic-write, free
std::string_view op_name(AccessKind kind);
// unknown, global, heap, stack, tls, descriptor, variable
std::string_view memory_name(Memory::Kind kind);

}  // namespace deadheat
