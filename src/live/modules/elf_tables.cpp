#include "live/modules/elf_tables.h"

#include "base/text.h"
#include "live/ground/sys.h"
#include "live/modules/module_table.h"

namespace deadheat::live {
namespace {

bool is_default_function(const ElfTables& tables, uint32_t number, const char* name) {
  const ElfW(Sym)& symbol = tables.symbols[number];
  const unsigned type = ELF64_ST_TYPE(symbol.st_info);
  constexpr ElfW(Half) kNotDefault = 0x8000;
  return symbol.st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE) &&
         (tables.versions == nullptr || (tables.versions[number] & kNotDefault) == 0) &&
         same_text(tables.name_of(symbol), name);
}

}  // namespace

uint32_t elf_hash_of(const char* name) {
  uint32_t h = 5381;
  for (; *name != 0; ++name) h = h * 33 + static_cast<unsigned char>(*name);
  return h;
}

//   gnu_hash: buckets, first symbol covered, words of the filter, shift | filter | buckets | a chain for each bucket:
//   the hashes of its symbols, the lowest bit set in the last
const ElfW(Sym) * elf_function(const ElfTables& tables, const char* name, uint32_t hash) {
  if (tables.symbols == nullptr || tables.names == nullptr) return nullptr;
  if (tables.gnu_hash == nullptr) {
    const uint32_t count = tables.hash == nullptr ? 0 : tables.hash[1];
    for (uint32_t i = 1; i < count; ++i)
      if (is_default_function(tables, i, name)) return &tables.symbols[i];
    return nullptr;
  }
  const uint32_t bucket_count = tables.gnu_hash[0], first = tables.gnu_hash[1];
  const uint32_t* buckets = tables.gnu_hash + 4 + size_t{tables.gnu_hash[2]} * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
  const uint32_t* chains = buckets + bucket_count;
  if (bucket_count == 0) return nullptr;
  uint32_t i = buckets[hash % bucket_count];
  if (i < first) return nullptr;
  for (;; ++i) {
    const uint32_t entry = chains[i - first];
    if ((entry | 1) == (hash | 1) && is_default_function(tables, i, name)) return &tables.symbols[i];
    if ((entry & 1) != 0) return nullptr;
  }
}

const char* elf_function_at(const ElfTables& tables, uintptr_t address) {
  if (tables.symbols == nullptr || tables.names == nullptr || tables.gnu_hash == nullptr) return nullptr;
  const uint32_t bucket_count = tables.gnu_hash[0], first = tables.gnu_hash[1];
  const uint32_t* buckets = tables.gnu_hash + 4 + size_t{tables.gnu_hash[2]} * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
  const uint32_t* chains = buckets + bucket_count;
  const char* found = nullptr;
  for (uint32_t bucket = 0; bucket < bucket_count; ++bucket) {
    if (buckets[bucket] < first) continue;
    for (uint32_t i = buckets[bucket];; ++i) {
      const ElfW(Sym)& symbol = tables.symbols[i];
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && address >= symbol.st_value &&
          address < symbol.st_value + symbol.st_size && (found == nullptr || found[0] == '_'))
        found = tables.name_of(symbol);
      if ((chains[i - first] & 1) != 0) break;
    }
  }
  return found;
}

// The table of symbols does not say how long it is. Those that are imported come before those that the hash table
// covers, and where that covers none and does not say where it would begin, relocations name the imports in use.
uint32_t elf_imports_end(const ElfTables& tables) {
  if (tables.symbols == nullptr || tables.names == nullptr) return 0;
  if (tables.gnu_hash != nullptr && tables.gnu_hash[1] > 1) return tables.gnu_hash[1];
  if (tables.hash != nullptr) return tables.hash[1];
  uint32_t end = 0;
  for (const ElfTables::Relocations& part : {tables.data, tables.calls})
    for (size_t i = 0; i < part.bytes / sizeof(ElfW(Rela)); ++i)
      if (const uint32_t symbol = static_cast<uint32_t>(ELF64_R_SYM(part.first[i].r_info)); symbol >= end)
        end = symbol + 1;
  return end;
}

ElfTables elf_tables(uintptr_t address, const ElfW(Dyn) * dynamic) {
  ElfTables found;
  // Addresses in it are relocated for all modules but the kernel's own.
  const auto at = [&](uintptr_t value) { return value < address ? value + address : value; };
  for (const ElfW(Dyn)* d = dynamic; d->d_tag != DT_NULL; ++d) {
    const uintptr_t value = at(d->d_un.d_ptr);
    if (d->d_tag == DT_SYMTAB) found.symbols = reinterpret_cast<const ElfW(Sym)*>(value);
    if (d->d_tag == DT_STRTAB) found.names = reinterpret_cast<const char*>(value);
    if (d->d_tag == DT_STRSZ) found.names_bytes = d->d_un.d_val;
    if (d->d_tag == DT_VERSYM) found.versions = reinterpret_cast<const ElfW(Half)*>(value);
    if (d->d_tag == DT_GNU_HASH) found.gnu_hash = reinterpret_cast<const uint32_t*>(value);
    if (d->d_tag == DT_HASH) found.hash = reinterpret_cast<const uint32_t*>(value);
    if (d->d_tag == DT_RELA) found.data.first = reinterpret_cast<const ElfW(Rela)*>(value);
    if (d->d_tag == DT_RELASZ) found.data.bytes = d->d_un.d_val;
    if (d->d_tag == DT_JMPREL) found.calls.first = reinterpret_cast<const ElfW(Rela)*>(value);
    if (d->d_tag == DT_PLTRELSZ) found.calls.bytes = d->d_un.d_val;
  }
  return found;
}

template <class T>
bool ElfCopy::copy(const T*& part, size_t bytes) {
  if (part == nullptr || bytes == 0) return true;
  void* const to = sys::reserve(bytes);
  if (to == nullptr) return false;
  parts_[part_count_++] = {to, bytes};
  const uintptr_t from = reinterpret_cast<uintptr_t>(part);
  part = static_cast<const T*>(to);
  return copy_if_there(to, from, bytes);
}

ElfCopy::ElfCopy(uintptr_t address, const ElfW(Dyn) * dynamic) {
  constexpr size_t kMost = 128;  // entries of a dynamic section; modules have about 40
  ElfW(Dyn) entries[kMost + 1];
  for (size_t i = 0; i < kMost; ++i) {
    if (!copy_if_there(&entries[i], reinterpret_cast<uintptr_t>(dynamic + i), sizeof entries[i])) return;
    if (entries[i].d_tag == DT_NULL) break;
  }
  entries[kMost].d_tag = DT_NULL;
  ElfTables found = elf_tables(address, entries);
  if (found.symbols == nullptr || found.names == nullptr) return;
  if (!copy(found.gnu_hash, 4 * sizeof(uint32_t)) || !copy(found.hash, 2 * sizeof(uint32_t)) ||
      !copy(found.data.first, found.data.bytes) || !copy(found.calls.first, found.calls.bytes))
    return;
  const uint32_t end = elf_imports_end(found);
  if (!copy(found.symbols, end * sizeof(ElfW(Sym))) || !copy(found.names, found.names_bytes)) return;
  tables_ = found;
}

ElfCopy::~ElfCopy() {
  for (unsigned i = 0; i < part_count_; ++i) sys::unmap(parts_[i].at, parts_[i].bytes);
}

ElfTables elf_tables(const dl_phdr_info& module) {
  for (int i = 0; i < module.dlpi_phnum; ++i)
    if (module.dlpi_phdr[i].p_type == PT_DYNAMIC)
      return elf_tables(module.dlpi_addr,
                        reinterpret_cast<const ElfW(Dyn)*>(module.dlpi_addr + module.dlpi_phdr[i].p_vaddr));
  return {};
}

}  // namespace deadheat::live
