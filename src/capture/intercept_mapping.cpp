// mmap, munmap, mremap, shmat, shmdt: mapped memory is new to the program, unmapping is a write of all of it.
//
// Memory that is mapped twice, or shared with other processes, counts by address: what is done through another mapping
// is not seen.
#include <sys/mman.h>
#include <sys/shm.h>

#include <cstdarg>

#include "runtime/api.h"
#include "runtime/shadow.h"
#include "runtime/spin_lock.h"
#include "runtime/sys.h"
#include "runtime/thread.h"

using namespace deadheat::live;

namespace {

// Rounded to pages, as the system does.
size_t whole_pages(size_t bytes) { return (bytes + 4095) & ~size_t{4095}; }

void* mapped(void* memory, size_t bytes) {
  if (memory == MAP_FAILED || !started.load(std::memory_order_acquire)) return memory;
  if (shadow_cover(reinterpret_cast<uintptr_t>(memory), whole_pages(bytes))) fresh_range(memory, whole_pages(bytes));
  return memory;
}

}  // namespace

DEADHEAT_INTERCEPT(void*, mmap, void* at, size_t bytes, int protection, int flags, int fd, off_t offset) {
  return mapped(REAL(mmap)(at, bytes, protection, flags, fd, offset), bytes);
}
DEADHEAT_INTERCEPT(void*, mmap64, void* at, size_t bytes, int protection, int flags, int fd, off64_t offset) {
  return mapped(REAL(mmap64)(at, bytes, protection, flags, fd, offset), bytes);
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
constinit SpinLock segments_lock;
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

DEADHEAT_INTERCEPT(void*, shmat, int id, const void* wanted, int flags) {
  Entry entry(DEADHEAT_CALLER);
  void* const memory = REAL(shmat)(id, wanted, flags);
  shmid_ds about{};
  if (memory == MAP_FAILED || entry.thread() == nullptr) return memory;
  if (sys::failed(sys::call(SYS_shmctl, id, IPC_STAT, reinterpret_cast<long>(&about)))) return memory;
  put_segment(memory, whole_pages(about.shm_segsz));
  return mapped(memory, about.shm_segsz);
}
DEADHEAT_INTERCEPT(int, shmdt, const void* at) {
  Entry entry(DEADHEAT_CALLER);
  const size_t bytes = entry.thread() == nullptr ? 0 : take_segment(at);
  if (bytes != 0) unmap_range(entry, at, bytes);
  return REAL(shmdt)(at);
}
