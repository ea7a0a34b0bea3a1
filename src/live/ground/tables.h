// The hash tables of the run time. Every other table is indexed by a small number, or has a reason in its head.
//
//   KeyMap   from 64-bit keys to 64-bit values: open addressing in a mapping of its own, which grows up to a bound.
//            Nothing is removed one by one; what only saves questions is emptied when full.
//   Chains   of elements that belong to the owner, by hash: they can be removed, do not move, and have no bound.
//
// Guard     The owner's lock.
// Tested by test/unit/live_tables_test.cpp
#pragma once

#include <cstddef>
#include <cstdint>

#include "live/ground/hash.h"
#include "live/ground/sys.h"

namespace deadheat::live {

class KeyMap {
 public:
  explicit constexpr KeyMap(uint32_t most) : most_(most) {}

  // Null if the key is not there.
  const uint64_t* find(uint64_t key) const {
    if (capacity_ == 0) return nullptr;
    const Entry& entry = place_of(entries_, capacity_, key);
    return entry.used != 0 ? &entry.value : nullptr;
  }

  // The key gets this value. False if there is no room for a new key: the bound is reached, or the system has no
  // memory.
  bool put(uint64_t key, uint64_t value) {
    if (find(key) == nullptr && (is_full() || !make_room())) return false;
    Entry& entry = place_of(entries_, capacity_, key);
    if (entry.used == 0) ++count_;
    entry = {key, value, 1};
    return true;
  }

  bool is_full() const { return count_ >= most_; }
  uint32_t count() const { return count_; }
  void set_most(uint32_t most) { most_ = most; }

  void clear() {
    if (capacity_ != 0) sys::unmap(entries_, capacity_ * sizeof(Entry));
    entries_ = nullptr;
    capacity_ = count_ = 0;
  }

 private:
  struct Entry {
    uint64_t key, value, used;
  };
  static constexpr uint32_t kFirst = 1u << 10;

  // The entry of the key, or the free one where it would be.
  static Entry& place_of(Entry* entries, uint32_t capacity, uint64_t key) {
    uint64_t at = spread<32>(key ^ key >> 32);
    while (entries[at & (capacity - 1)].used != 0 && entries[at & (capacity - 1)].key != key) ++at;
    return entries[at & (capacity - 1)];
  }

  bool make_room() {
    if (count_ + 1 <= capacity_ / 4 * 3) return true;
    const uint32_t capacity = capacity_ == 0 ? kFirst : 2 * capacity_;
    Entry* const grown = static_cast<Entry*>(sys::reserve(capacity * sizeof(Entry)));
    if (grown == nullptr) return false;
    for (uint32_t i = 0; i < capacity_; ++i)
      if (entries_[i].used != 0) place_of(grown, capacity, entries_[i].key) = entries_[i];
    if (capacity_ != 0) sys::unmap(entries_, capacity_ * sizeof(Entry));
    entries_ = grown;
    capacity_ = capacity;
    return true;
  }

  Entry* entries_ = nullptr;
  uint32_t capacity_ = 0, count_ = 0, most_;
};

// An Element has a link `next`. The caller hashes (hash.h); the upper bits of the hash say which chain it is.
template <class Element, unsigned kBits>
class Chains {
 public:
  // The first element of the hash's chain that `is`; null if there is none.
  template <class Is>
  Element* find(uint64_t hash, Is is) {
    Element* at = chain(hash);
    while (at != nullptr && !is(*at)) at = at->next;
    return at;
  }
  Element* add(uint64_t hash, Element* element) {
    element->next = chain(hash);
    return chain(hash) = element;
  }
  // False if it is not there.
  bool remove(uint64_t hash, const Element* element) {
    Element** at = &chain(hash);
    while (*at != nullptr && *at != element) at = &(*at)->next;
    if (*at == nullptr) return false;
    *at = element->next;
    return true;
  }
  template <class Use>
  void each(Use use) const {
    for (const Element* first : chains_)
      for (const Element* at = first; at != nullptr; at = at->next) use(*at);
  }

 private:
  Element*& chain(uint64_t hash) { return chains_[spread<kBits>(hash)]; }
  Element* chains_[size_t{1} << kBits] = {};
};

}  // namespace deadheat::live
