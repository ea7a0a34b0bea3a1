// Heap blocks of the program: what a report needs to know of them, kept in shadow that no data of the program uses.
//
// The 8 bytes before a block from glibc's malloc hold glibc's own size field. The shadow of those 8 bytes is free for
// us: W marks the place and has the size and whether it was freed, WO the stack of the allocation and its thread.
// Finding the block of an address is a walk backwards over the marks, done for reports only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "live/order/thread.h"
#include "live/paths/stacks.h"

namespace deadheat::live {

struct Block {
  uintptr_t begin;
  size_t bytes;
  NodeId allocated_at;
  ThreadUid thread;
  bool freed;
};

// As in api.h. After the real allocation: the usable bytes are fresh, and the block is known.
void allocated(void* block, size_t bytes, size_t usable, uintptr_t pc);
// Before the real free: a write of the whole block.
void freeing(void* block, size_t usable, uintptr_t pc);
// After a block was taken or before it is given back: calls the program's hooks, and reports a use of the heap in a
// signal handler. Costs one look at a flag if there are no hooks and no handler runs.
void block_taken_hooks_slow(void* block, size_t bytes, uintptr_t pc);
void block_given_hooks_slow(void* block, uintptr_t pc);
extern bool heap_hooks_set __attribute__((visibility("hidden")));
inline void block_taken_hooks(void* block, size_t bytes, uintptr_t pc) {
  if (__builtin_expect(heap_hooks_set || tls.in_handler != 0, 0)) block_taken_hooks_slow(block, bytes, pc);
}
inline void block_given_hooks(void* block, uintptr_t pc) {
  if (__builtin_expect(heap_hooks_set || tls.in_handler != 0, 0)) block_given_hooks_slow(block, pc);
}
using TakenHook = void (*)(const volatile void* block, size_t bytes);
using GivenHook = void (*)(const volatile void* block);
bool add_heap_hooks(TakenHook taken, GivenHook given);  // false: no room
void find_heap_hooks();                                 // at start: those that the program defines by name

bool block_of(uintptr_t address, Block& block);

// An access of those parts of a range that have any history: the rest can race with nothing, and the memory is about to
// go away.
void access_touched(uintptr_t begin, size_t bytes, AccessKind kind, uintptr_t pc);

}  // namespace deadheat::live
