// What follows from a use of the program's heap: calls of the program's hooks, and reports about signal handlers that
// use the heap.
#include "live/report/misuse.h"
#include "live/shadow/blocks.h"

extern "C" __attribute__((weak, visibility("default"))) void __sanitizer_malloc_hook(const volatile void*, size_t);
extern "C" __attribute__((weak, visibility("default"))) void __sanitizer_free_hook(const volatile void*);

namespace deadheat::live {

bool heap_hooks_set;

namespace {

constexpr unsigned kMostHooks = 5;
struct Hooks {
  TakenHook taken;
  GivenHook given;
};
Hooks hooks[kMostHooks];
unsigned hook_count;

void tell_handler(uintptr_t pc) {
  if (tls.in_handler == 0 || tls.busy != 0) return;
  Thread* t = current_thread();
  if (t != nullptr) report_unsafe_in_handler(t->stack_cache.child(context_node(*t), frame_key(pc)));
}

}  // namespace

void block_taken_hooks_slow(void* block, size_t bytes, uintptr_t pc) {
  tell_handler(pc);
  for (unsigned i = 0; i < hook_count; ++i)
    if (hooks[i].taken != nullptr) hooks[i].taken(block, bytes);
}

void block_given_hooks_slow(void* block, uintptr_t pc) {
  tell_handler(pc);
  for (unsigned i = 0; i < hook_count; ++i)
    if (hooks[i].given != nullptr) hooks[i].given(block);
}

bool add_heap_hooks(TakenHook taken, GivenHook given) {
  if (hook_count == kMostHooks) return false;
  hooks[hook_count++] = {taken, given};
  heap_hooks_set = true;
  return true;
}

void find_heap_hooks() {
  if (__sanitizer_malloc_hook != nullptr || __sanitizer_free_hook != nullptr)
    add_heap_hooks(__sanitizer_malloc_hook, __sanitizer_free_hook);
}

}  // namespace deadheat::live
