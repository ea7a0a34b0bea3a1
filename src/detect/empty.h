// Empty: does nothing. What it costs is the cost of the event stream itself.
#pragma once

#include "detect/detector.h"

namespace deadheat {

class Empty {
 public:
  struct Var {};

  explicit Empty(Arena&) {}

  void sync(const Event&) {}
  void acquire_part(const Event&) {}
  void release_part(const Event&) {}
  void forget_atomics(AtomicKey, uint64_t) {}
  Outcome access(const Access&, Var&) { return {}; }
  Conflict conflict() const { return {}; }
  Var clone(const Var& x) { return x; }
  void forget(Var&) {}
  void count(CounterSink&) const {}
};

}  // namespace deadheat
