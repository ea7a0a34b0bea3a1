// Threadsets: which accesses of a variable are estimated to be concurrent.                 RaceTrack, sections 2.1, 3.2
//
// A threadset is a map from threads to clocks, interned like a lockset and referred to by index. Ever new clocks make
// ever new threadsets, so they are counted and swept (base/interned_sets.h).
#pragma once

#include "base/bounded_clock.h"
#include "base/interned_sets.h"

namespace deadheat {

// An access <t, k>: thread t while its clock was k.
struct ThreadLabel {
  ThreadId thread;
  uint32_t clock;

  friend bool operator==(const ThreadLabel&, const ThreadLabel&) = default;
};

// <u, k> is ordered before the next access of the thread whose clock is B.
inline bool precedes(const ThreadLabel& label, const BoundedClock& B) { return label.clock <= B[label.thread]; }

enum class ThreadsetId : uint32_t {};

class ThreadsetTable {
 public:
  explicit ThreadsetTable(Arena& arena) : arena_(arena), sets_(arena) {}

  ThreadsetId singleton(const ThreadLabel& label) { return sets_.intern({&label, 1}); }
  // Merge(Remove(S, B), {<t, B(t)>}): without what is ordered before t's next access, and with that access.
  ThreadsetId after(std::span<const ThreadLabel> S, const BoundedClock& B, ThreadId t) {
    scratch_.clear();
    bool added = false;
    const auto add = [&] {
      scratch_.push_back(arena_, {t, B[t]});
      added = true;
    };
    for (const ThreadLabel& label : S) {
      if (!added && label.thread >= t) add();
      if (!precedes(label, B)) scratch_.push_back(arena_, label);
    }
    if (!added) add();
    return sets_.intern({scratch_.data(), scratch_.size()});
  }
  std::span<const ThreadLabel> operator[](ThreadsetId set) const { return sets_[set]; }

  void retain(ThreadsetId set) { sets_.retain(set); }
  void release(ThreadsetId set) { sets_.release(set); }
  // To be called where every set in use is retained.
  void sweep_if_due() {
    if (sets_.is_sweep_due()) [[unlikely]]
      sets_.sweep();
  }
  uint32_t size() const { return sets_.size(); }
  uint64_t sweeps() const { return sets_.sweeps(); }

 private:
  Arena& arena_;
  InternedSets<ThreadLabel, ThreadsetId> sets_;
  ArenaVector<ThreadLabel> scratch_;
};

}  // namespace deadheat
