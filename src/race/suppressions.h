// Suppressions: a file that says which reports to leave out, in ThreadSanitizer's syntax.
//
// Syntax    One `type:pattern` a line; `#` begins a comment line. `*` stands for any text; `^` and `$` tie the pattern
//           to the beginning and the end of the name, otherwise it may stand anywhere in it.
//             race, race_top        data races: any frame of any stack, or the top frames of the two accesses
//             mutex, thread, signal, deadlock    the other kinds of report, any frame
//             called_from_lib       interceptors do nothing when called from a library of this name
//           A pattern is tried on a frame's function, source file and module, and (race) on the name of the global.
//           Two forms are ours. `race:lib.so+0x1f30` names one place in the code without needing symbols: the module
//           is a pattern, the offset exact. `race:reader && writer` names a pair: one access's stack matches the one
//           pattern, the other's stack the other, either way round.
//           RaceTrack's annotations can be read, too: `Field NAME`, `Method NAME` and `Class NAME` hide races in which
//           a plain access is to the global of that name, is made in that function, or is to a block that was allocated
//           there (docs/detectors/racetrack.md; a trace is analysed without these accesses, by engine/annotations.h).
// Promises  Inside rules: memory from the owner's arena only, no exceptions. Not thread safe: one owner, or a lock.
//           Every rule counts what it hid, so that those that hid nothing can be listed.
// Cost      O(rules x frames) for each report.
// Tested by test/unit/suppressions_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/arena.h"
#include "race/finding.h"

namespace deadheat {

enum class SuppressionType : uint8_t {
  kRace,
  kRaceTop,
  kMutex,
  kThread,
  kSignal,
  kCalledFromLib,
  kDeadlock,
  kField,
  kMethod,
  kClass
};
std::string_view to_string(SuppressionType type);
SuppressionType suppression_type(FindingKind kind);  // that hides findings of this kind

struct Suppression {
  struct Pattern {
    std::string_view text;  // without the offset
    uint64_t offset = 0;    // 0: none given
  };
  SuppressionType type;
  std::string_view written;  // as the user wrote it, `type:` included
  Pattern first;
  Pattern second;  // empty text unless the rule names a pair
  uint32_t line;   // from 1
  uint64_t hits = 0;
};

class Suppressions {
 public:
  // Called for each line that is neither a suppression nor an annotation; the others still count.
  using Tell = void (*)(void* context, uint32_t line, std::string_view text, const char* problem);

  explicit Suppressions(Arena& arena) : arena_(arena) {}

  // Adds the rules of a text, which is copied. May be called several times: the program's own, then the user's file.
  void parse(std::string_view text, Tell tell, void* context);
  // The same for a text of annotations.
  void parse_annotations(std::string_view text, Tell tell, void* context);

  // The first rule that hides this finding, its hits counted; null if none does.
  const Suppression* match(const Finding& finding);
  const Suppression* match_library(std::string_view path);

  bool has(SuppressionType type) const;
  std::span<const Suppression> rules() const { return {rules_.data(), rules_.size()}; }

 private:
  using ParseLine = void (Suppressions::*)(std::string_view line, uint32_t number, Tell tell, void* context);
  void parse_lines(std::string_view text, ParseLine take, Tell tell, void* context);
  void parse_line(std::string_view line, uint32_t number, Tell tell, void* context);
  void parse_annotation(std::string_view line, uint32_t number, Tell tell, void* context);

  Arena& arena_;
  ArenaVector<Suppression> rules_;
};

// Whether a name matches a pattern with `*`, `^` and `$`.
bool matches_pattern(std::string_view pattern, std::string_view name);

}  // namespace deadheat
