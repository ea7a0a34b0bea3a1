// Which function of ours stands between an access and the caller that a report shows.
//
// Interceptors on hot paths push no frame of their own. They put their own number into bits 55 to 59 of the program
// counter, which no address uses and which the keys of stacks.h leave free.
#pragma once

#include <cstdint>

namespace deadheat::live {

// clang-format off: it does not come to rest on this list
#define DEADHEAT_CALLED(X) \
  X(Vptr, nullptr) \
  X(AtExit, "at_exit_callback_installed_at") \
  X(CxaAtExit, "cxa_at_exit_callback_installed_at") \
  X(OnExit, "on_exit_callback_installed_at") \
  X(Malloc, "malloc") \
  X(Calloc, "calloc") \
  X(Realloc, "realloc") \
  X(Memalign, "memalign") \
  X(AlignedAlloc, "aligned_alloc") \
  X(Valloc, "valloc") \
  X(Pvalloc, "pvalloc") \
  X(PosixMemalign, "posix_memalign") \
  X(Free, "free") \
  X(New, "operator new(unsigned long)") \
  X(NewArray, "operator new[](unsigned long)") \
  X(Delete, "operator delete(void*)") \
  X(DeleteArray, "operator delete[](void*)") \
  X(Memcpy, "memcpy") \
  X(Memmove, "memmove") \
  X(Memset, "memset") \
  X(MutexLock, "pthread_mutex_lock") \
  X(MutexTryLock, "pthread_mutex_trylock") \
  X(MutexUnlock, "pthread_mutex_unlock") \
  X(ReadLock, "pthread_rwlock_rdlock") \
  X(WriteLock, "pthread_rwlock_wrlock") \
  X(ReadWriteUnlock, "pthread_rwlock_unlock") \
  X(SpinLock, "pthread_spin_lock") \
  X(SpinUnlock, "pthread_spin_unlock") \
  X(Memcmp, "memcmp") \
  X(Strlen, "strlen") \
  X(Strcmp, "strcmp")
// clang-format on

enum class Called : uint8_t {
  kNone,
#define DEADHEAT_ENUMERATOR(name, text) k##name,
  DEADHEAT_CALLED(DEADHEAT_ENUMERATOR)
#undef DEADHEAT_ENUMERATOR
      kCount
};
static_assert(static_cast<unsigned>(Called::kCount) <= 32);

inline constexpr unsigned kCalledShift = 55;
inline uintptr_t pc_in(Called function, void* caller) {
  return reinterpret_cast<uintptr_t>(caller) | uintptr_t{static_cast<uint8_t>(function)} << kCalledShift;
}

inline uintptr_t caller_in(uintptr_t pc) { return pc & ((uintptr_t{1} << kCalledShift) - 1); }

// The name of the function in a program counter or a key of stacks.h; null if there is none.
inline const char* called_in(uint64_t key) {
  static constexpr const char* kNames[] = {nullptr,
#define DEADHEAT_TEXT(name, text) text,
                                           DEADHEAT_CALLED(DEADHEAT_TEXT)
#undef DEADHEAT_TEXT
  };
  return kNames[(key >> kCalledShift & 31) % (sizeof kNames / sizeof kNames[0])];
}

// The access is to the pointer to an object's table of virtual functions.
inline bool is_vptr(uint64_t key) { return (key >> kCalledShift & 31) == static_cast<unsigned>(Called::kVptr); }

}  // namespace deadheat::live
