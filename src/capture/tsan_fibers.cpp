// Fibers: threads of the program's own making, of which one at a time runs on a thread of the system.
//
// A fiber has a clock, a number and a shadow stack as a thread has. A switch exchanges what the thread-local state
// points to; unless told otherwise it also orders what was done before it before what the fiber does next.
#include "live/api.h"
#include "live/ground/inside.h"
#include "live/order/thread.h"

using namespace deadheat::live;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr unsigned kNoSync = 1;

void put_aside() { tls.thread->fiber_sp = tls.sp; }

void take_up(Thread* fiber) {
  tls.thread = fiber;
  tls.base = static_cast<Frame*>(fiber->shadow_stack);
  tls.limit = tls.base + fiber->shadow_stack_bytes / sizeof(Frame);
  tls.sp = fiber->fiber_sp;
  set_current(*fiber, fiber->current);
}

}  // namespace

EXPORT void* __tsan_get_current_fiber() { return current_thread(); }

EXPORT void* __tsan_create_fiber(unsigned) {
  Entry entry(DEADHEAT_CALLER);
  Thread* t = entry.thread();
  if (t == nullptr) return nullptr;
  const Inside inside;
  Birth* birth = thread_create(*t, t->stack_cache.child(context_node(*t), frame_key(entry.pc())));
  thread_infos[birth->uid].joined_or_detached = true;  // nobody joins a fiber
  put_aside();
  thread_begin(birth, true);
  Thread* fiber = tls.thread;
  put_aside();
  take_up(t);
  return fiber;
}

EXPORT void __tsan_destroy_fiber(void* handle) {
  Thread* fiber = static_cast<Thread*>(handle);
  Thread* t = current_thread();
  if (fiber == nullptr || t == nullptr || fiber == t) return;
  const Inside inside;
  put_aside();
  take_up(fiber);
  thread_end(*fiber);
  take_up(t);
}

EXPORT void __tsan_switch_to_fiber(void* handle, unsigned flags) {
  Thread* fiber = static_cast<Thread*>(handle);
  if (fiber == nullptr || current_thread() == nullptr || fiber == tls.thread) return;
  if ((flags & kNoSync) == 0) {
    Entry entry(DEADHEAT_CALLER);
    release(entry, fiber);
  }
  {
    const Inside inside;
    put_aside();
    take_up(fiber);
  }
  if ((flags & kNoSync) == 0) {
    Entry entry(DEADHEAT_CALLER);
    acquire(entry, fiber);
  }
}

EXPORT void __tsan_set_fiber_name(void* handle, const char* name) {
  if (const Thread* fiber = static_cast<Thread*>(handle)) set_thread_name(fiber->uid, name);
}
