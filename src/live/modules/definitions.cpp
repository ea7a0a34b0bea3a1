#include "live/modules/definitions.h"

#include <link.h>

#include <cstdint>

#include "live/modules/elf_tables.h"

namespace deadheat::live {
namespace {

void* definition_in(const link_map& module, const char* name, uint32_t hash) {
  const ElfTables tables = elf_tables(module.l_addr, module.l_ld);
  const ElfW(Sym)* const symbol = elf_function(tables, name, hash);
  if (symbol == nullptr) return nullptr;
  const uintptr_t address = module.l_addr + symbol->st_value;
  // The function at the address chooses the one for this processor.
  if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC) return reinterpret_cast<void* (*)()>(address)();
  return reinterpret_cast<void*>(address);
}

const link_map* our_module() {
  const link_map* ours = _r_debug.r_map;
  while (ours != nullptr && ours->l_ld != _DYNAMIC) ours = ours->l_next;
  return ours;
}

// In a module from `from` on, up to `to`.
void* definition_between(const link_map* from, const link_map* to, const char* name) {
  const uint32_t hash = elf_hash_of(name);
  for (const link_map* m = from; m != to; m = m->l_next)
    if (void* found = definition_in(*m, name, hash)) return found;
  return nullptr;
}

void* definition_behind(const link_map* ours, const char* name) {
  return ours == nullptr ? nullptr : definition_between(ours->l_next, nullptr, name);
}

}  // namespace

void* find_definition(const char* name) {
  const link_map* const ours = our_module();
  if (void* const found = definition_behind(ours, name)) return found;
  return definition_between(_r_debug.r_map, ours, name);
}

bool is_in_time() { return definition_behind(our_module(), "pthread_create") != nullptr; }

}  // namespace deadheat::live
