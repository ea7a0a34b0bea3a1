// FastTrack's seven rules, as decisions: a pure function of the thread's epoch and clock and the variable's state.
//
// The rules do not know how a state is stored. A state x is anything with
//   x.W() -> epoch            the last write
//   x.R_is_clock() -> bool    R is a set of concurrent reads, not an epoch
//   x.R() -> epoch            the last read; if R is a set, anything that is no thread's epoch
//   x.R_precedes(C) -> bool   every read in R is ordered before C; asked only if R is a set
// an epoch E anything that can be compared, and a clock C anything for which `precedes(epoch, C)` is defined. The
// offline detector and the live run time decide by these functions and carry the decision out on their own
// representation.
#pragma once

#include "base/epoch.h"

namespace deadheat::fasttrack {

enum class Rule : uint8_t {
  kReadSameEpoch,
  kReadShared,
  kReadExclusive,
  kReadShare,
  kWriteSameEpoch,
  kWriteExclusive,
  kWriteShared,
  // Not in the paper: atomic accesses, which never race with each other (docs/semantics.md).
  kAtomicRead,
  kAtomicWrite,
};
inline constexpr int kRuleCount = 9;

struct Decision {
  Rule rule;
  bool races_with_write = false;  // W is not ordered before this access
  bool races_with_read = false;   // R is not
};

// The two short cuts, for a hot path that wants nothing else in line.
template <class AnyEpoch, class State>
inline bool is_read_same_epoch(AnyEpoch E, const State& x) {
  return x.R() == E;
}
template <class AnyEpoch, class State>
inline bool is_write_same_epoch(AnyEpoch E, const State& x) {
  return x.W() == E;
}

template <class AnyEpoch, class State, class Clock>
inline Decision read(AnyEpoch E, const Clock& C, const State& x) {
  if (!x.R_is_clock()) {
    if (is_read_same_epoch(E, x)) return {Rule::kReadSameEpoch};
    const bool write_races = !precedes(x.W(), C);
    if (precedes(x.R(), C)) return {Rule::kReadExclusive, write_races};  // R := E
    return {Rule::kReadShare, write_races};                              // R := { old R, E }
  }
  return {Rule::kReadShared, !precedes(x.W(), C)};  // R(t) := E
}

template <class AnyEpoch, class State, class Clock>
inline Decision write(AnyEpoch E, const Clock& C, const State& x) {
  if (is_write_same_epoch(E, x)) return {Rule::kWriteSameEpoch};
  const bool write_races = !precedes(x.W(), C);
  if (!x.R_is_clock()) return {Rule::kWriteExclusive, write_races, !precedes(x.R(), C)};  // W := E
  return {Rule::kWriteShared, write_races, !x.R_precedes(C)};                             // W := E, R := never
}

}  // namespace deadheat::fasttrack
