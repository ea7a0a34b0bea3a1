// The tables by which a loaded module names what it defines and what it needs, read where the dynamic linker put them.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

namespace deadheat::live {

struct ElfTables {
  struct Relocations {
    const ElfW(Rela) * first = nullptr;
    size_t bytes = 0;
  };
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Half) * versions = nullptr;
  const uint32_t* gnu_hash = nullptr;
  const uint32_t* hash = nullptr;
  Relocations data, calls;
  size_t names_bytes = 0;

  const char* name_of(const ElfW(Sym) & symbol) const { return names + symbol.st_name; }
};

// Of the module that lies at `address`, by its dynamic section.
ElfTables elf_tables(uintptr_t address, const ElfW(Dyn) * dynamic);
ElfTables elf_tables(const dl_phdr_info& module);

// The same of a module that may go away meanwhile: what names its imports, copied.
class ElfCopy {
 public:
  ElfCopy(uintptr_t address, const ElfW(Dyn) * dynamic);
  ~ElfCopy();
  ElfCopy(const ElfCopy&) = delete;
  ElfCopy& operator=(const ElfCopy&) = delete;
  const ElfTables& tables() const { return tables_; }  // empty if it was not there any more

 private:
  template <class T>
  bool copy(const T*& part, size_t bytes);

  static constexpr unsigned kMostParts = 6;
  struct Part {
    void* at;
    size_t bytes;
  } parts_[kMostParts] = {};
  unsigned part_count_ = 0;
  ElfTables tables_;
};

uint32_t elf_hash_of(const char* name);
// The symbol that defines the default version of the function; null if there is none.
const ElfW(Sym) * elf_function(const ElfTables& tables, const char* name, uint32_t hash);
// The name of the exported function with the address in it, which is as the file's own headers say; null if there is
// none. Of several names for one function a plain one, without underscores in front.
const char* elf_function_at(const ElfTables& tables, uintptr_t address);
// Symbols that are needed from elsewhere have smaller numbers than this; some that are defined have, too.
uint32_t elf_imports_end(const ElfTables& tables);

}  // namespace deadheat::live
