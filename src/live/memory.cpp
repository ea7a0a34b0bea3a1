// Memory of the program that comes, moves and goes, and where it can be watched.
//
// The program's memory must have a shadow: touching memory without one would end the program. We take the place that
// the system chooses if a shadow fits beside it, whatever its size: reservations of terabytes cost only addresses. If
// it does not fit, we look for a place in the reservation that the layout keeps for large mappings
// (live/shadow/zones.h).
#include <sys/mman.h>

#include "live/entry.h"
#include "live/ground/degraded.h"
#include "live/ground/inside.h"
#include "live/ground/message.h"
#include "live/ground/touched.h"
#include "live/order/sync.h"
#include "live/shadow/blocks.h"
#include "live/shadow/recorded.h"
#include "live/shadow/shadow.h"

namespace deadheat::live {

// ---- ranges ----

void fresh_range(const void* begin, size_t bytes) {
  if (!started.load(std::memory_order_acquire) || bytes == 0) return;
  Inside inside;
  forget_history(key(begin), bytes);
}

void unmap_range(const Entry& entry, const void* begin, size_t bytes) {
  if (!entry.watched()) return;
  access_touched(key(begin), bytes, AccessKind::kWrite, entry.pc());
  fresh_range(begin, bytes);
}

void move_range(const void* from, const void* to, size_t bytes) {
  Inside inside;
  if constexpr (record::kOn) {
    record::moved(key(from), key(to), bytes);
    touch_range(key(to), key(to) + bytes);
    shadow_forget(key(from), bytes);
  } else {
    const HoldAll<Lock::kEpochs> no_collection;  // it could miss what is neither there nor here
    shadow_move(key(from), key(to), bytes);
  }
  each_touched(key(from), key(from) + bytes, false, [&](uintptr_t begin, uintptr_t end) {
    sync_move_range(begin, begin - key(from) + key(to), end - begin);
  });
}

void move_objects(const void* from, const void* to, size_t bytes) {
  const Inside inside;
  sync_move_range(key(from), key(to), bytes);
  shadow_forget(key(from), bytes);
  shadow_forget(key(to), bytes);
}

// ---- places ----

bool can_watch(const void* begin, size_t bytes) {
  return !started.load(std::memory_order_acquire) || shadow_cover(key(begin), bytes);
}

// Memory elsewhere can have a shadow, too, but at the price of room in the reservation.
bool is_good_place(const void* begin) {
  return !started.load(std::memory_order_acquire) || shadow_covers(key(begin)) ||
         layout.reservation.contains(key(begin));
}

// Mappings of this size go to the far end of their place, so that small ones, which stay, do not cut it up.
constexpr size_t kHuge = 256 * kGibibyte;

bool cuts_up(const void* begin, size_t bytes) {
  return bytes >= kHuge && started.load(std::memory_order_acquire) &&
         layout.reservation.overlaps({key(begin), key(begin) + bytes});
}

// From the end on that the system comes to last.
void* reserve_place(size_t bytes) {
  const AddressRange all = layout.reservation;
  if (bytes > all.size()) return nullptr;
  const auto round_up = [](uint64_t value, uint64_t to) { return (value + to - 1) & ~(to - 1); };
  constexpr uint64_t kStep = kGibibyte, kHugePage = uint64_t{2} << 20;
  for (uint64_t offset = 0; offset <= all.size() - bytes; offset = round_up(offset + 1, kStep)) {
    const uint64_t begin =
        layout.grows_up ? (all.end - offset - bytes) & ~(kHugePage - 1) : round_up(all.begin + offset, kHugePage);
    if (begin < all.begin || begin + bytes > all.end) continue;
    void* const place = sys::map(reinterpret_cast<void*>(begin), bytes, PROT_NONE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE);
    if (place == nullptr) continue;
    if (can_watch(place, bytes)) return place;
    sys::unmap(place, bytes);
  }
  return nullptr;
}

void memory_refused(size_t bytes) {
  if (note_degraded(Degradation::kUnwatchedMemory, bytes))
    say("%lu MiB of memory are refused: there is no place where they and their shadow fit", bytes >> 20);
}

}  // namespace deadheat::live
