// Heap blocks of the program: what a report says about them, kept where no program has data.
//
// The 8 bytes before a block from glibc's malloc hold glibc's own size field. The shadow of those 8 bytes is free for
// us: W marks the place, R has the size, WO the stack of the allocation and its thread, RO whether it was freed.
// Finding the block of an address is a walk backwards over the marks, done for reports only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/stacks.h"
#include "runtime/thread.h"

namespace deadheat::live {

struct Block {
  uintptr_t begin;
  size_t bytes;
  NodeId allocated_at;
  ThreadUid thread;
  bool freed;
};

// After the real allocation: the usable bytes are fresh, and the block is known.
void block_allocated(void* block, size_t bytes, size_t usable, uintptr_t pc);
// Before the real free: a write of the whole block.
void block_freed(void* block, size_t usable, uintptr_t pc);
bool block_of(uintptr_t address, Block& block);

// An access of those parts of a range that have any history: the rest can race with nothing, and the memory is about to
// go away.
void access_touched(uintptr_t begin, size_t bytes, AccessKind kind, uintptr_t pc);

}  // namespace deadheat::live
