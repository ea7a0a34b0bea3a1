// Touch: a detector for benchmarks only. It keeps the clocks and touches 32 bytes of state for each access: the floor
// for any detector that has happens-before and a state per variable.
#pragma once

#include "detect/happens_before.h"

namespace deadheat {

class Touch {
 public:
  struct Var {
    uint64_t last = 0, accesses = 0, reserved[2] = {};
  };
  static_assert(sizeof(Var) == 32);

  explicit Touch(Arena& arena) : order_(arena) {}

  void sync(const Event& e) { order_.sync(e); }
  void acquire_part(const Event& e) { order_.acquire_part(e); }
  void release_part(const Event& e) { order_.release_part(e); }
  void forget_atomics(AtomicKey first, uint64_t count) { order_.forget_atomics(first, count); }
  Outcome access(const Access& a, Var& x) {
    x.last = order_.thread(a.thread).E.bits();
    ++x.accesses;
    return {};
  }
  Conflict conflict() const { return {}; }
  Var clone(const Var& x) { return x; }
  void forget(Var& x) { x = Var{}; }
  void count(CounterSink& sink) const { order_.count(sink); }

 private:
  HappensBefore order_;
};

}  // namespace deadheat
