#include "cli/elf_program.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <string_view>

namespace deadheat::cli {
namespace {

std::string_view text_at(Elf* file, size_t strings, size_t offset) {
  const char* const text = elf_strptr(file, strings, offset);
  return text == nullptr ? std::string_view() : text;
}

// The tables that loaders and debuggers use; stripped programs keep the first.
void read_symbols(Elf* file, const GElf_Shdr& section, Elf_Data* data, ElfProgram& program) {
  GElf_Sym symbol;
  for (int i = 0; gelf_getsym(data, i, &symbol) != nullptr; ++i) {
    const std::string_view name = text_at(file, section.sh_link, symbol.st_name);
    if (!name.starts_with("__tsan_")) continue;
    // Programs may define hooks such as __tsan_default_options; only a run time defines these.
    if (symbol.st_shndx == SHN_UNDEF)
      program.calls_run_time = true;
    else if (name == "__tsan_init" || name == "__tsan_func_entry")
      program.contains_run_time = true;
  }
}

void read_dynamic(Elf* file, const GElf_Shdr& section, Elf_Data* data, ElfProgram& program) {
  GElf_Dyn entry;
  for (int i = 0; gelf_getdyn(data, i, &entry) != nullptr && entry.d_tag != DT_NULL; ++i) {
    if (entry.d_tag == DT_RPATH) program.has_rpath = true;
    if (entry.d_tag != DT_NEEDED) continue;
    const std::string_view name = text_at(file, section.sh_link, entry.d_un.d_val);
    if (name == "libtsan.so.2") program.needs_libtsan = true;
    if (name.starts_with("libtsan.so") || name.starts_with("libdeadheat.so")) program.calls_run_time = true;
  }
}

std::optional<ElfProgram> inspect(Elf* file) {
  GElf_Ehdr header;
  if (elf_kind(file) != ELF_K_ELF || gelf_getehdr(file, &header) == nullptr) return std::nullopt;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || (header.e_type != ET_EXEC && header.e_type != ET_DYN))
    return std::nullopt;
  ElfProgram program;
  program.is_static = true;
  size_t segments = 0;
  elf_getphdrnum(file, &segments);
  GElf_Phdr segment;
  for (size_t i = 0; i < segments && gelf_getphdr(file, static_cast<int>(i), &segment) != nullptr; ++i)
    if (segment.p_type == PT_INTERP) program.is_static = false;
  for (Elf_Scn* at = nullptr; (at = elf_nextscn(file, at)) != nullptr;) {
    GElf_Shdr section;
    if (gelf_getshdr(at, &section) == nullptr) continue;
    const bool has_symbols = section.sh_type == SHT_DYNSYM || section.sh_type == SHT_SYMTAB;
    if (!has_symbols && section.sh_type != SHT_DYNAMIC) continue;
    Elf_Data* const data = elf_getdata(at, nullptr);
    if (data == nullptr) continue;
    if (has_symbols)
      read_symbols(file, section, data, program);
    else
      read_dynamic(file, section, data, program);
  }
  return program;
}

}  // namespace

std::optional<ElfProgram> inspect_elf_file(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return std::nullopt;
  elf_version(EV_CURRENT);
  Elf* const file = elf_begin(descriptor, ELF_C_READ_MMAP, nullptr);
  const std::optional<ElfProgram> program = file == nullptr ? std::nullopt : inspect(file);
  elf_end(file);
  close(descriptor);
  return program;
}

}  // namespace deadheat::cli
