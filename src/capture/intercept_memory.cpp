// memcpy, memmove, memset and the heap: malloc and its family as seen by the program.
#include <cerrno>

#include "capture/heap_calls.h"

using namespace deadheat::live;
using deadheat::AccessKind;

extern "C" {
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_valloc(size_t);
void* __libc_pvalloc(size_t);
}

// What the compiler and we ourselves call inside the library (--wrap): plain copies, no checks.
extern "C" void* __wrap_memcpy(void* to, const void* from, size_t bytes) {
  void* result = to;
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
  return result;
}
extern "C" void* __wrap_memset(void* to, int value, size_t bytes) {
  void* result = to;
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(value) : "memory");
  return result;
}
extern "C" void* __wrap_memmove(void* to, const void* from, size_t bytes) {
  if (reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(from) >= bytes)
    return __wrap_memcpy(to, from, bytes);
  char* t = static_cast<char*>(to);
  const char* f = static_cast<const char*>(from);
  while (bytes-- > 0) t[bytes] = f[bytes];
  return to;
}
extern "C" int __wrap_memcmp(const void* a, const void* b, size_t bytes) {
  const unsigned char *x = static_cast<const unsigned char*>(a), *y = static_cast<const unsigned char*>(b);
  for (size_t i = 0; i < bytes; ++i)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}
extern "C" size_t __wrap_strlen(const char* text) {
  size_t n = 0;
  while (text[n] != 0) ++n;
  return n;
}
extern "C" void* __wrap_mmap(void* at, size_t bytes, int protection, int flags, int, long) {
  void* memory = sys::map(at, bytes, protection, flags);
  return memory == nullptr ? MAP_FAILED : memory;
}
extern "C" int __wrap_munmap(void* at, size_t bytes) {
  sys::unmap(at, bytes);
  return 0;
}

DEADHEAT_INTERCEPT(void*, malloc, size_t bytes) {
  return got(__libc_malloc(bytes), bytes, pc_in(Called::kMalloc, DEADHEAT_CALLER));
}
DEADHEAT_INTERCEPT(void*, calloc, size_t count, size_t bytes) {
  return got(__libc_calloc(count, bytes), count * bytes, pc_in(Called::kCalloc, DEADHEAT_CALLER));
}
DEADHEAT_INTERCEPT(void*, memalign, size_t alignment, size_t bytes) {
  return got(__libc_memalign(alignment, bytes), bytes, pc_in(Called::kMemalign, DEADHEAT_CALLER));
}
DEADHEAT_INTERCEPT(void*, aligned_alloc, size_t alignment, size_t bytes) {
  return got(__libc_memalign(alignment, bytes), bytes, pc_in(Called::kAlignedAlloc, DEADHEAT_CALLER));
}
DEADHEAT_INTERCEPT(void*, valloc, size_t bytes) {
  return got(__libc_valloc(bytes), bytes, pc_in(Called::kValloc, DEADHEAT_CALLER));
}
DEADHEAT_INTERCEPT(void*, pvalloc, size_t bytes) {
  return got(__libc_pvalloc(bytes), bytes, pc_in(Called::kPvalloc, DEADHEAT_CALLER));
}
DEADHEAT_INTERCEPT(int, posix_memalign, void** result, size_t alignment, size_t bytes) {
  if (alignment % sizeof(void*) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  const int error = errno;
  void* block = __libc_memalign(alignment, bytes);
  errno = error;
  if (block == nullptr) return ENOMEM;
  *result = got(block, bytes, pc_in(Called::kPosixMemalign, DEADHEAT_CALLER));
  return 0;
}
DEADHEAT_INTERCEPT(void, free, void* block) { give_back(block, pc_in(Called::kFree, DEADHEAT_CALLER)); }
DEADHEAT_INTERCEPT(void, cfree, void* block) { give_back(block, pc_in(Called::kFree, DEADHEAT_CALLER)); }

// Growing or moving a block: as a new one for history, the old one released.
DEADHEAT_INTERCEPT(void*, realloc, void* block, size_t bytes) {
  const uintptr_t pc = pc_in(Called::kRealloc, DEADHEAT_CALLER);
  if (block == nullptr) return got(__libc_malloc(bytes), bytes, pc);
  if (bytes == 0) return give_back(block, pc), nullptr;
  if (!has_started()) return __libc_realloc(block, bytes);
  void* fresh = __libc_malloc(bytes);
  if (fresh == nullptr) return nullptr;
  const size_t old_bytes = malloc_usable_size(block), copied = old_bytes < bytes ? old_bytes : bytes;
  got(fresh, bytes, pc);
  accessed(block, copied, AccessKind::kRead, pc);
  __wrap_memcpy(fresh, block, copied);  // the one above is ours, and would be an access of the program
  give_back(block, pc);
  return fresh;
}
DEADHEAT_INTERCEPT(void*, reallocarray, void* block, size_t count, size_t bytes) {
  size_t total;
  if (__builtin_mul_overflow(count, bytes, &total)) {
    errno = ENOMEM;
    return nullptr;
  }
  return intercept_realloc(block, total);
}

DEADHEAT_INTERCEPT(void*, memcpy, void* to, const void* from, size_t bytes) {
  if (!copying(pc_in(Called::kMemcpy, DEADHEAT_CALLER), to, from, bytes)) return __wrap_memcpy(to, from, bytes);
  return REAL(memcpy)(to, from, bytes);
}
DEADHEAT_INTERCEPT(void*, memmove, void* to, const void* from, size_t bytes) {
  if (!copying(pc_in(Called::kMemmove, DEADHEAT_CALLER), to, from, bytes)) return __wrap_memmove(to, from, bytes);
  return REAL(memmove)(to, from, bytes);
}
DEADHEAT_INTERCEPT(void*, memset, void* to, int value, size_t bytes) {
  if (!filling(pc_in(Called::kMemset, DEADHEAT_CALLER), to, bytes)) return __wrap_memset(to, value, bytes);
  return REAL(memset)(to, value, bytes);
}
// Clang calls these where the source has the builtin.
extern "C" {
__attribute__((visibility("default"), alias("memcpy"))) void* __tsan_memcpy(void*, const void*, size_t);
__attribute__((visibility("default"), alias("memmove"))) void* __tsan_memmove(void*, const void*, size_t);
__attribute__((visibility("default"), alias("memset"))) void* __tsan_memset(void*, int, size_t);
}
