// A word of the shadow as FastTrack's rules see it (detect/fasttrack_rules.h). The stripe's lock is held.
//
// Epochs are compared by id, because an id stands for one epoch. For a reader, R is the cell of its own class; it does
// not look at other classes. For a writer, R is the set of the cells of all classes.
#pragma once

#include "detect/fasttrack_rules.h"
#include "live/order/thread.h"
#include "live/shadow/byte_reads.h"
#include "live/shadow/shadow.h"

namespace deadheat::live {

// The thread's clock; what the thread's own slot did precedes it.
struct Known {
  Thread& t;
};
inline bool precedes(EpochId e, const Known& known) { return is_ordered(known.t, e); }

struct ReadView {
  EpochId w, r;
  EpochId W() const { return w; }
  bool R_is_clock() const { return false; }
  EpochId R() const { return r; }
  template <class Clock>
  bool R_precedes(const Clock&) const {
    return true;
  }
};

struct WriteView {
  EpochId w;
  uintptr_t word;
  ReaderSet classes;              // whose cells may be in use
  mutable bool in_block = false;  // some of them have blocks of byte reads or crowds
  EpochId W() const { return w; }
  bool R_is_clock() const { return true; }
  EpochId R() const { return kNeverId; }
  bool R_precedes(const Known& known) const {
    for (const ReaderClass c : classes) {
      const Cell r = load(cell_of(plane_r(c), word));
      in_block |= has_block(r);
      if (!is_read_ordered(known.t, c, word, r)) return false;
    }
    return true;
  }
};

// The rule fired, nothing raced, and the new state is simple too.
inline bool reads_alone(Thread& t, EpochId w, EpochId r) {
  const fasttrack::Decision d = fasttrack::read(t.current, Known{t}, ReadView{w, r});
  return d.rule == fasttrack::Rule::kReadExclusive && !d.races_with_write;
}
// The same for a write of a word that nobody but the class of `r` read.
inline bool writes_alone(Thread& t, EpochId w, EpochId r) {
  const fasttrack::Decision d = fasttrack::write(t.current, Known{t}, ReadView{w, r});
  return d.rule == fasttrack::Rule::kWriteExclusive && !d.races_with_write && !d.races_with_read;
}

}  // namespace deadheat::live
