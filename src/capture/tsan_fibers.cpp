// Fibers: threads of the program's own making, of which one at a time runs on a thread of the system.
//
// Unless told otherwise, a switch orders what was done before it before what the fiber does next.
#include "live/api.h"

using namespace deadheat::live;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {
constexpr unsigned kNoSync = 1;
}  // namespace

EXPORT void* __tsan_get_current_fiber() { return fiber_current(); }
EXPORT void* __tsan_create_fiber(unsigned) {
  Entry entry(DEADHEAT_CALLER);
  return fiber_create(entry);
}
EXPORT void __tsan_destroy_fiber(void* handle) { fiber_destroy(static_cast<Fiber*>(handle)); }

EXPORT void __tsan_switch_to_fiber(void* handle, unsigned flags) {
  Fiber* const fiber = static_cast<Fiber*>(handle);
  Fiber* const now = fiber_current();
  if (fiber == nullptr || now == nullptr || fiber == now) return;
  const Entry entry(Called::kNone, DEADHEAT_CALLER);  // a frame would stay on the stack of the fiber that is left
  fiber_switch(entry, fiber, (flags & kNoSync) == 0);
}

EXPORT void __tsan_set_fiber_name(void* handle, const char* name) { fiber_named(static_cast<Fiber*>(handle), name); }
