// Eraser: warns when no lock protected every access of a shared variable.       Savage et al., ACM TOCS 15(4), 1997
//
// Idea     The locking discipline, checked instead of order: see eraser_machine.h.
// State    thread: the locks it holds; variable: one word
// Promises No promise about races. It warns on every variable that two threads accessed, at least one of them writing
//          after the second came, without a lock common to all accesses since then, in whatever order they came: also
//          where fork, join or anything but a lock made the accesses safe. It is silent where all of them had a lock.
// Cost     O(1); 4 bytes a variable.
// Tested by test/rules/eraser_test.cpp
//
// The earlier access is not known: Eraser keeps locks, not accesses.
#pragma once

#include "detect/eraser_machine.h"

namespace deadheat {

class Eraser {
 public:
  using Var = EraserMachine::Var;
  using Edge = EraserMachine::Edge;

  explicit Eraser(Arena& arena) : machine_(arena) {}

  void sync(const Event& e) { machine_.sync(e); }
  void acquire_part(const Event&) {}  // an atomic operation orders nothing for Eraser
  void release_part(const Event&) {}
  void forget_atomics(AtomicKey, uint64_t) {}

  Outcome access(const Access& a, Var& x) {
    const Edge edge = machine_.access(a, x);
    fired_[static_cast<int>(edge)] += a.kind != AccessKind::kFree;  // a free is no access of the program's
    return {static_cast<uint8_t>(edge), x.is_suspicious()};
  }
  Conflict conflict() const { return {}; }
  Var clone(const Var& x) { return machine_.clone(x); }
  void forget(Var& x) { machine_.forget(x); }
  void count(CounterSink& sink) const;

  const EraserMachine& machine() const { return machine_; }

 private:
  EraserMachine machine_;
  uint64_t fired_[EraserMachine::kEdgeCount] = {};
};

}  // namespace deadheat
