// mmap, munmap, mremap, shmat, shmdt, sbrk: mapped memory is new to the program, unmapping is a write of all of it.
//
// Memory that is mapped twice, or shared with other processes, counts by address: what is done through another mapping
// is not seen.
//
// A place that has no shadow, and where none fits any more, is no place for the program's memory: touching it would end
// the program. Where it only hints at one it gets another, as if that were taken; where it insists, or wants more at
// once than we have room for, it is refused.
//
// Tested by test/programs/mmap_*.c, shm_*.c
#include <sys/mman.h>
#include <sys/shm.h>

#include <cerrno>
#include <cstdarg>

#include "runtime/api.h"
#include "runtime/inside.h"
#include "runtime/shadow.h"
#include "runtime/spin_lock.h"
#include "runtime/sys.h"
#include "runtime/thread.h"

using namespace deadheat::live;

namespace {

// Rounded to pages, as the system does.
size_t whole_pages(size_t bytes) { return (bytes + 4095) & ~size_t{4095}; }

bool has_shadow(const void* memory, size_t bytes) {
  return !started.load(std::memory_order_acquire) ||
         shadow_cover(reinterpret_cast<uintptr_t>(memory), whole_pages(bytes));
}

void* mapped(void* memory, size_t bytes) {
  fresh_range(memory, whole_pages(bytes));
  return memory;
}

bool covered(uintptr_t begin, size_t bytes) { return shadow_covers(begin) && shadow_covers(begin + bytes - 1); }

template <class RealMap>
void* map_with(void* at, size_t bytes, int flags, RealMap real_map) {
  const bool insists = (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) != 0;
  const bool hints = !insists && started.load(std::memory_order_acquire);
  void* const memory = real_map(hints && !covered(reinterpret_cast<uintptr_t>(at), bytes) ? nullptr : at);
  if (memory == MAP_FAILED) return memory;
  if (has_shadow(memory, bytes)) return mapped(memory, bytes);
  sys::unmap(memory, bytes);
  errno = (flags & MAP_FIXED_NOREPLACE) != 0 ? EEXIST : ENOMEM;
  return MAP_FAILED;
}

}  // namespace

DEADHEAT_INTERCEPT(void*, mmap, void* at, size_t bytes, int protection, int flags, int fd, off_t offset) {
  return map_with(at, bytes, flags, [&](void* to) { return REAL(mmap)(to, bytes, protection, flags, fd, offset); });
}
DEADHEAT_INTERCEPT(void*, mmap64, void* at, size_t bytes, int protection, int flags, int fd, off64_t offset) {
  return map_with(at, bytes, flags, [&](void* to) { return REAL(mmap64)(to, bytes, protection, flags, fd, offset); });
}
DEADHEAT_INTERCEPT(int, munmap, void* at, size_t bytes) {
  Entry entry(DEADHEAT_CALLER);
  // What cannot be a range of the program is the system's to refuse.
  constexpr uintptr_t kEnd = uintptr_t{1} << 47;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(at);
  if (bytes != 0 && begin % 4096 == 0 && begin != 0 && begin < kEnd && bytes <= kEnd - begin)
    unmap_range(entry, at, whole_pages(bytes));
  return REAL(munmap)(at, bytes);
}
// In place: the new part is new. Moved: the bytes take their history along.
DEADHEAT_INTERCEPT(void*, mremap, void* old_at, size_t old_bytes, size_t new_bytes, int flags, ...) {
  Entry entry(DEADHEAT_CALLER);
  va_list arguments;
  va_start(arguments, flags);
  void* wanted = (flags & MREMAP_FIXED) != 0 ? va_arg(arguments, void*) : nullptr;
  va_end(arguments);
  if (wanted != nullptr && !has_shadow(wanted, new_bytes)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  void* result = REAL(mremap)(old_at, old_bytes, new_bytes, flags, wanted);
  if (result == MAP_FAILED || entry.thread() == nullptr) return result;
  old_bytes = whole_pages(old_bytes);
  new_bytes = whole_pages(new_bytes);
  if (result == old_at) {
    if (new_bytes > old_bytes) mapped(static_cast<char*>(old_at) + old_bytes, new_bytes - old_bytes);
    if (new_bytes < old_bytes) unmap_range(entry, static_cast<char*>(old_at) + new_bytes, old_bytes - new_bytes);
  } else {
    mapped(result, new_bytes);
    move_range(old_at, result, old_bytes < new_bytes ? old_bytes : new_bytes);
    if (new_bytes < old_bytes) fresh_range(static_cast<char*>(old_at) + new_bytes, old_bytes - new_bytes);
  }
  return result;
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
