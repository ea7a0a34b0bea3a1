// The clocks of atomic objects by their keys, so that memory which begins anew finds the few that lie in it.
//
// Idea     Programs allocate all the time, and hardly any block has an atomic object. So it is counted how many clocks
//          there are in each line of 64 keys and in each region of 65536: a small block is one look, a stack of 8 MiB
//          is 128.
// Tested by test/unit/atomic_clocks_test.cpp, test/differential
#pragma once

#include <algorithm>

#include "base/table.h"
#include "detect/detector.h"

namespace deadheat {

template <class Clock>
class AtomicClocks {
 public:
  Clock* find(const AtomicKey& key) const { return clocks_.find(key); }
  Clock& at(Arena& arena, const AtomicKey& key) {
    if (Clock* found = clocks_.find(key)) return *found;
    ++lines_.at(arena, part_of(key, kLineShift));
    ++regions_.at(arena, part_of(key, kRegionShift));
    return clocks_.at(arena, key);
  }
  uint32_t size() const { return clocks_.size(); }

  // `count` keys from `first` on have no clock any more. `release(clock)` is called for each that they had.
  template <class Release>
  void forget(AtomicKey first, uint64_t count, Release release) {
    if (count == 0 || clocks_.size() == 0) return;
    each_part(regions_, kRegionShift, first, first.number + (count - 1), [&](AtomicKey from, uint64_t to) {
      each_part(lines_, kLineShift, from, to, [&](AtomicKey key, uint64_t last) {
        for (uint64_t more = last - key.number + 1; more > 0; --more, ++key.number) {
          Clock* const clock = clocks_.find(key);
          if (clock == nullptr) continue;
          release(*clock);
          clocks_.erase(key);
          one_less(lines_, part_of(key, kLineShift));
          one_less(regions_, part_of(key, kRegionShift));
        }
      });
    });
  }

 private:
  using Counts = HashTable<uint32_t, AtomicKey>;
  static constexpr unsigned kLineShift = 6, kRegionShift = 16;

  static AtomicKey part_of(const AtomicKey& key, unsigned shift) { return {key.number >> shift, key.space}; }

  static void one_less(Counts& counts, const AtomicKey& part) {
    if (--*counts.find(part) == 0) counts.erase(part);
  }

  // Calls visit(first key, last number) for the parts of a range that have clocks.
  template <class Visit>
  static void each_part(const Counts& counts, unsigned shift, AtomicKey first, uint64_t last, Visit visit) {
    const uint64_t first_part = first.number >> shift, last_part = last >> shift;
    const auto visit_part = [&](uint64_t part) {
      const uint64_t part_end = ((part + 1) << shift) - 1;
      visit(AtomicKey{std::max(first.number, part << shift), first.space}, std::min(last, part_end));
    };
    if (last_part - first_part >= counts.size()) {
      counts.for_each([&](const AtomicKey& part, uint32_t) {
        if (part.space == first.space && part.number - first_part <= last_part - first_part) visit_part(part.number);
      });
    } else {
      for (uint64_t left = last_part - first_part + 1, part = first_part; left > 0; --left, ++part)
        if (counts.find({part, first.space}) != nullptr) visit_part(part);
    }
  }

  HashTable<Clock, AtomicKey> clocks_;
  Counts lines_, regions_;
};

}  // namespace deadheat
