// The functions that programs call to ask the run time: stacks and symbols, memory, where reports go, what happens when
// it ends the program.
#include <malloc.h>

#include <atomic>

#include "live/api.h"

using namespace deadheat::live;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

bool is_block(const volatile void* block, HeapBlock& found) {
  return block != nullptr && heap_block_of(block, found) && !found.freed &&
         found.begin == reinterpret_cast<uintptr_t>(block);
}

}  // namespace

EXPORT void __sanitizer_print_stack_trace() {
  Entry entry(DEADHEAT_CALLER);
  print_call_stack(entry);
}
EXPORT void __sanitizer_symbolize_pc(void* pc, const char* format, char* buffer, size_t capacity) {
  describe_code(pc, format, buffer, capacity);
}
EXPORT void __sanitizer_symbolize_global(void* data, const char* format, char* buffer, size_t capacity) {
  describe_data(data, format, buffer, capacity);
}
EXPORT int __sanitizer_get_module_and_offset_for_pc(void* pc, char* path, size_t capacity, void** offset) {
  uintptr_t in_module;
  if (!module_path(pc, path, capacity, in_module)) return 0;
  if (offset != nullptr) *offset = reinterpret_cast<void*>(in_module);
  return 1;
}

EXPORT void __sanitizer_set_death_callback(void (*callback)()) { set_death_callback(callback); }
EXPORT void __sanitizer_set_report_fd(void* fd) { set_report_file(static_cast<int>(reinterpret_cast<intptr_t>(fd))); }
EXPORT void __sanitizer_set_report_path(const char* path) { set_report_path(path); }
EXPORT const char* __sanitizer_get_report_path() { return report_path(); }
EXPORT void __sanitizer_report_error_summary(const char* summary) { print_summary(summary); }
EXPORT int __sanitizer_acquire_crash_state() {
  static std::atomic<bool> taken{false};
  return taken.exchange(true) ? 0 : 1;
}
EXPORT int __sanitizer_install_malloc_and_free_hooks(TakenHook taken, GivenHook given) {
  return add_heap_hooks(taken, given) ? 1 : 0;
}

// ---- the heap: glibc's own, so these say what it says ----

EXPORT size_t __sanitizer_get_estimated_allocated_size(size_t bytes) { return bytes; }
EXPORT int __sanitizer_get_ownership(const volatile void* block) {
  HeapBlock found;
  return is_block(block, found) ? 1 : 0;
}
EXPORT size_t __sanitizer_get_allocated_size(const volatile void* block) {
  HeapBlock found;
  return is_block(block, found) ? found.bytes : 0;
}
EXPORT const void* __sanitizer_get_allocated_begin(const void* inside) {
  HeapBlock found;
  if (inside == nullptr || !heap_block_of(inside, found) || found.freed) return nullptr;
  return reinterpret_cast<const void*>(found.begin);
}
EXPORT size_t __sanitizer_get_current_allocated_bytes() { return mallinfo2().uordblks + mallinfo2().hblkhd; }
EXPORT size_t __sanitizer_get_heap_size() { return mallinfo2().arena + mallinfo2().hblkhd; }
EXPORT size_t __sanitizer_get_free_bytes() { return mallinfo2().fordblks; }
EXPORT size_t __sanitizer_get_unmapped_bytes() { return 0; }
EXPORT void __sanitizer_purge_allocator() { malloc_trim(0); }
