// The shadow stack of the calling thread, and the call path that it stands for.
//
// push_frame and pop_frame are all that an instrumented function costs at its entry and exit. The tree of paths
// (stacks.h) is asked only when something needs a stack. Then every frame remembers its node, so that the next question
// is only about new frames.
#pragma once

#include <cstddef>
#include <cstdint>

#include "live/ground/tls.h"
#include "live/paths/stacks.h"

namespace deadheat::live {

// What a thread's state has of paths. Only the thread itself touches it.
struct ThreadPaths {
  void* shadow_stack = nullptr;
  size_t shadow_stack_bytes = 0;
  Frame* fiber_sp = nullptr;  // top of the shadow stack while another fiber of the system's thread runs
  StackCache stack_cache;
};

NodeId context_node_slow(ThreadPaths& t, Frame* top);
// The path to the innermost frame.
inline NodeId context_node(ThreadPaths& t) {
  if (tls.sp == tls.base) return kNoNode;
  Frame* top = tls.sp - 1;
  return __builtin_expect(top->node != kNoNode, 1) ? top->node : context_node_slow(t, top);
}

__attribute__((always_inline)) inline uint64_t stack_pointer() {
  uint64_t value;
  __asm__("mov %%rsp, %0" : "=r"(value));
  return value;
}
// One store for both: no node yet in the low half.
inline void put_stack_and_no_node(Frame* frame, uint64_t stack) {
  const uint64_t both = stack << 32;
  __builtin_memcpy(&frame->node, &both, 8);
}
// There is no room, or no thread yet; defined by the room that makes threads known (order/thread.cpp).
void push_frame_slow(uintptr_t pc, uint64_t stack);
__attribute__((always_inline)) inline void push_frame_at(uintptr_t pc, uint64_t stack) {
  Frame* sp = tls.sp;
  if (__builtin_expect(sp == tls.limit, 0)) return push_frame_slow(pc, stack);
  sp->pc = pc;
  put_stack_and_no_node(sp, stack);
  tls.sp = sp + 1;
}
// In line up to the entry point that the program calls: there the stack pointer is at the return address into the
// function that was entered.
template <uint32_t kMark = 0>
__attribute__((always_inline)) inline void push_frame(uintptr_t pc) {
  push_frame_at(pc, stack_pointer() | kMark);
}
inline void pop_frame() {
  if (__builtin_expect(tls.sp != tls.base, 1)) --tls.sp;
}

}  // namespace deadheat::live
