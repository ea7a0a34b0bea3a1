// What a filter is: it sees every event before the detector does and says which accesses cannot matter.
//
// A filter F is a class with
//   F(Arena&)                           all its memory comes from the arena
//   sync(const Event&)                  every event that is not a plain access, atomic ones included
//   is_redundant(const Access&, const Place&) -> bool
//   count(CounterSink&)                 the counters of `--stats`
// and, if it needs it, configure(const DetectorOptions&), called once before the first event.
// An access that is redundant never reaches the detector. What a filter promises is said in its own file.
#pragma once

#include <concepts>

#include "detect/detector.h"

namespace deadheat {

template <class F>
concept Filter = std::constructible_from<F, Arena&> &&
                 requires(F f, const Event& e, const Access& a, const Place& p, CounterSink& sink) {
                   f.sync(e);
                   { f.is_redundant(a, p) } -> std::same_as<bool>;
                   f.count(sink);
                 };

// No filter at all.
class PassAll {
 public:
  explicit PassAll(Arena&) {}
  void sync(const Event&) {}
  bool is_redundant(const Access&, const Place&) { return false; }
  void count(CounterSink&) const {}
};

}  // namespace deadheat
