#include "runtime/definitions.h"

#include <link.h>

#include <cstdint>

#include "base/text.h"

namespace deadheat::live {
namespace {

struct Tables {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Half) * versions = nullptr;
  const uint32_t* gnu_hash = nullptr;
  const uint32_t* hash = nullptr;
};

Tables tables_of(const link_map& module) {
  Tables found;
  // Addresses in it are relocated for all modules but the kernel's own.
  const auto at = [&](uintptr_t value) { return value < module.l_addr ? value + module.l_addr : value; };
  for (const ElfW(Dyn)* d = module.l_ld; d->d_tag != DT_NULL; ++d) {
    const uintptr_t address = at(d->d_un.d_ptr);
    if (d->d_tag == DT_SYMTAB) found.symbols = reinterpret_cast<const ElfW(Sym)*>(address);
    if (d->d_tag == DT_STRTAB) found.names = reinterpret_cast<const char*>(address);
    if (d->d_tag == DT_VERSYM) found.versions = reinterpret_cast<const ElfW(Half)*>(address);
    if (d->d_tag == DT_GNU_HASH) found.gnu_hash = reinterpret_cast<const uint32_t*>(address);
    if (d->d_tag == DT_HASH) found.hash = reinterpret_cast<const uint32_t*>(address);
  }
  return found;
}

bool is_default_function(const Tables& tables, uint32_t number, const char* name) {
  const ElfW(Sym)& symbol = tables.symbols[number];
  const unsigned type = ELF64_ST_TYPE(symbol.st_info);
  constexpr ElfW(Half) kNotDefault = 0x8000;
  return symbol.st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE) &&
         (tables.versions == nullptr || (tables.versions[number] & kNotDefault) == 0) &&
         same_text(tables.names + symbol.st_name, name);
}

uint32_t gnu_hash_of(const char* name) {
  uint32_t h = 5381;
  for (; *name != 0; ++name) h = h * 33 + static_cast<unsigned char>(*name);
  return h;
}

// The number of the symbol, 0 if there is none.
//   gnu_hash: buckets, first symbol covered, words of the filter, shift | filter | buckets | a chain for each bucket:
//   the hashes of its symbols, the lowest bit set in the last
uint32_t number_of(const Tables& tables, const char* name, uint32_t hash) {
  if (tables.symbols == nullptr || tables.names == nullptr) return 0;
  if (tables.gnu_hash == nullptr) {
    const uint32_t count = tables.hash == nullptr ? 0 : tables.hash[1];
    for (uint32_t i = 1; i < count; ++i)
      if (is_default_function(tables, i, name)) return i;
    return 0;
  }
  const uint32_t bucket_count = tables.gnu_hash[0], first = tables.gnu_hash[1];
  const uint32_t* buckets = tables.gnu_hash + 4 + size_t{tables.gnu_hash[2]} * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
  const uint32_t* chains = buckets + bucket_count;
  if (bucket_count == 0) return 0;
  uint32_t i = buckets[hash % bucket_count];
  if (i < first) return 0;
  for (;; ++i) {
    const uint32_t entry = chains[i - first];
    if ((entry | 1) == (hash | 1) && is_default_function(tables, i, name)) return i;
    if ((entry & 1) != 0) return 0;
  }
}

void* definition_in(const link_map& module, const char* name, uint32_t hash) {
  const Tables tables = tables_of(module);
  const uint32_t number = number_of(tables, name, hash);
  if (number == 0) return nullptr;
  const uintptr_t address = module.l_addr + tables.symbols[number].st_value;
  // The function at the address chooses the one for this processor.
  if (ELF64_ST_TYPE(tables.symbols[number].st_info) == STT_GNU_IFUNC) return reinterpret_cast<void* (*)()>(address)();
  return reinterpret_cast<void*>(address);
}

}  // namespace

void* find_definition(const char* name) {
  const uint32_t hash = gnu_hash_of(name);
  const link_map* ours = _r_debug.r_map;
  while (ours != nullptr && ours->l_ld != _DYNAMIC) ours = ours->l_next;
  for (const link_map* m = ours == nullptr ? nullptr : ours->l_next; m != nullptr; m = m->l_next)
    if (void* found = definition_in(*m, name, hash)) return found;
  for (const link_map* m = _r_debug.r_map; m != ours; m = m->l_next)
    if (void* found = definition_in(*m, name, hash)) return found;
  return nullptr;
}

}  // namespace deadheat::live
