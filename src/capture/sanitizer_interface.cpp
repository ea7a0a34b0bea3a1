// The functions that programs call to ask the run time: stacks and symbols, memory, where reports go, what happens when
// it ends the program.
#include <malloc.h>

#include "base/text.h"
#include "live/api.h"
#include "live/ground/inside.h"
#include "live/ground/message.h"
#include "live/ground/options.h"
#include "live/process/blocks.h"
#include "live/process/modules.h"
#include "live/report/log.h"
#include "live/report/report.h"
#include "live/report/report_session.h"

using namespace deadheat::live;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

void copy_out(char* to, size_t capacity, const char* from) {
  if (capacity == 0) return;
  size_t i = 0;
  for (; from[i] != 0 && i + 1 < capacity; ++i) to[i] = from[i];
  to[i] = 0;
}

bool is_block(const volatile void* block) {
  Block found;
  return block != nullptr && block_of(reinterpret_cast<uintptr_t>(block), found) && !found.freed &&
         found.begin == reinterpret_cast<uintptr_t>(block);
}

}  // namespace

EXPORT void __sanitizer_print_stack_trace() {
  Entry entry(DEADHEAT_CALLER);
  Thread* t = entry.thread();
  if (t == nullptr) return;
  in_session(SessionFor::kQuestion, [&](Session& session) {
    ReportStack& stack = session.finding.creation;
    fill_stack(stack, t->stack_cache.child(context_node(*t), frame_key(entry.pc())));
    GrowingText text;
    add_stack(text, stack);
    text.put('\n');
    write_log(text.data(), text.size());
  });
}

// The texts of a place, inlined functions included, each ended by a zero and all by an empty one.
EXPORT void __sanitizer_symbolize_pc(void* pc, const char* format, char* buffer, size_t capacity) {
  if (capacity == 0) return;
  size_t used = 0;
  in_session(SessionFor::kQuestion, [&](Session& session) {
    ReportStack& stack = session.finding.creation;
    stack.count = 0;
    add_code_place(stack, reinterpret_cast<uintptr_t>(pc));
    for (unsigned i = 0; i < stack.count && used + 1 < capacity; ++i) {
      GrowingText text;
      add_frame(text, stack.frames[i], i, format);
      copy_out(buffer + used, capacity - used - 1, text.data());
      while (buffer[used] != 0) ++used;
      ++used;
    }
  });
  buffer[used < capacity ? used : capacity - 1] = 0;
}
EXPORT void __sanitizer_symbolize_global(void* data, const char* format, char* buffer, size_t capacity) {
  if (capacity == 0) return;
  buffer[0] = 0;
  in_session(SessionFor::kQuestion, [&](Session&) {
    Module module;
    const uintptr_t address = reinterpret_cast<uintptr_t>(data);
    const char* name = nullptr;
    uintptr_t start = 0;
    size_t size = 0;
    if (!module_of(address, module) || !symbolize_data(module, address - module.bias, name, start, size)) return;
    GrowingText text;
    for (; *format != 0; ++format) {
      if (*format == '%' && format[1] == 'g') {
        text.put(name);
        ++format;
      } else {
        text.put(*format);
      }
    }
    copy_out(buffer, capacity, text.data());
  });
}
EXPORT int __sanitizer_get_module_and_offset_for_pc(void* pc, char* path, size_t capacity, void** offset) {
  Module module;
  const uintptr_t address = reinterpret_cast<uintptr_t>(pc);
  if (!module_of(address, module)) return 0;
  if (path != nullptr) copy_out(path, capacity, module.path);
  if (offset != nullptr) *offset = reinterpret_cast<void*>(address - module.bias);
  return 1;
}

EXPORT void __sanitizer_set_death_callback(void (*callback)()) { set_death_callback(callback); }
EXPORT void __sanitizer_set_report_fd(void* fd) { set_log(static_cast<int>(reinterpret_cast<intptr_t>(fd))); }
EXPORT void __sanitizer_set_report_path(const char* path) {
  if (path == nullptr || !options.log_path.assign(path)) return;
  open_log();
}
EXPORT const char* __sanitizer_get_report_path() { return options.log_path.c_str(); }
EXPORT void __sanitizer_report_error_summary(const char* summary) {
  const Inside inside;
  GrowingText text;
  text.add("SUMMARY: ThreadSanitizer: %s\n", summary);
  write_log(text.data(), text.size());
}
EXPORT int __sanitizer_acquire_crash_state() {
  static std::atomic<bool> taken{false};
  return taken.exchange(true) ? 0 : 1;
}
EXPORT int __sanitizer_install_malloc_and_free_hooks(TakenHook taken, GivenHook given) {
  return add_heap_hooks(taken, given) ? 1 : 0;
}

// ---- the heap: glibc's own, so these say what it says ----

EXPORT size_t __sanitizer_get_estimated_allocated_size(size_t bytes) { return bytes; }
EXPORT int __sanitizer_get_ownership(const volatile void* block) { return is_block(block) ? 1 : 0; }
EXPORT size_t __sanitizer_get_allocated_size(const volatile void* block) {
  Block found;
  if (!is_block(block) || !block_of(reinterpret_cast<uintptr_t>(block), found)) return 0;
  return found.bytes;
}
EXPORT const void* __sanitizer_get_allocated_begin(const void* inside) {
  Block found;
  if (inside == nullptr || !block_of(reinterpret_cast<uintptr_t>(inside), found) || found.freed) return nullptr;
  return reinterpret_cast<const void*>(found.begin);
}
EXPORT size_t __sanitizer_get_current_allocated_bytes() { return mallinfo2().uordblks + mallinfo2().hblkhd; }
EXPORT size_t __sanitizer_get_heap_size() { return mallinfo2().arena + mallinfo2().hblkhd; }
EXPORT size_t __sanitizer_get_free_bytes() { return mallinfo2().fordblks; }
EXPORT size_t __sanitizer_get_unmapped_bytes() { return 0; }
EXPORT void __sanitizer_purge_allocator() { malloc_trim(0); }
