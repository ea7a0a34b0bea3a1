// mmap, munmap, mremap, shmat, shmdt, sbrk: mapped memory is new to the program, unmapping is a write of all of it.
//
// Memory that is mapped twice, or shared with other processes, counts by address: what is done through another mapping
// is not seen.
//
// A place that has no shadow, and where none fits any more, is no place for the program's memory: touching it would end
// the program. Where the program insists on such a place it is refused, before anything is mapped there. Elsewhere the
// system's choice is taken if it can have a shadow, whatever its size: reservations of terabytes cost only addresses.
// If it cannot, the place that the layout keeps for the largest is searched (live/shadow/zones.h). What fits nowhere is
// refused.
//
// Tested by test/programs/mmap_*.c, shm_*.c
#include <sys/mman.h>
#include <sys/shm.h>

#include <cerrno>
#include <cstdarg>

#include "capture/intercept.h"

using namespace deadheat::live;

namespace {

constexpr size_t kPage = 4096;

// Rounded to pages, as the system does.
size_t whole_pages(size_t bytes) { return (bytes + kPage - 1) & ~(kPage - 1); }

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
  memory_refused(bytes);
  errno = error;
  return MAP_FAILED;
}

void* reserved(size_t bytes) {
  return sys::map(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
}

// The system said that there is no room. If that is because the shadow has it, we say so, too.
void* no_room(size_t bytes) {
  void* const any = reserved(bytes);
  if (any == nullptr) return refused(bytes, ENOMEM);
  sys::unmap(any, bytes);
  errno = ENOMEM;
  return MAP_FAILED;
}

// real_map(at, flags)
template <class RealMap>
void* map_with(void* at, size_t asked, int flags, RealMap real_map) {
  const size_t bytes = whole_pages(asked);
  if (!has_started()) return real_map(at, flags);
  if ((flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) != 0) {
    if (is_user_range(at, bytes) && !can_watch(at, bytes))
      return refused(bytes, (flags & MAP_FIXED_NOREPLACE) != 0 ? EEXIST : ENOMEM);
    void* const memory = real_map(at, flags);
    return memory == MAP_FAILED ? memory : mapped(memory, bytes);
  }
  // A hint that leads to where there is no shadow is none: programs that spread their memory at random would have one
  // zone for each piece.
  if (!is_good_place(at)) at = nullptr;
  void* memory = real_map(at, flags);
  if (memory == MAP_FAILED) return errno == ENOMEM ? no_room(bytes) : memory;
  const bool in_the_way = at == nullptr && cuts_up(memory, bytes);
  if (!in_the_way && is_good_place(memory) && can_watch(memory, bytes)) return mapped(memory, bytes);
  sys::unmap(memory, bytes);
  void* const place = (flags & MAP_32BIT) != 0 ? nullptr : reserve_place(bytes);
  if (place == nullptr && !in_the_way) return refused(bytes, ENOMEM);
  memory = real_map(place, place == nullptr ? flags : flags | MAP_FIXED);
  if (memory != MAP_FAILED && can_watch(memory, bytes)) return mapped(memory, bytes);
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
  void* const place = reserved(bytes);
  if (place == nullptr) return nullptr;
  if (is_good_place(place) && can_watch(place, bytes)) return place;
  sys::unmap(place, bytes);
  return reserve_place(bytes);
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
  if (!can_watch(at, new_bytes)) {
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
  if (!entry.watched() || reinterpret_cast<uintptr_t>(old_at) % kPage != 0 || new_pages == 0 ||
      ((flags & MREMAP_FIXED) != 0 &&
       (reinterpret_cast<uintptr_t>(wanted) % kPage != 0 || overlap(old_at, old_pages, wanted, new_pages))))
    return REAL(mremap)(old_at, old_bytes, new_bytes, flags, wanted);
  if ((flags & MREMAP_FIXED) != 0) {
    if (can_watch(wanted, new_pages)) return move_to(wanted, old_at, old_pages, new_pages, flags);
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
  if (memory == MAP_FAILED || !entry.watched()) return memory;
  if (sys::failed(sys::call(SYS_shmctl, id, IPC_STAT, reinterpret_cast<long>(&about)))) return memory;
  if (!can_watch(memory, whole_pages(about.shm_segsz))) {
    sys::call(SYS_shmdt, reinterpret_cast<long>(memory));
    errno = EINVAL;
    return reinterpret_cast<void*>(-1);
  }
  table_put(Table::kSegments, reinterpret_cast<uintptr_t>(memory), whole_pages(about.shm_segsz));
  return mapped(memory, about.shm_segsz);
}
DEADHEAT_INTERCEPT(int, shmdt, const void* at) {
  Entry entry(DEADHEAT_CALLER);
  uint64_t bytes;
  if (entry.watched() && table_take(Table::kSegments, reinterpret_cast<uintptr_t>(at), bytes))
    unmap_range(entry, at, bytes);
  return REAL(shmdt)(at);
}
