#include "live/process/call_stack.h"

#include <unwind.h>

#include "live/modules/definitions.h"
#include "live/order/thread.h"

namespace deadheat::live {
namespace {

constexpr unsigned kMostFrames = 32;

struct Walk {
  uintptr_t from;   // return address of the interceptor
  uintptr_t until;  // that of the innermost instrumented function
  bool inside = false, complete = false;
  unsigned count = 0;
  uintptr_t frames[kMostFrames] = {};
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  const uintptr_t pc = _Unwind_GetIP(context);
  if (pc == walk.until && walk.inside) {
    walk.complete = true;
    return _URC_END_OF_STACK;
  }
  if (pc == walk.from) walk.inside = true;
  if (!walk.inside) return _URC_NO_REASON;
  if (walk.count == kMostFrames) return _URC_END_OF_STACK;
  walk.frames[walk.count++] = pc;
  return _URC_NO_REASON;
}

}  // namespace

NodeId call_stack(Thread& t, uintptr_t pc) {
  using Backtrace = _Unwind_Reason_Code(_Unwind_Trace_Fn, void*);
  static std::atomic<Backtrace*> backtrace;
  Backtrace* walk_stack = backtrace.load(std::memory_order_relaxed);
  if (walk_stack == nullptr) {
    // Not linked to: plain C programs have none, and need none.
    walk_stack = reinterpret_cast<Backtrace*>(find_definition("_Unwind_Backtrace"));
    backtrace.store(walk_stack, std::memory_order_relaxed);
  }
  const NodeId plain = context_node(t);
  NodeId node = plain;
  if (walk_stack != nullptr && tls.sp - tls.base >= 2) {
    Walk walk{.from = tls.sp[-1].pc, .until = tls.sp[-2].pc};
    walk_stack(step, &walk);
    if (walk.complete) {
      node = node_at(plain).parent;
      for (unsigned i = walk.count; i-- > 0;) node = t.stack_cache.child(node, frame_key(walk.frames[i]));
    }
  }
  return t.stack_cache.child(node, frame_key(pc));
}

}  // namespace deadheat::live
