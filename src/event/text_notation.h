// The text notation of events, one line at a time: `T1|w(V3)|42`.
//
// Parsing and formatting follow `kEventKinds`; docs/trace-format.md describes the notation. `LineParser` reads back
// what `format_event` writes as the same event. `is_valid_name` says whether the notation can carry a name; every
// reader asks it before a name enters its tables.
#pragma once

#include <string>
#include <string_view>

#include "event/event.h"
#include "event/names.h"

namespace deadheat {

class LineParser {
 public:
  explicit LineParser(Names& names) : names_(names) {}

  // Parses one line without its line end; it must not be a comment (`is_comment`). False if it is malformed: then
  // `problem` says what was wrong and what was expected, and no name has been added.
  bool parse(std::string_view line, Event& event, std::string& problem);

 private:
  // The parts of a line, cut and checked, before any name is looked up.
  struct Parts {
    std::string_view thread;
    std::string_view name;  // the operand, if it is a name
    std::string_view location;
  };
  bool parse_operation(std::string_view operation, Event& event, Parts& parts, std::string& problem);
  bool parse_operand(std::string_view arguments, Event& event, Parts& parts, std::string& problem);
  uint64_t intern_operand(Operand operand, std::string_view name);

  Names& names_;
  std::string_view last_thread_;  // the same thread often runs on: spare the hash table
  ThreadId last_thread_id_{};
};

// Lines that carry no event: empty ones, blank ones, and those that begin with `#`.
bool is_comment(std::string_view line);

// Appends the line of `event`, with its line end.
void format_event(std::string& out, const Event& event, const Names& names);

// Whether the notation can carry `name` in this place. Operand::kNone stands for a location.
bool is_valid_name(Operand operand, std::string_view name);

// The operand as a reader of a report knows it: a name, or `0x10:8`.
std::string operand_text(const Event& event, const Names& names);

// How the operation is written: `cas(VARIABLE,ORDER,ok|fail)`.
std::string usage_of(EventKind kind);

}  // namespace deadheat
