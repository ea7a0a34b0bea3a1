#include "live/modules/loaded.h"

#include <link.h>
#include <sys/auxv.h>

#include "base/text.h"
#include "live/ground/degraded.h"
#include "live/ground/inside.h"
#include "live/ground/options.h"
#include "live/ground/spin_lock.h"
#include "live/modules/elf_tables.h"
#include "live/modules/module_table.h"
#include "live/order/thread.h"

namespace deadheat::live {

bool callers_filtered;
constinit CodeRange loader = {0, 0};

void find_loader() {
  const uintptr_t base = getauxval(AT_BASE);
  if (base == 0) return;  // the program is the loader's own argument: it has no name for itself then
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(base);
  const auto* segments = reinterpret_cast<const ElfW(Phdr)*>(base + header->e_phoff);
  loader = {base, base};
  for (unsigned i = 0; i < header->e_phnum; ++i)
    if (segments[i].p_type == PT_LOAD) loader.end = base + segments[i].p_vaddr + segments[i].p_memsz;
}

namespace {

struct Loaded {
  uintptr_t begin, end;
  bool instrumented;
  bool ignored;
};
constexpr unsigned kMost = 512;

bool by_options;
uintptr_t ignored_begin, ignored_end;  // of one module, written once

// Guarded by the lock.
constinit SpinLock table_lock(Lock::kModules);
Loaded table[kMost];
unsigned count;
uint32_t generation;

template <class Visit>
void each_import_in(const ElfTables& tables, Visit visit) {
  for (uint32_t i = 1, end = elf_imports_end(tables); i < end; ++i)
    if (tables.symbols[i].st_shndx == SHN_UNDEF) visit(tables.name_of(tables.symbols[i]));
}

bool imports_entry_points(const ElfTables& tables) {
  bool found = false;
  each_import_in(tables, [&found](const char* name) {
    if (same_text(name, "__tsan_func_entry") || same_text(name, "__tsan_init")) found = true;
  });
  return found;
}

const char* shown_path(const dl_phdr_info& info) {
  return info.dlpi_name == nullptr || info.dlpi_name[0] == 0 ? program_name() : info.dlpi_name;
}

// The module may go away meanwhile, so a copy of its tables is read.
Loaded look_at(const Module& module) {
  Loaded found = {module.begin, module.end, module.ours, false};
  if (!found.instrumented) {
    const ElfCopy copy(module.bias, module.dynamic);
    found.instrumented = imports_entry_points(copy.tables());
  }
  const char* const path = same_text(module.path, program_path()) ? program_name() : module.path;
  found.ignored =
      (options.ignore_noninstrumented_modules && !found.instrumented) || called_from_suppressed_library(path);
  return found;
}

}  // namespace

DEADHEAT_TAKEN_AT_FORK(kModules, table_lock)

void find_out_whether_callers_are_filtered() {
  callers_filtered = by_options = options.ignore_noninstrumented_modules || libraries_suppressed();
}

namespace {

bool known_at(uintptr_t pc, Loaded& found, uint32_t& at) {
  const BusyGuard held(table_lock);
  at = generation;
  for (unsigned i = 0; i < count; ++i) {
    if (pc < table[i].begin || pc >= table[i].end) continue;
    found = table[i];
    return true;
  }
  return false;
}

// False if the address is in no module.
bool loaded_at(uintptr_t pc, Loaded& found) {
  uint32_t at;
  if (known_at(pc, found, at)) return true;
  const Inside inside;
  Module module;
  if (!module_of(pc, module)) return false;
  found = look_at(module);
  const SpinGuard held(table_lock);
  if (generation != at) return true;
  for (unsigned i = 0; i < count; ++i)
    if (table[i].begin == found.begin) return true;  // another thread was faster
  if (count < kMost)
    table[count++] = found;
  else
    note_degraded(Degradation::kModules);
  return true;
}

}  // namespace

void ignore_callers_in_module_of(uintptr_t address) {
  Module module;
  if (!module_of(address, module)) return;
  ignored_begin = module.begin;
  ignored_end = module.end;
  callers_filtered = true;
}

bool caller_ignored_slow(uintptr_t pc) {
  if (pc >= ignored_begin && pc < ignored_end) return true;
  Loaded found;
  return by_options && loaded_at(pc, found) && found.ignored;
}

bool instrumented_at(uintptr_t pc) {
  Loaded found;
  return loaded_at(pc, found) && found.instrumented;
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
  ++generation;
}

void each_loaded(void (*visit)(const LoadedModule& module, void* data), void* data) {
  struct Both {
    void (*visit)(const LoadedModule& module, void* data);
    void* data;
  } both{visit, data};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* to) {
        const ElfTables tables = elf_tables(*info);
        const Both& told = *static_cast<const Both*>(to);
        Module module;
        const bool ours = module_of(reinterpret_cast<uintptr_t>(tables.names), module) && module.ours;
        told.visit({shown_path(*info), ours || imports_entry_points(tables)}, told.data);
        return 0;
      },
      &both);
}

void each_import(void (*visit)(const Import& import, void* data), void* data) {
  struct Both {
    void (*visit)(const Import& import, void* data);
    void* data;
  } both{visit, data};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* to) {
        each_import_in(elf_tables(*info), [&](const char* name) {
          const Both& told = *static_cast<const Both*>(to);
          told.visit({shown_path(*info), name}, told.data);
        });
        return 0;
      },
      &both);
}

WhereDefined where_defined(const char* name) {
  struct Search {
    const char* name;
    uint32_t hash;
    WhereDefined found;
  } search{name, elf_hash_of(name), WhereDefined::kNowhere};
  // In the order in which the dynamic linker searches.
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        Search& to = *static_cast<Search*>(data);
        const ElfTables tables = elf_tables(*info);
        const ElfW(Sym)* const symbol = elf_function(tables, to.name, to.hash);
        if (symbol == nullptr) return 0;
        const uintptr_t at = info->dlpi_addr + symbol->st_value;
        Module module;
        if (module_of(at, module) && module.ours)
          to.found = ELF64_ST_BIND(symbol->st_info) == STB_GLOBAL ? WhereDefined::kInterceptor : WhereDefined::kForward;
        else
          to.found = imports_entry_points(tables) ? WhereDefined::kInstrumented : WhereDefined::kElsewhere;
        return to.found == WhereDefined::kForward ? 0 : 1;
      },
      &search);
  return search.found;
}

}  // namespace deadheat::live
