// Annotations: a file that says what not to watch, so that the source need not.         RaceTrack, section 3.7
//
// A file of lines `Field NAME`, `Method NAME` or `Class NAME` (docs/detectors/racetrack.md); `*` in a name stands for
// anything, `#` begins a comment. Accesses of such a variable, from such a location, or of any variable of such an
// object never reach a detector, whichever it is. Atomic accesses stay: they may order threads.
//
// The thread that decodes a trace applies them, because the names are known there.
// Tested by test/unit/annotations_test.cpp
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "event/trace.h"

namespace deadheat {

// A file that cannot be read or does not make sense; says where and what was expected.
struct AnnotationError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Annotations {
 public:
  static Annotations parse(std::string_view text, const std::string& file);
  static Annotations read(const std::string& path);

  bool hides_field(std::string_view variable) const { return matches(fields_, variable); }
  bool hides_method(std::string_view location) const { return matches(methods_, location); }
  bool hides_class(std::string_view object) const { return matches(classes_, object); }

 private:
  static bool matches(const std::vector<std::string>& patterns, std::string_view name);

  std::vector<std::string> fields_, methods_, classes_;
};

// Takes the plain accesses that need no watching out of the batches of one trace.
class Unwatched {
 public:
  Unwatched(const Annotations& annotations, const Names& names) : annotations_(annotations), names_(names) {}
  void apply(Batch& batch);

 private:
  enum class Answer : uint8_t { kUnknown, kWatched, kHidden };
  // The answer for an id, asked once.
  template <class Ask>
  static bool is_hidden(std::vector<Answer>& answers, size_t id, Ask ask);
  bool is_hidden(const Event& e);

  const Annotations& annotations_;
  const Names& names_;
  std::vector<Answer> variables_, locations_;
};

}  // namespace deadheat
