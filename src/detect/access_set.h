// A set of accesses to one variable, the latest of each thread: a sparse vector clock whose entries know their origin.
//
// Read-shared variables of FastTrack, both clocks of DJIT+ and BasicVC, and the atomic accesses of a variable that is
// also used plainly are such sets. Entries are sorted by slot. A set never holds more entries than there are slots.
#pragma once

#include <algorithm>
#include <type_traits>

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
  constexpr void set_event(uint64_t event) { kind_and_event_ = kind_and_event_ >> 61 << 61 | event; }

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

  AccessSet() : one_{} {}

  bool empty() const { return size_ == 0; }
  uint32_t size() const { return size_; }
  const Entry* begin() const { return capacity_ == 0 ? &one_ : many_; }
  const Entry* end() const { return begin() + size_; }
  Entry* begin() { return capacity_ == 0 ? &one_ : many_; }
  Entry* end() { return begin() + size_; }

  // The entry of a slot, or null.
  const Entry* find(Slot slot) const {
    const Entry* at = position(slot);
    return at != end() && at->epoch.slot() == slot ? at : nullptr;
  }
  bool contains(Epoch e) const {
    const Entry* at = position(e.slot());
    return at != end() && at->epoch == e;
  }
  // set(t) := E
  void put(Arena& arena, const Entry& entry) {
    const Entry* at = position(entry.epoch.slot());
    if (at != end() && at->epoch.slot() == entry.epoch.slot()) {
      *const_cast<Entry*>(at) = entry;
    } else {
      insert(arena, static_cast<uint32_t>(at - begin()), entry);
    }
  }
  // An entry that is not ordered before C, or null if all are: the O(n) comparison of vector clocks.
  const Entry* not_before(const VectorClock& C) const {
    for (const Entry *entry = begin(), *last = end(); entry != last; ++entry)
      if (!precedes(entry->epoch, C)) return entry;
    return nullptr;
  }

  void release(Arena& arena) {
    if (capacity_ != 0) arena.free(many_, capacity_ * sizeof(Entry));
    size_ = capacity_ = 0;
  }
  AccessSet clone(Arena& arena) const {
    AccessSet copy = *this;
    if (capacity_ != 0) {
      copy.many_ = static_cast<Entry*>(arena.allocate(capacity_ * sizeof(Entry)));
      std::copy(begin(), end(), copy.many_);
    }
    return copy;
  }

 private:
  const Entry* position(Slot slot) const {
    const Entry* low = begin();
    for (uint32_t count = size_; count > 0;) {
      const uint32_t half = count / 2;
      if (low[half].epoch.slot() < slot) {
        low += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    return low;
  }
  void insert(Arena& arena, uint32_t at, const Entry& entry) {
    if (size_ == (capacity_ == 0 ? 1 : capacity_)) grow(arena);
    Entry* entries = capacity_ == 0 ? &one_ : many_;
    for (uint32_t i = size_; i > at; --i) entries[i] = entries[i - 1];
    entries[at] = entry;
    ++size_;
  }
  void grow(Arena& arena) {
    const uint32_t capacity = capacity_ == 0 ? 4 : 2 * capacity_;
    Entry* grown = static_cast<Entry*>(arena.allocate(capacity * sizeof(Entry)));
    std::copy(begin(), end(), grown);
    if (capacity_ != 0) arena.free(many_, capacity_ * sizeof(Entry));
    many_ = grown;
    capacity_ = capacity;
  }

  // Most sets have one entry, which needs no memory of its own.
  union {
    Entry one_;    // capacity_ == 0
    Entry* many_;  // sorted by slot
  };
  uint32_t size_ = 0;
  uint32_t capacity_ = 0;
};
static_assert(sizeof(AccessSet) == 32 && std::is_trivially_copyable_v<AccessSet>);

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
  void release(Arena& arena) {
    reads.release(arena);
    writes.release(arena);
  }
  AtomicSets clone(Arena& arena) const { return {reads.clone(arena), writes.clone(arena)}; }
};

}  // namespace deadheat
