// mmap, munmap, mremap, shmat, shmdt, sbrk: mapped memory is new to the program, unmapping is a write of all of it.
//
// Memory that is mapped twice, or shared with other processes, counts by address: what is done through another mapping
// is not seen.
//
// A place that has no shadow, and where none fits any more, is no place for the program's memory: touching it would end
// the program. Where the program insists on such a place it is refused, before anything is mapped there. Elsewhere the
// system's choice is taken if it can have a shadow, whatever its size: reservations of terabytes cost only addresses. If
// it cannot, the place that the layout keeps for the largest is searched (live/shadow/zones.h). What fits nowhere is refused.
//
// Tested by test/programs/mmap_*.c, shm_*.c
#include <sys/mman.h>
#include <sys/shm.h>

#include <cerrno>
#include <cstdarg>

#include "live/api.h"
#include "live/ground/degraded.h"
#include "live/ground/inside.h"
#include "live/ground/message.h"
#include "live/ground/spin_lock.h"
#include "live/ground/sys.h"
#include "live/order/thread.h"
#include "live/shadow/shadow.h"

using namespace deadheat;
using namespace deadheat::live;

namespace {

// Rounded to pages, as the system does.
size_t whole_pages(size_t bytes) { return (bytes + kPage - 1) & ~(kPage - 1); }

bool has_shadow(const void* memory, size_t bytes) {
  return !started.load(std::memory_order_acquire) ||
         shadow_cover(reinterpret_cast<uintptr_t>(memory), whole_pages(bytes));
}

AddressRange range_of(const void* memory, size_t bytes) {
  return {reinterpret_cast<uint64_t>(memory), reinterpret_cast<uint64_t>(memory) + bytes};
}

void* mapped(void* memory, size_t bytes) {
  fresh_range(memory, whole_pages(bytes));
  return memory;
}

// What cannot be a range of the program is the system's to refuse.
bool is_user_range(const void* at, size_t bytes) {
  constexpr uintptr_t kEnd = uintptr_t{1} << 47;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(at);
  return bytes != 0 && begin % kPage == 0 && begin != 0 && begin < kEnd && bytes <= kEnd - begin;
}

void* refused(size_t bytes, int error) {
  if (note_degraded(Degradation::kUnwatchedMemory, bytes))
    say("%lu MiB of memory are refused: there is no place where they and their shadow fit", bytes >> 20);
  errno = error;
  return MAP_FAILED;
}

void* reserved(void* at, size_t bytes, int flags = 0) {
  return sys::map(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags);
}

// The system said that there is no room. If that is because the shadow has it, we say so, too.
void* no_room(size_t bytes) {
  void* const any = reserved(nullptr, bytes);
  if (any == nullptr) return refused(bytes, ENOMEM);
  sys::unmap(any, bytes);
  errno = ENOMEM;
  return MAP_FAILED;
}

// A free place that has a shadow, where the layout keeps one for the largest mapping, from the end on that the system
// comes to last. It is reserved, so that the caller has it for itself. Null if there is none.
void* find_place(size_t bytes) {
  const AddressRange all = layout.reservation;
  if (bytes > all.size()) return nullptr;
  const auto round_up = [](uint64_t value, uint64_t to) { return (value + to - 1) & ~(to - 1); };
  constexpr uint64_t kStep = kGibibyte, kHugePage = uint64_t{2} << 20;
  for (uint64_t offset = 0; offset <= all.size() - bytes; offset = round_up(offset + 1, kStep)) {
    const uint64_t begin =
        layout.grows_up ? (all.end - offset - bytes) & ~(kHugePage - 1) : round_up(all.begin + offset, kHugePage);
    if (begin < all.begin || begin + bytes > all.end) continue;
    void* const place = reserved(reinterpret_cast<void*>(begin), bytes, MAP_FIXED_NOREPLACE);
    if (place == nullptr) continue;
    if (has_shadow(place, bytes)) return place;
    sys::unmap(place, bytes);
  }
  return nullptr;
}

// Memory elsewhere can have a shadow, too, but at the price of room in the reservation.
bool is_for_programs(const void* at) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(at);
  return shadow_covers(address) || layout.reservation.contains(address);
}

// Mappings of this size go to the far end of their place, so that small ones, which stay, do not cut it up.
constexpr size_t kHuge = 256 * kGibibyte;

// real_map(at, flags)
template <class RealMap>
void* map_with(void* at, size_t asked, int flags, RealMap real_map) {
  const size_t bytes = whole_pages(asked);
  if (!started.load(std::memory_order_acquire)) return real_map(at, flags);
  if ((flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) != 0) {
    if (is_user_range(at, bytes) && !has_shadow(at, bytes))
      return refused(bytes, (flags & MAP_FIXED_NOREPLACE) != 0 ? EEXIST : ENOMEM);
    void* const memory = real_map(at, flags);
    return memory == MAP_FAILED ? memory : mapped(memory, bytes);
  }
  // A hint that leads to where there is no shadow is none: programs that spread their memory at random would have one
  // zone for each piece.
  if (!is_for_programs(at)) at = nullptr;
  void* memory = real_map(at, flags);
  if (memory == MAP_FAILED) return errno == ENOMEM ? no_room(bytes) : memory;
  const bool cuts_up = at == nullptr && bytes >= kHuge && layout.reservation.overlaps(range_of(memory, bytes));
  if (!cuts_up && is_for_programs(memory) && has_shadow(memory, bytes)) return mapped(memory, bytes);
  sys::unmap(memory, bytes);
  void* const place = (flags & MAP_32BIT) != 0 ? nullptr : find_place(bytes);
  if (place == nullptr && !cuts_up) return refused(bytes, ENOMEM);
  memory = real_map(place, place == nullptr ? flags : flags | MAP_FIXED);
  if (memory != MAP_FAILED && has_shadow(memory, bytes)) return mapped(memory, bytes);
  if (memory != MAP_FAILED || place != nullptr) sys::unmap(memory != MAP_FAILED ? memory : place, bytes);
  return refused(bytes, ENOMEM);
}

}  // namespace

DEADHEAT_INTERCEPT(void*, mmap, void* at, size_t bytes, int protection, int flags, int fd, off_t offset) {
  return map_with(at, bytes, flags,
                  [&](void* to, int how) { return REAL(mmap)(to, bytes, protection, how, fd, offset); });
}
DEADHEAT_INTERCEPT(void*, mmap64, void* at, size_t bytes, int protection, int flags, int fd, off64_t offset) {
  return map_with(at, bytes, flags,
                  [&](void* to, int how) { return REAL(mmap64)(to, bytes, protection, how, fd, offset); });
}
DEADHEAT_INTERCEPT(int, munmap, void* at, size_t bytes) {
  Entry entry(DEADHEAT_CALLER);
  if (is_user_range(at, bytes)) unmap_range(entry, at, whole_pages(bytes));
  return REAL(munmap)(at, bytes);
}

namespace {

// MAP_FAILED if it fails; then `errno` says why.
void* remap(void* old_at, size_t old_bytes, size_t new_bytes, int flags, void* to) {
  const long result = sys::call(SYS_mremap, reinterpret_cast<long>(old_at), static_cast<long>(old_bytes),
                                static_cast<long>(new_bytes), flags, reinterpret_cast<long>(to));
  if (!sys::failed(result)) return reinterpret_cast<void*>(result);
  errno = static_cast<int>(-result);
  return MAP_FAILED;
}

bool overlap(const void* a, size_t a_bytes, const void* b, size_t b_bytes) {
  const uintptr_t first = reinterpret_cast<uintptr_t>(a), second = reinterpret_cast<uintptr_t>(b);
  return first < second + b_bytes && second < first + a_bytes;
}

// The bytes take their history along. It goes before they do: once they are gone, other threads may map something at
// their old place.
void* move_to(void* to, void* old_at, size_t old_bytes, size_t new_bytes, int flags) {
  const size_t kept = old_bytes < new_bytes ? old_bytes : new_bytes;
  mapped(to, new_bytes);
  move_range(old_at, to, kept);
  if (new_bytes < old_bytes) fresh_range(static_cast<char*>(old_at) + new_bytes, old_bytes - new_bytes);
  void* const result = remap(old_at, old_bytes, new_bytes, flags | MREMAP_FIXED, to);
  if (result == MAP_FAILED) move_range(to, old_at, kept);
  return result;
}

// Reserved, with a shadow; null if there is none.
void* place_to_move_to(size_t bytes) {
  void* const place = reserved(nullptr, bytes);
  if (place == nullptr) return nullptr;
  if (is_for_programs(place) && has_shadow(place, bytes)) return place;
  sys::unmap(place, bytes);
  return find_place(bytes);
}

// Null if the bytes have to move.
void* resize_in_place(const Entry& entry, void* at, size_t old_bytes, size_t new_bytes) {
  if (new_bytes < old_bytes) unmap_range(entry, static_cast<char*>(at) + new_bytes, old_bytes - new_bytes);
  const int error = errno;
  if (remap(at, old_bytes, new_bytes, 0, nullptr) == MAP_FAILED) {
    if (errno != ENOMEM) return MAP_FAILED;
    errno = error;
    return nullptr;
  }
  if (!has_shadow(at, new_bytes)) {
    remap(at, new_bytes, old_bytes, 0, nullptr);
    return nullptr;
  }
  if (new_bytes > old_bytes) mapped(static_cast<char*>(at) + old_bytes, new_bytes - old_bytes);
  return at;
}

}  // namespace

DEADHEAT_INTERCEPT(void*, mremap, void* old_at, size_t old_bytes, size_t new_bytes, int flags, ...) {
  Entry entry(DEADHEAT_CALLER);
  va_list arguments;
  va_start(arguments, flags);
  void* wanted = (flags & MREMAP_FIXED) != 0 ? va_arg(arguments, void*) : nullptr;
  va_end(arguments);
  const size_t old_pages = whole_pages(old_bytes), new_pages = whole_pages(new_bytes);
  // What the system refuses, or has no meaning for us.
  if (entry.thread() == nullptr || reinterpret_cast<uintptr_t>(old_at) % 4096 != 0 || new_pages == 0 ||
      ((flags & MREMAP_FIXED) != 0 &&
       (reinterpret_cast<uintptr_t>(wanted) % 4096 != 0 || overlap(old_at, old_pages, wanted, new_pages))))
    return REAL(mremap)(old_at, old_bytes, new_bytes, flags, wanted);
  if ((flags & MREMAP_FIXED) != 0) {
    if (has_shadow(wanted, new_pages)) return move_to(wanted, old_at, old_pages, new_pages, flags);
    return refused(new_pages, ENOMEM);
  }
  if ((flags & MREMAP_DONTUNMAP) == 0) {
    void* const there = resize_in_place(entry, old_at, old_pages, new_pages);
    if (there != nullptr) return there;
    if ((flags & MREMAP_MAYMOVE) == 0) {
      errno = ENOMEM;
      return MAP_FAILED;
    }
  }
  void* const place = place_to_move_to(new_pages);
  if (place == nullptr) return refused(new_pages, ENOMEM);
  void* const moved = move_to(place, old_at, old_pages, new_pages, flags);
  if (moved == MAP_FAILED) sys::unmap(place, new_pages);  // errno stays: system calls of ours do not set it
  return moved;
}

namespace {

// What a segment attached there takes; 0 if nobody attached one that we know of.
struct Segment {
  const void* at;
  size_t bytes;
};
constexpr unsigned kMostSegments = 256;
constinit SpinLock segments_lock(Lock::kSegments);
Segment segments[kMostSegments];

void put_segment(const void* at, size_t bytes) {
  const BusyGuard held(segments_lock);
  for (Segment& segment : segments) {
    if (segment.at != nullptr && segment.at != at) continue;
    segment = {at, bytes};
    return;
  }
}
size_t take_segment(const void* at) {
  const BusyGuard held(segments_lock);
  for (Segment& segment : segments) {
    if (segment.at != at) continue;
    segment.at = nullptr;
    return segment.bytes;
  }
  return 0;
}

}  // namespace

namespace deadheat::live {
DEADHEAT_TAKEN_AT_FORK(kSegments, segments_lock)
}

// The end of the heap, where a program moves it itself.
DEADHEAT_INTERCEPT(void*, sbrk, intptr_t bytes) {
  Entry entry(DEADHEAT_CALLER);
  char* const end = bytes < 0 ? static_cast<char*>(REAL(sbrk)(0)) : nullptr;
  if (bytes < 0) unmap_range(entry, end + bytes, static_cast<size_t>(-bytes));
  void* const before = REAL(sbrk)(bytes);
  if (bytes > 0 && before != reinterpret_cast<void*>(-1)) fresh_range(before, static_cast<size_t>(bytes));
  return before;
}

DEADHEAT_INTERCEPT(void*, shmat, int id, const void* wanted, int flags) {
  Entry entry(DEADHEAT_CALLER);
  void* const memory = REAL(shmat)(id, wanted, flags);
  shmid_ds about{};
  if (memory == MAP_FAILED || entry.thread() == nullptr) return memory;
  if (sys::failed(sys::call(SYS_shmctl, id, IPC_STAT, reinterpret_cast<long>(&about)))) return memory;
  if (!has_shadow(memory, about.shm_segsz)) {
    sys::call(SYS_shmdt, reinterpret_cast<long>(memory));
    errno = EINVAL;
    return reinterpret_cast<void*>(-1);
  }
  put_segment(memory, whole_pages(about.shm_segsz));
  return mapped(memory, about.shm_segsz);
}
DEADHEAT_INTERCEPT(int, shmdt, const void* at) {
  Entry entry(DEADHEAT_CALLER);
  const size_t bytes = entry.thread() == nullptr ? 0 : take_segment(at);
  if (bytes != 0) unmap_range(entry, at, bytes);
  return REAL(shmdt)(at);
}
