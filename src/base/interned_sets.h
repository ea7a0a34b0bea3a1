// Sets that exist once: a table in which equal sets have the same index, counted and swept.
//
// Idea     A state refers to a set by a small number. Equal numbers mean equal sets, so comparing is free and what was
//          computed from two sets can be remembered by their numbers.
// Promises A retained set keeps its index. Only `sweep` gives sets back, and it gives back all others; so an index that
//          was just interned is good until the next sweep. The empty set is index 0 and always there.
// Cost     O(elements) to intern; the table is at most twice what was in use at the last sweep, plus `kFewSets`.
// Guarded  by its owner, like the arena it lives in; offline that is one detector. Threads that share a detector take
//          the owner's lock for everything but the lookup of a retained set (elements never move). `sweep` runs at the
//          start of an event, where no other thread is between interning and retaining.
// Tested by test/unit/interned_sets_test.cpp
#pragma once

#include <cstring>
#include <span>

#include "base/arena.h"
#include "base/fatal.h"
#include "base/ids.h"
#include "base/table.h"

namespace deadheat {

// `T` is compared and hashed by its bytes, so it must not have padding; `Id` is an enum of 32 bits.
template <class T, class Id>
class InternedSets {
  static_assert(std::has_unique_object_representations_v<T>);

 public:
  static constexpr Id kEmpty{0};
  static constexpr uint32_t kMaxIndex = (1u << 29) - 1;  // what the packed states of detectors have room for
  static constexpr uint32_t kFewSets = 1024;

  explicit InternedSets(Arena& arena) : arena_(arena) { sets_.at(arena_, 0); }

  // The index of a set, given in the order that the owner keeps for its sets.
  Id intern(std::span<const T> elements) {
    if (elements.empty()) return kEmpty;
    const uint64_t hash = hash_of(elements);
    if (!buckets_.empty())
      for (uint32_t i = buckets_[hash & (buckets_.size() - 1)]; i != 0; i = sets_.find(i)->next)
        if (equals(*sets_.find(i), hash, elements)) return Id{i};
    return insert(elements, hash);
  }
  std::span<const T> operator[](Id id) const {
    const Set& set = *sets_.find(index(id));
    return {set.elements, set.size};
  }

  void retain(Id id) {
    if (id != kEmpty) ++sets_.find(index(id))->users;
  }
  void release(Id id) {
    if (id == kEmpty) return;
    DEADHEAT_DCHECK(sets_.find(index(id))->users > 0);
    --sets_.find(index(id))->users;
  }

  // Whether so many sets were made since the last sweep that another is worth its time.
  bool is_sweep_due() const { return size_ >= next_sweep_; }
  void sweep() {
    for (uint32_t i = 1; i < next_index_; ++i) {
      Set& set = *sets_.find(i);
      if (set.elements != nullptr && set.users == 0) remove(i, set);
    }
    next_sweep_ = size_ < kFewSets / 2 ? kFewSets : 2 * size_;
    ++sweeps_;
  }

  uint32_t size() const { return size_; }  // without the empty set
  uint64_t sweeps() const { return sweeps_; }

 private:
  struct Set {
    T* elements = nullptr;  // null: the empty set, or an index that is free
    uint64_t hash = 0;
    uint32_t size = 0;
    uint32_t users = 0;
    uint32_t next = 0;  // in its bucket, or in the list of free indexes; 0 ends it
  };

  static uint64_t hash_of(std::span<const T> elements) {
    uint64_t hash = elements.size();
    const unsigned char* bytes = reinterpret_cast<const unsigned char*>(elements.data());
    static_assert(sizeof(T) % 4 == 0);
    for (size_t i = 0; i < elements.size_bytes(); i += 4) {
      uint32_t word;
      std::memcpy(&word, bytes + i, 4);
      hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 32;
    }
    return hash;
  }
  static bool equals(const Set& set, uint64_t hash, std::span<const T> elements) {
    return set.hash == hash && set.size == elements.size() &&
           std::memcmp(set.elements, elements.data(), elements.size_bytes()) == 0;
  }

  Id insert(std::span<const T> elements, uint64_t hash) {
    if (size_ >= buckets_.size()) grow_buckets();
    uint32_t i = first_free_;
    if (i != 0) {
      first_free_ = sets_.find(i)->next;
    } else {
      i = next_index_++;
      if (i > kMaxIndex) fatal("more than %u different sets of locks or threads at a time", kMaxIndex);
    }
    Set& set = sets_.at(arena_, i);
    set.elements = static_cast<T*>(arena_.allocate(elements.size_bytes()));
    std::memcpy(static_cast<void*>(set.elements), elements.data(), elements.size_bytes());
    set.hash = hash;
    set.size = static_cast<uint32_t>(elements.size());
    set.users = 0;
    link(i, set);
    ++size_;
    return Id{i};
  }
  void link(uint32_t i, Set& set) {
    uint32_t& bucket = buckets_[set.hash & (buckets_.size() - 1)];
    set.next = bucket;
    bucket = i;
  }
  void remove(uint32_t i, Set& set) {
    uint32_t* link_to = &buckets_[set.hash & (buckets_.size() - 1)];
    while (*link_to != i) link_to = &sets_.find(*link_to)->next;
    *link_to = set.next;
    arena_.free(set.elements, set.size * sizeof(T));
    set.elements = nullptr;
    set.next = first_free_;
    first_free_ = i;
    --size_;
  }
  void grow_buckets() {
    const uint32_t count = buckets_.empty() ? 64 : 2 * buckets_.size();
    buckets_.resize(arena_, count);
    for (uint32_t& bucket : buckets_) bucket = 0;
    for (uint32_t i = 1; i < next_index_; ++i)
      if (Set& set = *sets_.find(i); set.elements != nullptr) link(i, set);
  }

  Arena& arena_;
  IdTable<Set> sets_;              // by index
  ArenaVector<uint32_t> buckets_;  // a power of two; the first set of each
  uint32_t next_index_ = 1;
  uint32_t first_free_ = 0;
  uint32_t size_ = 0;
  uint32_t next_sweep_ = kFewSets;
  uint64_t sweeps_ = 0;
};

}  // namespace deadheat
