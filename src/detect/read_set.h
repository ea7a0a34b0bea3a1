// The concurrent reads of one variable, the latest of each thread, behind a single word.
//
// Idea     A read-shared variable is read again and again, each time by a thread that only wants its own entry. So an
//          entry lies together with its origin, the word says how many there are, and an access touches the variable's
//          state and its own entry, nothing else. AccessSet, made for comparisons, keeps all epochs together instead.
// Cost     O(1) for the entry of a thread, O(entries) for a comparison.
#pragma once

#include "detect/access_set.h"

namespace deadheat {

class ReadSet {
 public:
  //   63 62 61          56 55  48 47             0
  //  +-----+--------------+------+----------------+
  //  |  0  | log2(places) |  0   |  the entries   |      0: empty; the two highest bits are the owner's
  //  +-----+--------------+------+----------------+
  static constexpr uint64_t kOwnerBits = uint64_t{3} << 62;

  constexpr ReadSet() = default;
  static constexpr ReadSet from_bits(uint64_t bits) {
    ReadSet set;
    set.bits_ = bits;
    return set;
  }
  constexpr uint64_t bits() const { return bits_; }

  struct Entry {
    Epoch epoch() const { return Epoch::from_bits(epoch_bits); }
    uint64_t epoch_bits;
    Origin origin;
  } __attribute__((packed, aligned(4)));
  static_assert(sizeof(Entry) == 20);

  // The entry of a slot; null if it has none.
  Entry* find(Slot slot) const {
    if (bits_ == 0) return nullptr;
    const uint32_t at = place_of(slot);
    return at < places() && !entries()[at].epoch().is_never() ? entries() + at : nullptr;
  }
  // set(t) := E
  void put(Arena& arena, Epoch epoch, const Origin& origin) {
    uint32_t at;
    while (bits_ == 0 || (at = place_of(epoch.slot())) == places()) grow(arena);
    entries()[at] = {epoch.bits(), origin};
  }
  // An entry that is not ordered before C, if there is one: the O(n) comparison of vector clocks.
  std::optional<AccessSet::Entry> not_before(const SharedClock& C) const {
    std::optional<AccessSet::Entry> found;
    for (uint32_t i = 0; i < places() && !found; ++i)
      if (!precedes(entries()[i].epoch(), C)) found = {entries()[i].epoch(), entries()[i].origin};
    return found;
  }
  // Calls visit(Epoch, Origin&) for every entry.
  template <class Visit>
  void for_each(Visit visit) const {
    for (uint32_t i = 0; i < places(); ++i)
      if (!entries()[i].epoch().is_never()) visit(entries()[i].epoch(), entries()[i].origin);
  }
  // Where the entry of a slot probably is, in a set that is not empty: for a prefetch, and for a look.
  const Entry* likely_place(Slot slot) const {
    return entries() + (index(slot) & ((uint32_t{1} << log2_places()) - 1));
  }
  // Whether the entry with this epoch is there, where it probably would be. It may be elsewhere.
  bool likely_has(Epoch E) const { return bits_ != 0 && likely_place(E.slot())->epoch_bits == E.bits(); }

  void release(Arena& arena) {
    if (bits_ != 0) arena.free(entries(), places() * sizeof(Entry));
    bits_ = 0;
  }
  ReadSet clone(Arena& arena) const {
    if (bits_ == 0) return {};
    const size_t bytes = places() * sizeof(Entry);
    return make(static_cast<Entry*>(std::memcpy(arena.allocate(bytes), entries(), bytes)), log2_places());
  }

 private:
  static constexpr int kAddressBits = 48;
  static constexpr int kPlacesShift = 56;
  static constexpr uint32_t kFirstLog2Places = 2;

  static ReadSet make(Entry* entries, uint32_t log2_places) {
    return from_bits(reinterpret_cast<uint64_t>(entries) | uint64_t{log2_places} << kPlacesShift);
  }
  Entry* entries() const { return reinterpret_cast<Entry*>(bits_ & ((uint64_t{1} << kAddressBits) - 1)); }
  uint32_t log2_places() const { return static_cast<uint32_t>(bits_ >> kPlacesShift); }
  uint32_t places() const { return bits_ == 0 ? 0 : 1u << log2_places(); }

  // As in AccessSet: a slot's own number is its hash.
  uint32_t place_of(Slot slot) const {
    const uint32_t count = places(), first = static_cast<uint32_t>(index(slot)) & (count - 1);
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t at = (first + i) & (count - 1);
      if (entries()[at].epoch().is_never() || entries()[at].epoch().slot() == slot) return at;
    }
    return count;
  }
  void grow(Arena& arena) {
    ReadSet old = *this;
    const uint32_t log2 = old.bits_ == 0 ? kFirstLog2Places : old.log2_places() + 1;
    *this = make(static_cast<Entry*>(arena.allocate((size_t{1} << log2) * sizeof(Entry))), log2);
    std::fill(entries(), entries() + places(), Entry{});
    old.for_each(
        [this](Epoch epoch, const Origin& origin) { entries()[place_of(epoch.slot())] = {epoch.bits(), origin}; });
    old.release(arena);
  }

  uint64_t bits_ = 0;
};

}  // namespace deadheat
