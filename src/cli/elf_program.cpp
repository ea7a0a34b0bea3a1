#include "cli/elf_program.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

namespace deadheat::cli {
namespace {

class Reader {
 public:
  explicit Reader(std::span<const unsigned char> file) : file_(file) {}

  // A copy of the object at `offset`; zeros where the file ends before it.
  template <class T>
  T at(uint64_t offset) const {
    T object = {};
    if (offset <= file_.size() && sizeof(T) <= file_.size() - offset) std::memcpy(&object, &file_[offset], sizeof(T));
    return object;
  }
  std::string_view text_at(uint64_t offset) const {
    if (offset >= file_.size()) return {};
    const char* begin = reinterpret_cast<const char*>(&file_[offset]);
    return {begin, strnlen(begin, file_.size() - offset)};
  }

 private:
  std::span<const unsigned char> file_;
};

// Symbols of the tables that loaders and debuggers use, by section; stripped programs keep the first.
void read_symbols(const Reader& reader, const Elf64_Ehdr& header, ElfProgram& program) {
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto section = reader.at<Elf64_Shdr>(header.e_shoff + uint64_t{i} * sizeof(Elf64_Shdr));
    if (section.sh_type != SHT_DYNSYM && section.sh_type != SHT_SYMTAB) continue;
    const auto names = reader.at<Elf64_Shdr>(header.e_shoff + uint64_t{section.sh_link} * sizeof(Elf64_Shdr));
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = reader.at<Elf64_Sym>(section.sh_offset + at);
      if (symbol.st_name == 0) continue;
      const std::string_view name = reader.text_at(names.sh_offset + symbol.st_name);
      if (!name.starts_with("__tsan_")) continue;
      // Programs may define hooks such as __tsan_default_options; only a run time defines these.
      if (symbol.st_shndx == SHN_UNDEF)
        program.calls_run_time = true;
      else if (name == "__tsan_init" || name == "__tsan_func_entry")
        program.contains_run_time = true;
    }
  }
}

void read_dynamic(const Reader& reader, const Elf64_Phdr& dynamic, uint64_t strings, ElfProgram& program) {
  for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic.p_filesz; at += sizeof(Elf64_Dyn)) {
    const auto entry = reader.at<Elf64_Dyn>(dynamic.p_offset + at);
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_RPATH) program.has_rpath = true;
    if (entry.d_tag != DT_NEEDED || strings == 0) continue;
    const std::string_view name = reader.text_at(strings + entry.d_un.d_val);
    if (name == "libtsan.so.2") program.needs_libtsan = true;
    if (name.starts_with("libtsan.so") || name.starts_with("libdeadheat.so")) program.calls_run_time = true;
  }
}

}  // namespace

std::optional<ElfProgram> inspect_elf(std::span<const unsigned char> file) {
  const Reader reader(file);
  const auto header = reader.at<Elf64_Ehdr>(0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) return std::nullopt;
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) return std::nullopt;
  ElfProgram program;
  program.is_static = true;
  std::optional<Elf64_Phdr> dynamic;
  uint64_t strings = 0;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto segment = reader.at<Elf64_Phdr>(header.e_phoff + uint64_t{i} * sizeof(Elf64_Phdr));
    if (segment.p_type == PT_INTERP) program.is_static = false;
    if (segment.p_type == PT_DYNAMIC) dynamic = segment;
  }
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto section = reader.at<Elf64_Shdr>(header.e_shoff + uint64_t{i} * sizeof(Elf64_Shdr));
    if (section.sh_type != SHT_DYNAMIC) continue;
    strings = reader.at<Elf64_Shdr>(header.e_shoff + uint64_t{section.sh_link} * sizeof(Elf64_Shdr)).sh_offset;
  }
  if (dynamic) read_dynamic(reader, *dynamic, strings, program);
  read_symbols(reader, header, program);
  return program;
}

std::optional<ElfProgram> inspect_elf_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::optional<ElfProgram> program;
  struct stat status = {};
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    const size_t size = static_cast<size_t>(status.st_size);
    void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes != MAP_FAILED) {
      program = inspect_elf({static_cast<const unsigned char*>(bytes), size});
      munmap(bytes, size);
    }
  }
  close(file);
  return program;
}

}  // namespace deadheat::cli
