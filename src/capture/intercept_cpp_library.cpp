// What the C++ library does to shared objects in its own code, which is not instrumented: it counts owners, and it
// makes promises ready when a thread ends.
//
// An owner that gives up its share does a read-modify-write (acquire and release) of the count; the last owner frees
// the object. The clock is at the address of the shared object, inside its block. These have several owners:
//   - the message of std::logic_error, std::runtime_error and what is derived from them: the objects' first member;
//   - what a std::locale refers to: its only member. The classic one is not counted;
//   - what a std::filesystem_error refers to, by a std::shared_ptr after the members of std::system_error.
// Exceptions themselves are in intercept_exception.cpp. libc++ has the first under the same names, in the same form.
#include "capture/foreign_layouts.h"
#include "capture/intercept.h"

using namespace deadheat::live;

namespace {

void give_up_share(const Entry& entry, const void* shared) {
  if (shared == nullptr) return;
  acquire(entry, shared);
  release(entry, shared);
}

void give_up_message(const Entry& entry, const void* error) {
  give_up_share(entry, foreign::counted_message_of(error));
}

}  // namespace

#define DEADHEAT_GIVES_UP_MESSAGE(name)         \
  DEADHEAT_INTERCEPT(void, name, void* error) { \
    Entry entry(DEADHEAT_CALLER);               \
    give_up_message(entry, error);              \
    REAL(name)(error);                          \
  }
#define DEADHEAT_ASSIGNS_MESSAGE(name) \
  DEADHEAT_WATCHED(void*, name, (void* error, const void* from), give_up_message(entry, error), REAL(name)(error, from))
// Destructors (complete, base), as virtual functions too, and assignment.
DEADHEAT_GIVES_UP_MESSAGE(_ZNSt11logic_errorD1Ev)
DEADHEAT_GIVES_UP_MESSAGE(_ZNSt11logic_errorD2Ev)
DEADHEAT_ASSIGNS_MESSAGE(_ZNSt11logic_erroraSERKS_)
DEADHEAT_GIVES_UP_MESSAGE(_ZNSt13runtime_errorD1Ev)
DEADHEAT_GIVES_UP_MESSAGE(_ZNSt13runtime_errorD2Ev)
DEADHEAT_ASSIGNS_MESSAGE(_ZNSt13runtime_erroraSERKS_)

// ---- locales ----

DEADHEAT_REAL_OF(const void*, _ZNSt6locale7classicEv)

namespace {

void give_up_locale(const Entry& entry, const void* locale) {
  const void* implementation = foreign::implementation_of(locale);
  if (implementation != foreign::implementation_of(REAL(_ZNSt6locale7classicEv)()))
    give_up_share(entry, implementation);
}

}  // namespace

DEADHEAT_INTERCEPT(void, _ZNSt6localeD1Ev, void* locale) {
  Entry entry(DEADHEAT_CALLER);
  give_up_locale(entry, locale);
  REAL(_ZNSt6localeD1Ev)(locale);
}
DEADHEAT_WATCHED(void*, _ZNSt6localeaSERKS_, (void* locale, const void* from), give_up_locale(entry, locale),
                 REAL(_ZNSt6localeaSERKS_)(locale, from))

// ---- filesystem_error ----

DEADHEAT_INTERCEPT(void, _ZNSt10filesystem7__cxx1116filesystem_errorD1Ev, void* error) {
  Entry entry(DEADHEAT_CALLER);
  give_up_share(entry, foreign::shared_by(error));
  REAL(_ZNSt10filesystem7__cxx1116filesystem_errorD1Ev)(error);
}

// ---- promises: set_value_at_thread_exit ----

namespace {

using foreign::AtThreadExit;
void (*make_ready)(void*);

void making_ready(void* data) {
  const AtThreadExit& element = *static_cast<AtThreadExit*>(data);
  if (element.owners() != 0) {  // else nobody is left to ask for the result
    Entry entry(DEADHEAT_CALLER);
    release(entry, element.status());
  }
  __atomic_load_n(&make_ready, __ATOMIC_RELAXED)(data);
}

}  // namespace

// std::__future_base::_State_baseV2::_Make_ready::_M_set: has its element called at the end of this thread.
DEADHEAT_INTERCEPT(void, _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv, AtThreadExit* element) {
  REAL(_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv)(element);
  __atomic_store_n(&make_ready, element->callback, __ATOMIC_RELAXED);
  element->callback = making_ready;
}
