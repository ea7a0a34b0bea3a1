// Zones: which memory has a shadow, and how more of it gets one.
//
// Growth   Zones only grow: a zone is added, or an end of one moves outwards. The thread that does this holds the lock,
//          and all planes have pages for the new addresses before any reader can see them.
// Readers  take no lock. They load the number of zones (acquire), which was stored after the zone (release), then both
//          ends. An end may move meanwhile; both values are right, and every combination of them lies within what has
//          pages. So "yes" is always true. "No" may be out of date, but not for memory that the reader knows of: the
//          zone was stored before mmap returned, so the reader learned of the zone when it learned of the memory.
// Tested by test/programs/mmap_*.c
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "shadow/layout.h"

namespace deadheat::live {

struct Zones {
  static constexpr size_t kMost = 64;
  struct Zone {
    std::atomic<uint64_t> begin{0}, end{0};
    AddressRange range() const { return {begin.load(std::memory_order_acquire), end.load(std::memory_order_acquire)}; }
  };
  std::atomic<size_t> count{0};
  Zone zone[kMost];
};
extern Zones zones __attribute__((visibility("hidden")));
extern Layout layout __attribute__((visibility("hidden")));  // does not change after the start

// False for addresses in no zone: they are not watched.
inline bool shadow_covers(uintptr_t address) {
  const size_t count = zones.count.load(std::memory_order_acquire);
  for (size_t i = 0; i < count; ++i)
    if (zones.zone[i].range().contains(address)) return true;
  return false;
}

// Calls visit(begin, end) for each zone.
template <class Visit>
void each_zone(Visit visit) {
  const size_t count = zones.count.load(std::memory_order_acquire);
  for (size_t i = 0; i < count; ++i) {
    const AddressRange range = zones.zone[i].range();
    visit(range.begin, range.end);
  }
}

// Gives the zones of the layout their shadow, and what lies beside them; ends the program with one line if that fails.
void zones_start();
// Makes sure that the range has a shadow; false if there is no place for it.
bool shadow_cover(uintptr_t begin, size_t bytes);

}  // namespace deadheat::live
