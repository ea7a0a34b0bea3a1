// All small traces: every well-formed sequence of events over an alphabet, up to a length.
//
// Names that play the same part are interchangeable, so a trace in which T1 appears before T0 is the renaming of one in
// which it does not: only traces whose names appear in order are made. A detector answers for an access when it sees
// it, so a trace speaks for all its prefixes: only full-length traces are made, and only those that end in an access.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "support/test_trace.h"

namespace deadheat::test {

// One letter of an alphabet: an operation without its thread. An operation on a name is tried with every name of its
// kind if `target` is kAnyName; an operation on bytes is tried as it stands.
inline constexpr uint64_t kAnyName = UINT64_MAX;

struct TraceSpace {
  std::string_view name;
  size_t threads;
  size_t length;                                  // events of a trace, those of `prefix` not counted
  size_t long_length;                             // the same for the long run
  std::array<std::vector<std::string>, 9> names;  // by Operand; threads are named by the enumeration
  std::string_view prefix;                        // events that every trace begins with
  std::vector<Event> letters;
  std::vector<Event> last_letters;  // what a trace may end in; if empty, every letter that is an access
};

// The stated spaces; together they cover every kind of event.
std::span<const TraceSpace> trace_spaces();

// Calls `visit` for each trace of the space with that many events after the prefix.
void for_each_trace(const TraceSpace& space, size_t length, const std::function<void(const TestTrace&)>& visit);

// Puts traces of one space one after the other into a single trace. They share no thread, name or byte, so each keeps
// its own races; the engine is started once for many traces, and they are analysed in the midst of hundreds of threads.
class TracePacker {
 public:
  TracePacker(const TraceSpace& space, size_t capacity);
  void add(const TestTrace& trace);
  bool full() const { return traces_ == capacity_; }
  bool empty() const { return traces_ == 0; }
  const TestTrace& packed() const { return packed_; }
  void clear();

 private:
  const size_t capacity_;
  size_t traces_ = 0;
  std::array<size_t, 9> stride_{};  // names of each kind in one trace
  TestTrace packed_;
};

}  // namespace deadheat::test
