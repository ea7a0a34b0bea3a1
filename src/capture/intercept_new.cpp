// operator new and delete: as malloc and free, with the caller's frame as the place of the allocation.
//
// A program that defines its own operators keeps them. When memory runs out, the C++ library's own operator takes over
// (new handlers, bad_alloc).
#include "capture/heap_calls.h"

using namespace deadheat::live;

namespace {

void* plain(size_t bytes, uintptr_t pc) { return got(__libc_malloc(bytes), bytes, pc); }
void* aligned(size_t bytes, size_t alignment, uintptr_t pc) {
  return got(__libc_memalign(alignment, bytes), bytes, pc);
}

}  // namespace

// The names: _Znwm new, _Znam new[], St11align_val_t aligned, RKSt9nothrow_t nothrow, _ZdlPv delete, _ZdaPv delete[].
DEADHEAT_INTERCEPT(void*, _Znwm, size_t bytes) {
  if (void* block = plain(bytes, pc_in(Called::kNew, DEADHEAT_CALLER))) return block;
  return REAL(_Znwm)(bytes);
}
DEADHEAT_INTERCEPT(void*, _Znam, size_t bytes) {
  if (void* block = plain(bytes, pc_in(Called::kNewArray, DEADHEAT_CALLER))) return block;
  return REAL(_Znam)(bytes);
}
DEADHEAT_INTERCEPT(void*, _ZnwmRKSt9nothrow_t, size_t bytes, const void*) {
  return plain(bytes, pc_in(Called::kNew, DEADHEAT_CALLER));
}
DEADHEAT_INTERCEPT(void*, _ZnamRKSt9nothrow_t, size_t bytes, const void*) {
  return plain(bytes, pc_in(Called::kNewArray, DEADHEAT_CALLER));
}
DEADHEAT_INTERCEPT(void*, _ZnwmSt11align_val_t, size_t bytes, size_t alignment) {
  if (void* block = aligned(bytes, alignment, pc_in(Called::kNew, DEADHEAT_CALLER))) return block;
  return REAL(_ZnwmSt11align_val_t)(bytes, alignment);
}
DEADHEAT_INTERCEPT(void*, _ZnamSt11align_val_t, size_t bytes, size_t alignment) {
  if (void* block = aligned(bytes, alignment, pc_in(Called::kNewArray, DEADHEAT_CALLER))) return block;
  return REAL(_ZnamSt11align_val_t)(bytes, alignment);
}
DEADHEAT_INTERCEPT(void*, _ZnwmSt11align_val_tRKSt9nothrow_t, size_t bytes, size_t alignment, const void*) {
  return aligned(bytes, alignment, pc_in(Called::kNew, DEADHEAT_CALLER));
}
DEADHEAT_INTERCEPT(void*, _ZnamSt11align_val_tRKSt9nothrow_t, size_t bytes, size_t alignment, const void*) {
  return aligned(bytes, alignment, pc_in(Called::kNewArray, DEADHEAT_CALLER));
}

#define DELETE(name, as, ...)                                              \
  DEADHEAT_INTERCEPT(void, name, void* block __VA_OPT__(, ) __VA_ARGS__) { \
    give_back(block, pc_in(Called::as, DEADHEAT_CALLER));                  \
  }
DELETE(_ZdlPv, kDelete)
DELETE(_ZdaPv, kDeleteArray)
DELETE(_ZdlPvm, kDelete, size_t)
DELETE(_ZdaPvm, kDeleteArray, size_t)
DELETE(_ZdlPvRKSt9nothrow_t, kDelete, const void*)
DELETE(_ZdaPvRKSt9nothrow_t, kDeleteArray, const void*)
DELETE(_ZdlPvSt11align_val_t, kDelete, size_t)
DELETE(_ZdaPvSt11align_val_t, kDeleteArray, size_t)
DELETE(_ZdlPvmSt11align_val_t, kDelete, size_t, size_t)
DELETE(_ZdaPvmSt11align_val_t, kDeleteArray, size_t, size_t)
DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, kDelete, size_t, const void*)
DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, kDeleteArray, size_t, const void*)
