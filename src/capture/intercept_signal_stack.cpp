// Alternative stacks for signal handlers: a stack of the smallest size that the system accepts has no room for our
// code, nor for the dynamic linker when it binds our first calls. So we give the system a larger stack in its place. A
// program that asks for its stack gets its own.
// Tested by test/programs/quiet_small_signal_stack.c
#include <signal.h>

#include "capture/intercept.h"
#include "capture/signal_stack.h"

namespace deadheat::live {
namespace {

constexpr size_t kEnough = size_t{64} << 10;

struct Larger {
  void* memory;
  stack_t given;  // by the program
};
// Of the thread; made when it is first needed.
constinit __thread Larger* larger __attribute__((tls_model("initial-exec"))) = nullptr;

bool is_small(const stack_t& stack) {
  constexpr size_t kLeast = 2048;  // less is the system's to refuse
  return (stack.ss_flags & SS_DISABLE) == 0 && stack.ss_size >= kLeast && stack.ss_size < kEnough;
}

bool have_larger() {
  if (larger != nullptr) return true;
  void* const memory = sys::reserve(kEnough);
  if (memory == nullptr) return false;
  fresh_range(memory, kEnough);
  larger = make<Larger>(memory, stack_t{});
  return true;
}

}  // namespace
}  // namespace deadheat::live

using namespace deadheat::live;

DEADHEAT_INTERCEPT(int, sigaltstack, const stack_t* wanted, stack_t* old) {
  Entry entry(DEADHEAT_CALLER);
  if (!entry.watched()) return REAL(sigaltstack)(wanted, old);
  stack_t ours = {}, before = {};
  const bool replaced = wanted != nullptr && is_small(*wanted) && have_larger();
  if (replaced) {
    ours = *wanted;
    ours.ss_sp = larger->memory;
    ours.ss_size = kEnough;
  }
  const int result = REAL(sigaltstack)(replaced ? &ours : wanted, &before);
  if (result != 0) return result;
  if (larger != nullptr && before.ss_sp == larger->memory) {
    before.ss_sp = larger->given.ss_sp;
    before.ss_size = larger->given.ss_size;
  }
  if (replaced) larger->given = *wanted;
  if (old != nullptr) *old = before;
  return result;
}

namespace deadheat::live {

void leave_signal_stack() {
  if (larger == nullptr) return;
  stack_t now = {};
  const bool ours = REAL(sigaltstack)(nullptr, &now) == 0 && now.ss_sp == larger->memory;
  if (ours && REAL(sigaltstack)(&larger->given, nullptr) != 0) return;  // the thread ends in a handler, on this stack
  sys::unmap(larger->memory, kEnough);
  unmake(larger);
  larger = nullptr;
}

}  // namespace deadheat::live
