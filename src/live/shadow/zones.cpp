#include "live/shadow/zones.h"

#include "live/ground/inside.h"
#include "live/ground/message.h"
#include "live/ground/spin_lock.h"
#include "live/ground/sys.h"
#include "live/shadow/shadow.h"

namespace deadheat::live {

constinit Zones zones;
constinit Layout layout;

namespace {

constinit SpinLock zones_lock(Lock::kShadowZones);

void* pointer(uint64_t address) { return reinterpret_cast<void*>(address); }

// The pages for the shadow of a range, without those at its ends that the shadow of other zones has already.
AddressRange new_pages(size_t plane, AddressRange range) {
  AddressRange pages = layout.shadow_pages(plane, range);
  each_zone([&](uint64_t begin, uint64_t end) {
    const AddressRange others = layout.shadow_pages(plane, {begin, end});
    if (!others.overlaps(pages)) return;
    if ((begin & layout.mask) < (range.begin & layout.mask))
      pages.begin = others.end < pages.end ? others.end : pages.end;
    else
      pages.end = others.begin > pages.begin ? others.begin : pages.begin;
  });
  return pages;
}

// Neither the memory of the range nor its shadow is where another zone has one. The shadow may still meet something
// else that is mapped.
bool is_free(AddressRange range) {
  if (!layout.in_one_window(range)) return false;
  for (unsigned plane = 0; plane < kPlanes; ++plane)
    if (layout.shadow_pages(plane, range).overlaps(range)) return false;
  const auto masked = [](AddressRange r) {
    return AddressRange{r.begin & layout.mask, ((r.end - 1) & layout.mask) + 1};
  };
  bool free = true;
  each_zone([&](uint64_t begin, uint64_t end) {
    const AddressRange zone = {begin, end};
    free &= !masked(range).overlaps(masked(zone));
    for (unsigned plane = 0; plane < kPlanes; ++plane) {
      free &= !layout.shadow_pages(plane, zone).overlaps(range);
      free &= !layout.shadow_pages(plane, range).overlaps(zone);
    }
  });
  return free;
}

bool map_planes(AddressRange range) {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  for (unsigned plane = 0; plane < kPlanes; ++plane) {
    const AddressRange pages = new_pages(plane, range);
    if (pages.size() == 0) continue;
    if (sys::map(pointer(pages.begin), pages.size(), PROT_READ | PROT_WRITE, kFlags) == nullptr) {
      for (unsigned done = 0; done < plane; ++done) {
        const AddressRange undone = new_pages(done, range);
        if (undone.size() != 0) sys::unmap(pointer(undone.begin), undone.size());
      }
      return false;
    }
    sys::advise(pointer(pages.begin), pages.size(), MADV_NOHUGEPAGE);
    sys::advise(pointer(pages.begin), pages.size(), MADV_DONTDUMP);
  }
  return true;
}

// Makes the range a zone, or a part of one that it touches. It overlaps none; the lock is held.
bool add(AddressRange range) {
  const size_t count = zones.count.load(std::memory_order_relaxed);
  Zones::Zone* grown = nullptr;
  for (size_t i = 0; i < count && grown == nullptr; ++i) {
    const AddressRange zone = zones.zone[i].range();
    const AddressRange both = {zone.begin < range.begin ? zone.begin : range.begin,
                               zone.end > range.end ? zone.end : range.end};
    if ((zone.begin == range.end || zone.end == range.begin) && layout.in_one_window(both)) grown = &zones.zone[i];
  }
  if ((grown == nullptr && count == Zones::kMost) || !is_free(range) || !map_planes(range)) return false;
  if (grown == nullptr) {
    zones.zone[count].begin.store(range.begin, std::memory_order_relaxed);
    zones.zone[count].end.store(range.end, std::memory_order_relaxed);
    zones.count.store(count + 1, std::memory_order_release);
  } else if (grown->begin.load(std::memory_order_relaxed) == range.end) {
    grown->begin.store(range.begin, std::memory_order_release);
  } else {
    grown->end.store(range.end, std::memory_order_release);
  }
  return true;
}

// The first part of [begin, end) that is in no zone; empty if there is none.
AddressRange first_uncovered(uint64_t begin, uint64_t end) {
  bool moved;
  do {
    moved = false;
    each_zone([&](uint64_t zone_begin, uint64_t zone_end) {
      if (begin < zone_begin || begin >= zone_end) return;
      begin = zone_end;
      moved = true;
    });
  } while (moved && begin < end);
  if (begin >= end) return {};
  each_zone([&](uint64_t zone_begin, uint64_t) {
    if (zone_begin > begin && zone_begin < end) end = zone_begin;
  });
  return {begin, end};
}

// If a range cannot have a shadow, no memory may be mapped there. We block it, because the C library maps memory
// without asking us.
void add_or_block(AddressRange range) {
  constexpr int kNothing = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  if (!add(range)) sys::map(pointer(range.begin), range.size(), PROT_NONE, kNothing);
}

// The parts of a row do not touch: between two of them are a few pages whose shadow would meet that of a neighbour.
void block_gaps() {
  constexpr size_t kMost = 3 * Layout::kMaxZones + 1;
  constexpr uint64_t kWidest = uint64_t{1} << 20;
  AddressRange parts[kMost];
  size_t count = 0;
  const auto insert = [&](AddressRange part) {
    if (part.size() == 0) return;
    size_t at = count++;
    for (; at > 0 && parts[at - 1].begin > part.begin; --at) parts[at] = parts[at - 1];
    parts[at] = part;
  };
  for (size_t i = 0; i < layout.zone_count; ++i) insert(layout.zones[i]);
  for (size_t i = 0; i < layout.beside_count; ++i) insert(layout.beside[i]);
  insert(layout.reservation);
  for (size_t i = 1; i < count; ++i)
    if (parts[i - 1].end < parts[i].begin && parts[i].begin - parts[i - 1].end <= kWidest)
      add_or_block({parts[i - 1].end, parts[i].begin});
}

}  // namespace

void zones_start() {
  for (size_t i = 0; i < layout.zone_count; ++i) {
    const AddressRange zone = layout.zones[i];
    if (!add(zone))
      die("cannot map the shadow of %lu GiB at 0x%lx; is there a limit by ulimit -v or vm.overcommit_memory=2?",
          zone.size() >> 30, zone.begin);
  }
  // What the C library gets for long is where the system looks first: the row.
  for (size_t i = 0; i < layout.beside_count; ++i) add_or_block(layout.beside[i]);
  constexpr uint64_t kAtOnce = 512 * kGibibyte;
  AddressRange first = layout.reservation;
  if (first.size() > kAtOnce) {
    if (layout.grows_up)
      first.end = first.begin + kAtOnce;
    else
      first.begin = first.end - kAtOnce;
  }
  add(first);
  block_gaps();
}

bool shadow_cover(uintptr_t begin, size_t bytes) {
  const uint64_t end = (begin + bytes + kPage - 1) & ~(kPage - 1);
  begin &= ~(kPage - 1);
  if (first_uncovered(begin, end).size() == 0) return true;
  const BusyGuard held(zones_lock);
  // Whole GiB, so that many small mappings do not take many zones, unless something is in the way.
  constexpr uint64_t kMore = kGibibyte;
  for (;;) {
    const AddressRange part = first_uncovered(begin, end);
    if (part.size() == 0) return true;
    const uint64_t least = part.begin & ~(kMore - 1), most = (part.end + kMore - 1) & ~(kMore - 1);
    if (first_uncovered(least, most) == AddressRange{least, most} && add({least, most})) continue;
    if (!add(part)) return false;
  }
}

DEADHEAT_TAKEN_AT_FORK(kShadowZones, zones_lock)

}  // namespace deadheat::live
