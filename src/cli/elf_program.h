// What a program file tells about itself before it runs: whether and how it can be watched.
#pragma once

#include <optional>
#include <string>

namespace deadheat::cli {

struct ElfProgram {
  bool is_static = false;          // no loader: nothing can be put under it
  bool calls_run_time = false;     // it, or a library that it names, was compiled with -fsanitize=thread
  bool contains_run_time = false;  // the compiler's own run time is linked in
  bool needs_libtsan = false;      // names GCC's run time as a library it needs
  bool has_rpath = false;          // DT_RPATH, which goes before LD_LIBRARY_PATH
};

// None if the file is not a 64-bit ELF program. Damaged ones give what could be read.
std::optional<ElfProgram> inspect_elf_file(const std::string& path);

}  // namespace deadheat::cli
