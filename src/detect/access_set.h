// A set of accesses to one variable, the latest of each thread: a sparse vector clock whose entries know their origin.
//
// Read-shared variables of FastTrack, both clocks of DJIT+ and BasicVC, and the atomic accesses of a variable that is
// also used plainly are such sets. Entries are sorted by slot. A set never holds more entries than there are slots.
#pragma once

#include "base/vector_clock.h"
#include "detect/detector.h"

namespace deadheat {

// Where an access came from, in the 12 bytes that a state can afford.
//   63  61 60                0
//  +------+------------------+
//  | kind |   event number   |
//  +------+------------------+
class Origin {
 public:
  constexpr Origin() = default;
  explicit constexpr Origin(const Access& a)
      : kind_and_event_(uint64_t{static_cast<uint8_t>(a.kind)} << 61 | a.event), location_(a.location) {}
  constexpr AccessKind kind() const { return static_cast<AccessKind>(kind_and_event_ >> 61); }
  constexpr uint64_t event() const { return kind_and_event_ & ((uint64_t{1} << 61) - 1); }
  constexpr LocationId location() const { return location_; }

 private:
  uint64_t kind_and_event_ = 0;
  LocationId location_ = kNoLocation;
} __attribute__((packed, aligned(4)));
static_assert(sizeof(Origin) == 12);

class AccessSet {
 public:
  struct Entry {
    Epoch epoch;
    Origin origin;
  };

  bool empty() const { return entries_.empty(); }
  uint32_t size() const { return entries_.size(); }
  const Entry* begin() const { return entries_.begin(); }
  const Entry* end() const { return entries_.end(); }

  // The entry of a slot, or null.
  const Entry* find(Slot slot) const {
    const uint32_t at = position(slot);
    return at < entries_.size() && entries_[at].epoch.slot() == slot ? &entries_[at] : nullptr;
  }
  bool contains(Epoch e) const {
    const Entry* found = find(e.slot());
    return found != nullptr && found->epoch == e;
  }
  // set(t) := E
  void put(Arena& arena, const Entry& entry) {
    const uint32_t at = position(entry.epoch.slot());
    if (at < entries_.size() && entries_[at].epoch.slot() == entry.epoch.slot()) {
      entries_[at] = entry;
    } else {
      entries_.insert(arena, at, entry);
    }
  }
  // An entry that is not ordered before C, or null if all are: the O(n) comparison of vector clocks.
  const Entry* not_before(const VectorClock& C) const {
    for (const Entry& entry : entries_)
      if (!precedes(entry.epoch, C)) return &entry;
    return nullptr;
  }

  void clear() { entries_.clear(); }
  void release(Arena& arena) { entries_.release(arena); }
  AccessSet clone(Arena& arena) const {
    AccessSet copy;
    copy.entries_.assign(arena, entries_);
    return copy;
  }

 private:
  uint32_t position(Slot slot) const {
    uint32_t low = 0, high = entries_.size();
    while (low < high) {
      const uint32_t middle = (low + high) / 2;
      if (entries_[middle].epoch.slot() < slot) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  ArenaVector<Entry> entries_;
};

// The atomic accesses of a variable since the last plain write that is ordered after all of them. Atomic accesses do
// not race with each other, so any number of them can be unordered, and each can race with a later plain one.
struct AtomicSets {
  AccessSet reads, writes;

  void put(Arena& arena, AccessKind kind, const AccessSet::Entry& entry) {
    (kind == AccessKind::kAtomicRead ? reads : writes).put(arena, entry);
  }
  // What a plain read (or, with `is_write`, a plain write) of a thread with clock C races with, or null.
  const AccessSet::Entry* race_with_plain(bool is_write, const VectorClock& C) const {
    if (const AccessSet::Entry* found = writes.not_before(C)) return found;
    return is_write ? reads.not_before(C) : nullptr;
  }
  void clear() {
    reads.clear();
    writes.clear();
  }
  void release(Arena& arena) {
    reads.release(arena);
    writes.release(arena);
  }
  AtomicSets clone(Arena& arena) const { return {reads.clone(arena), writes.clone(arena)}; }
};

}  // namespace deadheat
