// A set of accesses to one variable, the latest of each thread: a sparse vector clock whose entries know their origin.
//
// Read-shared variables of FastTrack, both clocks of DJIT+ and BasicVC, and the atomic accesses of a variable that is
// also used plainly are such sets. A set never holds more entries than there are slots.
// Cost     O(1) for the entry of a thread, O(entries) for a comparison.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>

#include "base/shared_clock.h"
#include "detect/detector.h"
#include "detect/word_rules.h"

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
  friend constexpr bool operator==(const Origin& a, const Origin& b) {
    return a.kind_and_event_ == b.kind_and_event_ && a.location_ == b.location_;
  }

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
  bool contains(Epoch e) const {
    const uint32_t at = place_of(e.slot());
    return at < places() && epochs()[at] == e;
  }
  // set(t) := E
  void put(Arena& arena, const Entry& entry) {
    uint32_t at = place_of(entry.epoch.slot());
    if (at == places()) {
      grow(arena);
      at = place_of(entry.epoch.slot());
    }
    size_ += epochs()[at].is_never();
    epochs()[at] = entry.epoch;
    origins()[at] = entry.origin;
  }
  // An entry that is not ordered before C, if there is one: the O(n) comparison of vector clocks.
  std::optional<Entry> not_before(const SharedClock& C) const {
    const Epoch* const all = epochs();
    for (uint32_t i = 0; i < places(); ++i)
      if (!precedes(all[i], C)) return Entry{all[i], origins()[i]};
    return std::nullopt;
  }
  // Calls visit(Epoch, Origin&) for every entry.
  template <class Visit>
  void for_each(Visit visit) {
    for (uint32_t i = 0; i < places(); ++i)
      if (!epochs()[i].is_never()) visit(epochs()[i], origins()[i]);
  }

  void release(Arena& arena) {
    if (capacity_ != 0) arena.free(many_, capacity_ * kPlaceBytes);
    *this = AccessSet();
  }
  AccessSet clone(Arena& arena) const {
    AccessSet copy = *this;
    if (capacity_ != 0) {
      copy.many_ = static_cast<Epoch*>(arena.allocate(capacity_ * kPlaceBytes));
      std::memcpy(copy.many_, many_, capacity_ * kPlaceBytes);
    }
    return copy;
  }

 private:
  static constexpr size_t kPlaceBytes = sizeof(Epoch) + sizeof(Origin);

  uint32_t places() const { return capacity_ == 0 ? 1 : capacity_; }
  Epoch* epochs() { return capacity_ == 0 ? &one_.epoch : many_; }
  const Epoch* epochs() const { return capacity_ == 0 ? &one_.epoch : many_; }
  Origin* origins() { return capacity_ == 0 ? &one_.origin : reinterpret_cast<Origin*>(many_ + capacity_); }
  const Origin* origins() const {
    return capacity_ == 0 ? &one_.origin : reinterpret_cast<const Origin*>(many_ + capacity_);
  }

  // The place that holds the slot's entry, or the empty one where it belongs, or places() if all hold others.
  uint32_t place_of(Slot slot) const {
    const Epoch* const all = epochs();
    const uint32_t count = places(), first = static_cast<uint32_t>(index(slot)) & (count - 1);
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t at = (first + i) & (count - 1);
      if (all[at].is_never() || all[at].slot() == slot) return at;
    }
    return count;
  }
  void grow(Arena& arena) {
    AccessSet old = *this;
    capacity_ = capacity_ == 0 ? 4 : 2 * capacity_;
    many_ = static_cast<Epoch*>(arena.allocate(capacity_ * kPlaceBytes));
    std::fill(many_, many_ + capacity_, kNever);
    old.for_each([this](Epoch epoch, const Origin& origin) {
      const uint32_t at = place_of(epoch.slot());
      epochs()[at] = epoch;
      origins()[at] = origin;
    });
    if (old.capacity_ != 0) arena.free(old.many_, old.capacity_ * kPlaceBytes);
  }

  // Most sets have one entry, which needs no memory of its own. Larger ones are a table of a power of two of places, in
  // which a slot's own number is its hash: threads that share a variable tend to have neighbouring slots. First all
  // epochs, then all origins, because a check touches only the epochs.
  union {
    Entry one_;  // capacity_ == 0
    Epoch* many_;
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
  // What an access of a thread with clock C races with, if anything.
  std::optional<AccessSet::Entry> race_with(AccessKind kind, const SharedClock& C) const {
    if (word::conflict(kind, AccessKind::kAtomicWrite))
      if (auto found = writes.not_before(C)) return found;
    return word::conflict(kind, AccessKind::kAtomicRead) ? reads.not_before(C) : std::nullopt;
  }
  void release(Arena& arena) {
    reads.release(arena);
    writes.release(arena);
  }
  AtomicSets clone(Arena& arena) const { return {reads.clone(arena), writes.clone(arena)}; }
};

}  // namespace deadheat
