// Plain vector clocks: for each slot a clock. The rows of Goldilocks' list are such clocks; those of threads and of what
// orders them share their entries (shared_clock.h).
//
// A clock is as long as the highest slot it knows of; entries beyond are 0. Memory comes from an arena, which the owner
// passes to every operation that may grow the clock. `VectorClockCost` counts the O(n) operations, because FastTrack is
// about their number (its section 4.1).
#pragma once

#include <algorithm>

#include "base/arena.h"
#include "base/epoch.h"

namespace deadheat {

struct VectorClockCost {
  uint64_t allocated = 0;   // clocks that came to own memory
  uint64_t operations = 0;  // joins, copies and comparisons that walked a whole clock
};

class VectorClock {
 public:
  Clock operator[](Slot slot) const { return index(slot) < entries_.size() ? entries_[index(slot)] : 0; }
  uint32_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

  void set(Arena& arena, VectorClockCost& cost, Slot slot, Clock clock) {
    if (index(slot) >= entries_.size()) grow(arena, cost, static_cast<uint32_t>(index(slot)) + 1);
    entries_[index(slot)] = clock;
  }

  // this := this join other.
  void join(Arena& arena, VectorClockCost& cost, const VectorClock& other) {
    ++cost.operations;
    if (other.size() > size()) grow(arena, cost, other.size());
    Clock* mine = entries_.data();
    const Clock* theirs = other.entries_.data();
    for (uint32_t i = 0, n = other.size(); i < n; ++i) mine[i] = std::max(mine[i], theirs[i]);
  }

  // this := other.
  void assign(Arena& arena, VectorClockCost& cost, const VectorClock& other) {
    ++cost.operations;
    if (entries_.data() == nullptr && other.size() > 0) ++cost.allocated;
    entries_.assign(arena, other.entries_);
  }

  void clear() { entries_.clear(); }
  void release(Arena& arena) { entries_.release(arena); }

 private:
  void grow(Arena& arena, VectorClockCost& cost, uint32_t size) {
    if (entries_.data() == nullptr) ++cost.allocated;
    entries_.resize(arena, size);
  }

  ArenaVector<Clock> entries_;
};

}  // namespace deadheat
