// The heap stays glibc's own. We call it by its internal names, which need no search, so these calls work before anything
// has started; malloc and its family and operator new and delete have them in common.
#pragma once

#include <malloc.h>

#include "capture/intercept.h"

extern "C" {
void* __libc_malloc(size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
}

namespace deadheat::live {

// Every block is fresh memory; its release is a write of all of it.
inline void* got(void* block, size_t bytes, uintptr_t pc) {
  if (block != nullptr) allocated(block, bytes, malloc_usable_size(block), pc);
  return block;
}
inline void give_back(void* block, uintptr_t pc) {
  if (block == nullptr) return;
  freeing(block, malloc_usable_size(block), pc);
  __libc_free(block);
}

}  // namespace deadheat::live
