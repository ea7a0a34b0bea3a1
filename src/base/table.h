// Tables in an arena: `IdTable`, indexed by a dense id, and `HashTable`, keyed by a 64-bit number or a SpacedKey.
//
// Both hold trivially copyable values, value-initialised on first use, and are freed with their arena.
#pragma once

#include <cstring>
#include <type_traits>

#include "base/arena.h"
#include "base/fatal.h"
#include "base/prefetch.h"

namespace deadheat {

// Chunks of 1024 values that appear when first touched, so that references stay valid and unused stretches of ids
// cost one pointer.
template <class T>
class IdTable {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  static constexpr uint32_t kChunk = 1024;

  [[gnu::always_inline]] T& at(Arena& arena, size_t i) {
    const size_t chunk = i / kChunk;
    if (chunk >= chunks_.size() || chunks_[chunk] == nullptr) [[unlikely]]
      make_chunk(arena, chunk);
    return chunks_[chunk][i % kChunk];
  }
  // The value if its chunk exists, else null.
  T* find(size_t i) const {
    const size_t chunk = i / kChunk;
    return chunk < chunks_.size() && chunks_[chunk] != nullptr ? &chunks_[chunk][i % kChunk] : nullptr;
  }
  // Calls `visit(value)` for every value of every chunk that exists.
  template <class Visit>
  void for_each(Visit visit) {
    for (T* values : chunks_)
      for (uint32_t i = 0; values != nullptr && i < kChunk; ++i) visit(values[i]);
  }
  void prefetch(size_t i) const {
    const size_t chunk = i / kChunk;
    if (chunk >= chunks_.size()) return;
    const T* value = chunks_[chunk] + i % kChunk;
    deadheat::prefetch(value);
    if constexpr (sizeof(T) > 32 && 64 % sizeof(T) != 0)
      deadheat::prefetch(reinterpret_cast<const char*>(value + 1) - 1);
  }

 private:
  [[gnu::noinline]] void make_chunk(Arena& arena, size_t chunk) {
    if (chunk >= chunks_.size()) chunks_.resize(arena, static_cast<uint32_t>(chunk) + 1);
    T* values = static_cast<T*>(arena.allocate(kChunk * sizeof(T)));
    for (uint32_t i = 0; i < kChunk; ++i) new (values + i) T{};
    chunks_[chunk] = values;
  }

  ArenaVector<T*> chunks_;
};

// A 64-bit number in one of several spaces that must not meet.
struct SpacedKey {
  uint64_t number = 0;
  uint32_t space = 0;

  friend constexpr bool operator==(const SpacedKey&, const SpacedKey&) = default;
};

// Open addressing with linear probing; at most three quarters full. References are valid until the next insertion.
template <class T, class Key = uint64_t>
class HashTable {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  uint32_t size() const { return used_; }

  T* find(const Key& key) const {
    if (capacity_ == 0) return nullptr;
    for (uint64_t i = hash(key);; ++i) {
      Entry& entry = entries_[i & (capacity_ - 1)];
      if (entry.state == kEmpty) return nullptr;
      if (entry.state == kFull && entry.key == key) return &entry.value;
    }
  }

  T& at(Arena& arena, const Key& key) {
    if (T* found = find(key)) return *found;
    if (4 * (used_ + erased_ + 1) > 3 * capacity_) rehash(arena);
    Entry& entry = free_entry(key);
    if (entry.state == kErased) --erased_;
    entry.state = kFull;
    entry.key = key;
    entry.value = T{};
    ++used_;
    return entry.value;
  }

  void erase(const Key& key) {
    if (T* found = find(key)) {
      Entry* entry = reinterpret_cast<Entry*>(reinterpret_cast<char*>(found) - offsetof(Entry, value));
      entry->state = kErased;
      --used_;
      ++erased_;
    }
  }

  // Gives the memory back; the table is empty afterwards.
  void release(Arena& arena) {
    if (entries_ != nullptr) arena.free(entries_, capacity_ * sizeof(Entry));
    *this = HashTable{};
  }

  // Calls `visit(key, value)` for every entry, in no particular order. `visit` must not insert.
  template <class Visit>
  void for_each(Visit visit) const {
    for (uint64_t i = 0; i < capacity_; ++i)
      if (entries_[i].state == kFull) visit(entries_[i].key, entries_[i].value);
  }

 private:
  enum State : uint32_t { kEmpty, kFull, kErased };
  struct Entry {
    Key key;
    State state;
    T value;
  };

  static uint64_t hash(uint64_t key) {
    key *= 0x9E3779B97F4A7C15u;
    return key ^ (key >> 32);
  }
  static uint64_t hash(const SpacedKey& key) { return hash(key.number + key.space * 0xD6E8FEB86659FD93u); }
  Entry& free_entry(const Key& key) {
    uint64_t i = hash(key);
    while (entries_[i & (capacity_ - 1)].state == kFull) ++i;
    return entries_[i & (capacity_ - 1)];
  }
  void rehash(Arena& arena) {
    Entry* old = entries_;
    const uint64_t old_capacity = capacity_;
    if (2 * (used_ + 1) > capacity_) capacity_ = capacity_ == 0 ? 16 : 2 * capacity_;
    entries_ = static_cast<Entry*>(arena.allocate(capacity_ * sizeof(Entry)));
    for (uint64_t i = 0; i < capacity_; ++i) entries_[i].state = kEmpty;
    erased_ = 0;
    for (uint64_t i = 0; i < old_capacity; ++i)
      if (old[i].state == kFull) free_entry(old[i].key) = old[i];
    if (old != nullptr) arena.free(old, old_capacity * sizeof(Entry));
  }

  Entry* entries_ = nullptr;
  uint64_t capacity_ = 0;  // a power of two, or 0
  uint32_t used_ = 0;
  uint32_t erased_ = 0;
};

}  // namespace deadheat
