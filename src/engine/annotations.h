// Annotations: a file that says what not to watch, and which functions are locks, so that the source need not.
//                                                                                       RaceTrack, section 3.7
//
// A file of lines `Field NAME`, `Method NAME`, `Class NAME`, `Acquire NAME` or `Release NAME`
// (docs/detectors/racetrack.md); `*` in a name stands for anything, `#` begins a comment. Accesses of such a variable,
// from such a location, or of any variable of such an object never reach a detector, whichever it is. Atomic accesses
// stay: they may order threads; but in a function that acquires or releases a lock they become that.
//
// The thread that decodes a trace applies them, because the names are known there.
// Tested by test/unit/annotations_test.cpp
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "event/trace.h"

namespace deadheat {

// A file that cannot be read or does not make sense; says where and what was expected.
struct AnnotationError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What a recorded program's places and bytes are called, where the trace itself has only numbers.
class RealNames {
 public:
  struct Bytes {
    std::string name;
    uint64_t begin = 0, bytes = 0;
    bool is_type = false;  // a type of the bytes; else a variable, a member or an element
  };
  virtual ~RealNames() = default;
  // The functions at a location, innermost first: the one that is there and those that it is inlined into; with `callers` all of
  // the stack.
  virtual std::vector<std::string> functions(std::string_view location, bool callers) = 0;
  // What the byte at an address is part of when that event happens; nothing for memory that is no global.
  virtual std::vector<Bytes> bytes_at(uint64_t address, uint64_t event) = 0;
};

// The function of a location: what follows the first blank of `file:line function`; of any other form, all of it.
std::string_view function_of(std::string_view location);

class Annotations {
 public:
  static Annotations parse(std::string_view text, const std::string& file);
  static Annotations read(const std::string& path);

  bool hides_field(std::string_view variable) const { return matches(fields_, variable); }
  bool hides_class(std::string_view object) const { return matches(classes_, object); }
  // `names` may be null.
  bool hides_method(std::string_view location, RealNames* names = nullptr) const {
    return matches_location(methods_, location, names, false);
  }
  // A block of bytes, by the place of its allocation.
  bool hides_block(std::string_view location, RealNames* names) const {
    return matches_location(classes_, location, names, false);
  }
  bool hides_bytes(const RealNames::Bytes& bytes) const;
  bool acquires(std::string_view location, RealNames* names) const {
    return matches_location(acquires_, location, names, true);
  }
  bool releases(std::string_view location, RealNames* names) const {
    return matches_location(releases_, location, names, true);
  }
  bool has_locks() const { return !acquires_.empty(); }
  bool has_variables() const { return !fields_.empty() || !classes_.empty(); }

 private:
  using Patterns = std::vector<std::string>;
  static bool matches(const Patterns& patterns, std::string_view name);
  // The whole location, or its function.
  static bool matches_location(const Patterns& patterns, std::string_view location, RealNames* names, bool callers);

  Patterns fields_, methods_, classes_, acquires_, releases_;
};

// The answer for each id, asked once.
class Answers {
 public:
  template <class Ask>
  bool of(size_t id, Ask ask) {
    if (id >= answers_.size()) answers_.resize(id + 1, Answer::kUnknown);
    if (answers_[id] == Answer::kUnknown) answers_[id] = ask() ? Answer::kYes : Answer::kNo;
    return answers_[id] == Answer::kYes;
  }

 private:
  enum class Answer : uint8_t { kUnknown, kYes, kNo };
  std::vector<Answer> answers_;
};

// Takes the plain accesses that need no watching out of the batches of one trace.
class Unwatched {
 public:
  Unwatched(const Annotations& annotations, const Names& names, RealNames* real)
      : annotations_(annotations), names_(names), real_(real) {}
  void apply(Batch& batch);

 private:
  bool is_hidden(const Event& e, uint64_t number);
  bool is_in_hidden_block(const Event& e) const;
  bool is_in_hidden_global(const Event& e, uint64_t number);
  void allocate(const Event& e);

  const Annotations& annotations_;
  const Names& names_;
  RealNames* const real_;  // may be null
  Answers variables_, locations_, allocations_;
  std::map<std::pair<uint64_t, uint64_t>, bool> globals_;  // by address and size of an access
  std::map<uint64_t, uint64_t> hidden_blocks_;             // bytes, by address
};

// Makes the atomic operations of user-defined locks operations of locks.
//
// A thread that enters a function of `Acquire` leaves it with the lock. What it does there is one acquisition: of the
// lock that is named after the first word on which it operates; every further operation there takes the lock's clock
// again, since the last of them is the one that succeeded. An atomic write in a function of `Release`, of any word of an
// acquisition that the thread has, ends it. All other operations stay what they are.
class UserLocks {
 public:
  UserLocks(const Annotations& annotations, const Names& names, RealNames* real)
      : annotations_(annotations), names_(names), real_(real) {}
  void apply(Batch& batch);

 private:
  using Word = std::pair<bool, uint64_t>;  // whether it is an address; which
  struct Acquisition {
    uint64_t lock;
    std::vector<Word> words;
  };
  struct Thread {
    std::vector<Acquisition> held;
    bool is_acquiring = false;  // its last event was in a function of `Acquire`
  };
  void apply(Event& e);
  void acquire(Event& e, Thread& thread);
  void release(Event& e, Thread& thread);

  const Annotations& annotations_;
  const Names& names_;
  RealNames* const real_;  // may be null
  Answers acquires_, releases_;
  std::vector<Thread> threads_;     // by ThreadId
  std::map<Word, uint64_t> locks_;  // numbered by their first words
};

}  // namespace deadheat
