// Exceptions that several threads own: libstdc++ counts their owners in its own code, which is not instrumented.
//
// A thread that gives up its share of an exception (at the end of a handler or of a std::exception_ptr) publishes what
// it did with it. The last owner runs the destructor, which must learn all of that. So every thrown object gets a
// destructor of ours, which takes these clocks and then calls the object's own.
#include <cstdint>

#include "capture/foreign_layouts.h"
#include "capture/intercept.h"

using namespace deadheat::live;

namespace {

using Destructor = void (*)(void*);

// Keeps the destructor of a live exception.
void remember(void* object, Destructor destructor) {
  table_put(Table::kThrown, reinterpret_cast<uintptr_t>(object), reinterpret_cast<uintptr_t>(destructor));
}

void exception_gone(void* object) {
  {
    Entry entry(DEADHEAT_CALLER);
    acquire(entry, object);
    forget(object);
  }
  uint64_t destructor;
  if (table_take(Table::kThrown, reinterpret_cast<uintptr_t>(object), destructor) && destructor != 0)
    reinterpret_cast<Destructor>(destructor)(object);
}

void give_up(const Entry& entry, void* object) {
  if (object != nullptr) release(entry, object);
}

}  // namespace

DEADHEAT_REAL_OF(foreign::ExceptionHead**, __cxa_get_globals)

DEADHEAT_INTERCEPT(void, __cxa_throw, void* object, void* type, Destructor destructor) {
  remember(object, destructor);
  REAL(__cxa_throw)(object, type, exception_gone);
}
DEADHEAT_INTERCEPT(void*, __cxa_init_primary_exception, void* object, void* type, Destructor destructor) {
  remember(object, destructor);
  return REAL(__cxa_init_primary_exception)(object, type, exception_gone);
}
DEADHEAT_INTERCEPT(void, __cxa_end_catch) {
  {
    Entry entry(DEADHEAT_CALLER);
    give_up(entry, foreign::object_of(*REAL(__cxa_get_globals)()));
  }
  REAL(__cxa_end_catch)();
}
// std::exception_ptr::_M_release
DEADHEAT_INTERCEPT(void, _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv, void** pointer) {
  {
    Entry entry(DEADHEAT_CALLER);
    give_up(entry, *pointer);
  }
  REAL(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv)(pointer);
}
