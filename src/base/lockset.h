// Locksets: which locks a thread holds, which locks protected a variable so far, and what they have in common.
//
// Idea     A lockset is an index into a table in which equal sets exist once; intersections are remembered by the pair
//          of indexes. As in Eraser, whose shadow word holds such an index.
// Promises The table is bounded by the sets that threads and variables refer to (see interned_sets.h), the memory of
//          intersections by `kMemo`.
// Cost     An intersection that was seen lately is one look-up.
// Guarded  by its owner; see interned_sets.h.
// Tested by test/unit/lockset_test.cpp
//
// A reader-writer lock counts for a read in whatever mode it is held, for a write only if it is held as a writer.
// `kAtomicLock` is no lock of the program: an atomic access counts as made under it. Atomic accesses exclude each other
// as if they had a lock in common; a plain access does not have it.
#pragma once

#include <algorithm>

#include "base/ids.h"
#include "base/interned_sets.h"

namespace deadheat {

enum class LocksetId : uint32_t {};

inline constexpr LocksetId kNoLocks{0};
inline constexpr LockId kAtomicLock{UINT32_MAX};

class LocksetTable {
 public:
  explicit LocksetTable(Arena& arena) : arena_(arena), sets_(arena) { memo_.resize(arena, kMemo); }

  LocksetId with(LocksetId set, LockId lock) {
    const std::span<const LockId> old = sets_[set];
    const auto at = std::lower_bound(old.begin(), old.end(), lock);
    if (at != old.end() && *at == lock) return set;
    scratch_.clear();
    append(old.begin(), at);
    scratch_.push_back(arena_, lock);
    append(at, old.end());
    return intern();
  }
  LocksetId without(LocksetId set, LockId lock) {
    const std::span<const LockId> old = sets_[set];
    const auto at = std::lower_bound(old.begin(), old.end(), lock);
    if (at == old.end() || *at != lock) return set;
    scratch_.clear();
    append(old.begin(), at);
    append(at + 1, old.end());
    return intern();
  }
  LocksetId intersection(LocksetId a, LocksetId b) {
    if (a == b) return a;
    if (a == kNoLocks || b == kNoLocks) return kNoLocks;
    if (a > b) std::swap(a, b);
    Intersection& memo = memo_[(index(a) * 31 + index(b)) % kMemo];
    if (memo.a != a || memo.b != b) memo = {a, b, intersection_slow(a, b)};
    return memo.result;
  }
  std::span<const LockId> operator[](LocksetId set) const { return sets_[set]; }

  void retain(LocksetId set) { sets_.retain(set); }
  void release(LocksetId set) { sets_.release(set); }
  // To be called where every set in use is retained.
  void sweep_if_due() {
    if (!sets_.is_sweep_due()) [[likely]]
      return;
    sets_.sweep();
    for (Intersection& memo : memo_) memo = {};
  }
  uint32_t size() const { return sets_.size(); }

 private:
  static constexpr uint32_t kMemo = 1024;  // 12 KiB; programs have few locksets, and fewer pairs of them meet

  struct Intersection {
    LocksetId a = kNoLocks, b = kNoLocks;  // a < b; both empty: not in use
    LocksetId result = kNoLocks;
  };

  template <class Iterator>
  void append(Iterator first, Iterator last) {
    for (; first != last; ++first) scratch_.push_back(arena_, *first);
  }
  LocksetId intern() { return sets_.intern({scratch_.data(), scratch_.size()}); }
  LocksetId intersection_slow(LocksetId a, LocksetId b) {
    scratch_.clear();
    for (const LockId lock : sets_[a])
      if (std::binary_search(sets_[b].begin(), sets_[b].end(), lock)) scratch_.push_back(arena_, lock);
    return intern();
  }

  Arena& arena_;
  InternedSets<LockId, LocksetId> sets_;
  ArenaVector<Intersection> memo_;
  ArenaVector<LockId> scratch_;
};

// The locks that each thread holds, told apart by mode. Nested operations of recursive locks must not arrive here.
class HeldLocks {
 public:
  HeldLocks(Arena& arena, LocksetTable& table) : arena_(arena), table_(table) {}

  void acquire(ThreadId thread, LockId lock) {
    Held& held = threads_.at(arena_, index(thread));
    change(held.all, table_.with(held.all, lock));
    change(held.as_writer, table_.with(held.as_writer, lock));
  }
  void acquire_as_reader(ThreadId thread, LockId lock) {
    Held& held = threads_.at(arena_, index(thread));
    change(held.all, table_.with(held.all, lock));
  }
  // In whatever mode it is held.
  void release(ThreadId thread, LockId lock) {
    Held& held = threads_.at(arena_, index(thread));
    change(held.all, table_.without(held.all, lock));
    change(held.as_writer, table_.without(held.as_writer, lock));
  }

  // The locks that protect an access of the thread.
  LocksetId protecting(ThreadId thread, bool is_write, bool is_atomic) {
    const Held* held = threads_.find(index(thread));
    const LocksetId locks = held == nullptr ? kNoLocks : is_write ? held->as_writer : held->all;
    return is_atomic ? table_.with(locks, kAtomicLock) : locks;
  }

 private:
  struct Held {
    LocksetId all = kNoLocks;
    LocksetId as_writer = kNoLocks;
  };
  void change(LocksetId& held, LocksetId now) {
    table_.retain(now);
    table_.release(held);
    held = now;
  }

  Arena& arena_;
  LocksetTable& table_;
  IdTable<Held> threads_;
};

}  // namespace deadheat
