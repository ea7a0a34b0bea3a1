// A word whose history two epochs express, as FastTrack's rules see it (detect/fasttrack_rules.h).
#pragma once

#include "detect/fasttrack_rules.h"
#include "runtime/thread.h"

namespace deadheat::live {

struct SimpleState {
  EpochId w, r;
  Epoch W() const { return epoch_of(w); }
  bool R_is_clock() const { return false; }
  Epoch R() const { return epoch_of(r); }
  template <class Clock>
  bool R_precedes(const Clock&) const {
    return true;
  }
};

// The thread's clock; what the thread's own slot did precedes it.
struct Known {
  const Thread& t;
};
inline bool precedes(Epoch e, const Known& known) { return e.slot() == known.t.slot || known.t.C.knows(e); }

// The rule fired, nothing raced, and the new state is simple too.
inline bool reads_alone(const Thread& t, const SimpleState& x) {
  const fasttrack::Decision d = fasttrack::read(t.E(), Known{t}, x);
  return d.rule == fasttrack::Rule::kReadExclusive && !d.races_with_write;
}
inline bool writes_alone(const Thread& t, const SimpleState& x) {
  const fasttrack::Decision d = fasttrack::write(t.E(), Known{t}, x);
  return d.rule == fasttrack::Rule::kWriteExclusive && !d.races_with_write && !d.races_with_read;
}

}  // namespace deadheat::live
