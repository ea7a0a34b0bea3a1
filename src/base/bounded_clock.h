// A vector clock of bounded size: for each thread the clock up to which it is known, oldest knowledge dropped first.
//
// Idea     RaceTrack's section 3.5: entries remember when they last changed. When a clock would pass its limit, it
//          drops the half that changed longest ago. A dropped entry counts as not known, so a thread may seem
//          concurrent although it is not.
// Promises Never more than `limit` entries after any operation. The entry of the clock's own thread, which changes at
//          every tick, must be protected by naming it: `keep` is never dropped.
// Cost     O(log entries) to look up, O(entries) to merge.
// Tested by test/unit/bounded_clock_test.cpp
#pragma once

#include <algorithm>

#include "base/arena.h"
#include "base/ids.h"

namespace deadheat {

class BoundedClock {
 public:
  static constexpr uint32_t kLimit = 8192;  // the paper's

  struct Entry {
    ThreadId thread;
    uint32_t clock;
    uint64_t changed;  // in the order of this clock's changes
  };

  bool empty() const { return entries_.empty(); }
  uint32_t size() const { return entries_.size(); }
  const Entry* begin() const { return entries_.begin(); }
  const Entry* end() const { return entries_.end(); }

  uint32_t operator[](ThreadId thread) const {
    const Entry* at = position(thread);
    return at != entries_.end() && at->thread == thread ? at->clock : 0;
  }

  void set(Arena& arena, ThreadId thread, uint32_t clock, uint32_t limit) {
    const uint32_t at = static_cast<uint32_t>(position(thread) - entries_.begin());
    ++changes_;
    if (at < entries_.size() && entries_[at].thread == thread) {
      entries_[at].clock = clock;
      entries_[at].changed = changes_;
    } else {
      entries_.insert(arena, at, {thread, clock, changes_});
      shrink(arena, limit, thread);
    }
  }

  // The pointwise maximum of both. What one merge brings is equally new.
  void merge(Arena& arena, const BoundedClock& other, uint32_t limit, ThreadId keep) {
    ++changes_;
    ArenaVector<Entry> merged;
    merged.reserve(arena, size() + other.size());
    const Entry *mine = entries_.begin(), *theirs = other.begin();
    while (mine != entries_.end() || theirs != other.end()) {
      if (theirs == other.end() || (mine != entries_.end() && mine->thread < theirs->thread)) {
        merged.push_back(arena, *mine++);
      } else if (mine == entries_.end() || theirs->thread < mine->thread) {
        merged.push_back(arena, {theirs->thread, theirs->clock, changes_});
        ++theirs;
      } else {
        const bool is_news = theirs->clock > mine->clock;
        merged.push_back(arena, is_news ? Entry{mine->thread, theirs->clock, changes_} : *mine);
        ++mine;
        ++theirs;
      }
    }
    entries_.release(arena);
    entries_ = merged;
    shrink(arena, limit, keep);
  }

  void release(Arena& arena) { entries_.release(arena); }

 private:
  const Entry* position(ThreadId thread) const {
    return std::lower_bound(entries_.begin(), entries_.end(), thread,
                            [](const Entry& entry, ThreadId t) { return entry.thread < t; });
  }

  // Keeps the newer half if there are more than `limit` entries.
  void shrink(Arena& arena, uint32_t limit, ThreadId keep) {
    if (size() <= limit) return;
    ArenaVector<Entry> by_age;
    by_age.assign(arena, entries_);
    const auto newer = [keep](const Entry& a, const Entry& b) {
      if ((a.thread == keep) != (b.thread == keep)) return a.thread == keep;
      return a.changed != b.changed ? a.changed > b.changed : a.thread > b.thread;
    };
    std::nth_element(by_age.begin(), by_age.begin() + limit / 2, by_age.end(), newer);
    const Entry first_dropped = by_age[limit / 2];
    by_age.release(arena);
    const Entry* end = std::remove_if(entries_.begin(), entries_.end(),
                                      [&](const Entry& entry) { return !newer(entry, first_dropped); });
    while (entries_.end() != end) entries_.pop_back();
  }

  ArenaVector<Entry> entries_;  // by thread
  uint64_t changes_ = 0;
};

}  // namespace deadheat
