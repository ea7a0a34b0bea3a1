#include "runtime/loaded.h"

#include <link.h>

#include "base/text.h"
#include "runtime/lifecycle.h"
#include "runtime/message.h"
#include "runtime/modules.h"
#include "runtime/report.h"
#include "runtime/spin_lock.h"
#include "runtime/thread.h"

namespace deadheat::live {

bool callers_filtered;

namespace {

struct Loaded {
  uintptr_t begin, end;
  bool instrumented;
  bool ignored;
  char path[256];
};
constexpr unsigned kMost = 512;

// Guarded by the lock.
constinit SpinLock table_lock;
Loaded table[kMost];
unsigned count;

struct Dynamic {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const uint32_t* gnu_hash = nullptr;
  const uint32_t* hash = nullptr;
};

Dynamic dynamic_of(const dl_phdr_info& info) {
  Dynamic found;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    // Addresses in it are relocated for all modules but the kernel's own.
    const auto at = [&](uintptr_t value) { return value < info.dlpi_addr ? value + info.dlpi_addr : value; };
    for (const auto* d = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
         d->d_tag != DT_NULL; ++d) {
      if (d->d_tag == DT_SYMTAB) found.symbols = reinterpret_cast<const ElfW(Sym)*>(at(d->d_un.d_ptr));
      if (d->d_tag == DT_STRTAB) found.names = reinterpret_cast<const char*>(at(d->d_un.d_ptr));
      if (d->d_tag == DT_GNU_HASH) found.gnu_hash = reinterpret_cast<const uint32_t*>(at(d->d_un.d_ptr));
      if (d->d_tag == DT_HASH) found.hash = reinterpret_cast<const uint32_t*>(at(d->d_un.d_ptr));
    }
  }
  return found;
}

// Imports come before the symbols that the hash table covers.
uint32_t imports_end(const Dynamic& d) {
  if (d.gnu_hash != nullptr) return d.gnu_hash[1];
  return d.hash != nullptr ? d.hash[1] : 0;
}

bool imports_entry_points(const dl_phdr_info& info) {
  const Dynamic d = dynamic_of(info);
  if (d.symbols == nullptr || d.names == nullptr) return false;
  for (uint32_t i = 1, end = imports_end(d); i < end; ++i) {
    const char* name = d.names + d.symbols[i].st_name;
    if (same_text(name, "__tsan_func_entry") || same_text(name, "__tsan_init")) return true;
  }
  return false;
}

void add_module(const dl_phdr_info& info) {
  if (count == kMost) return;
  Loaded& module = table[count++];
  module = {};
  module.begin = ~uintptr_t{0};
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type != PT_LOAD) continue;
    const uintptr_t begin = info.dlpi_addr + info.dlpi_phdr[i].p_vaddr;
    if (begin < module.begin) module.begin = begin;
    if (begin + info.dlpi_phdr[i].p_memsz > module.end) module.end = begin + info.dlpi_phdr[i].p_memsz;
  }
  Text path(module.path, sizeof module.path);
  path.put(info.dlpi_name == nullptr || info.dlpi_name[0] == 0 ? program_name() : info.dlpi_name);
  module.instrumented = imports_entry_points(info);
  const uintptr_t ours = reinterpret_cast<uintptr_t>(&add_module);
  if (ours >= module.begin && ours < module.end) module.instrumented = true;
  module.ignored =
      (options.ignore_noninstrumented_modules && !module.instrumented) || called_from_suppressed_library(module.path);
}

void look_around() {
  count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void*) {
        add_module(*info);
        return 0;
      },
      nullptr);
}

const Loaded* module_at(uintptr_t pc) {
  for (unsigned i = 0; i < count; ++i)
    if (pc >= table[i].begin && pc < table[i].end) return &table[i];
  return nullptr;
}

}  // namespace

void find_out_whether_callers_are_filtered() {
  callers_filtered = options.ignore_noninstrumented_modules || libraries_suppressed();
}

namespace {

const Loaded* module_of_code(uintptr_t pc) {
  if (const Loaded* module = module_at(pc)) return module;
  look_around();
  return module_at(pc);
}

}  // namespace

bool caller_ignored_slow(uintptr_t pc) {
  const BusyGuard held(table_lock);
  const Loaded* module = module_of_code(pc);
  return module != nullptr && module->ignored;
}

bool instrumented_at(uintptr_t pc) {
  const BusyGuard held(table_lock);
  const Loaded* module = module_of_code(pc);
  return module != nullptr && module->instrumented;
}

size_t loaded_ranges(CodeRange* ranges, size_t capacity) {
  struct Out {
    CodeRange* ranges;
    size_t used, capacity;
  } out{ranges, 0, capacity};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        Out& to = *static_cast<Out*>(data);
        for (int i = 0; i < info->dlpi_phnum && to.used < to.capacity; ++i) {
          const auto& part = info->dlpi_phdr[i];
          if (part.p_type == PT_LOAD)
            to.ranges[to.used++] = {info->dlpi_addr + part.p_vaddr, info->dlpi_addr + part.p_vaddr + part.p_memsz};
        }
        return 0;
      },
      &out);
  return out.used;
}

void forget_loaded() {
  const BusyGuard held(table_lock);
  count = 0;
}

void list_modules_without_instrumentation() {
  const BusyGuard held(table_lock);
  look_around();
  char line[400];
  for (unsigned i = 0; i < count; ++i) {
    if (table[i].instrumented) continue;
    Text text(line, sizeof line);
    text.add("deadheat: not instrumented, so its own accesses were not seen: %s\n", table[i].path);
    write_log(text.data(), text.size());
  }
}

}  // namespace deadheat::live
