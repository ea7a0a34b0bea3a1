// MultiRace: DJIT+ that compares clocks only where Eraser has become suspicious.
//                                            Pozniansky and Schuster, PPoPP 2003; FastTrack's section 5.1
// Idea     A variable whose every access had a lock in common cannot have raced, nor (says Eraser's state machine) one
//          that is thread-local or only read. So DJIT+'s clocks are kept for every variable, but compared only in
//          Shared-Modified and once the lockset is empty.
// State    variable: that of DJIT+ (djit.h) and that of Eraser (eraser_machine.h)
// Promises Every warning is a race that DJIT+ finds, at an access at which DJIT+ finds it: it never warns on a variable
//          where DJIT+ is silent. It misses races: those that completed before Shared-Modified and an empty lockset, if
//          no later access races again.
// Cost     As DJIT+ where Eraser is suspicious; elsewhere O(log threads) to remember the access. The lockset is refined
//          at the first read and the first write of each epoch of a thread, as clocks are compared in DJIT+.
// Tested by test/rules/multirace_test.cpp, test/differential/imprecise_test.cpp
#pragma once

#include "detect/djit.h"
#include "detect/eraser_machine.h"

namespace deadheat {

enum class MultiRaceRule : uint8_t { kSameEpoch, kRemember, kCompare };
inline constexpr int kMultiRaceRuleCount = 3;

class MultiRace {
 public:
  using Rule = MultiRaceRule;

  struct Var {
    Djit::Var clocks;
    EraserMachine::Var locks;
  };

  explicit MultiRace(Arena& arena) : machine_(arena), djit_(arena) {}

  void sync(const Event& e) {
    machine_.sync(e);
    djit_.sync(e);
  }
  void acquire_part(const Event& e) { djit_.acquire_part(e); }
  void release_part(const Event& e) { djit_.release_part(e); }
  void forget_atomics(AtomicKey first, uint64_t count) { djit_.forget_atomics(first, count); }

  Outcome access(const Access& a, Var& x) {
    if (djit_.is_same_epoch(a, x.clocks)) return fired(Rule::kSameEpoch, a, false);
    machine_.access(a, x.locks);
    if (x.locks.is_suspicious()) return fired(Rule::kCompare, a, djit_.access(a, x.clocks).is_race);
    djit_.record(a, x.clocks);
    return fired(Rule::kRemember, a, false);
  }
  Conflict conflict() const { return djit_.conflict(); }
  Var clone(const Var& x) { return {djit_.clone(x.clocks), machine_.clone(x.locks)}; }
  void forget(Var& x) {
    djit_.forget(x.clocks);
    machine_.forget(x.locks);
  }
  void count(CounterSink& sink) const;

  const EraserMachine& machine() const { return machine_; }

 private:
  Outcome fired(Rule rule, const Access& a, bool is_race) {
    fired_[static_cast<int>(rule)] += a.kind != AccessKind::kFree;  // a free is no access of the program's
    return {static_cast<uint8_t>(rule), is_race};
  }

  EraserMachine machine_;
  Djit djit_;
  uint64_t fired_[kMultiRaceRuleCount] = {};
};

}  // namespace deadheat
