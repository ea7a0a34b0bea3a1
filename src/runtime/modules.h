// Which file an address of code or data comes from, and what the symbolizer says about it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace deadheat::live {

struct Module {
  char path[1024];  // of the file
  uintptr_t bias;   // where it was loaded: address - bias is what the file's own headers say
  bool ours;        // libdeadheat itself
};

// False if the address is in no module.
bool module_of(uintptr_t address, Module& module);

const char* base_name(const char* path);
const char* program_name();    // without folders
const char* program_folder();  // where it lies

struct SourceFrame {
  const char* function;  // null if not known
  const char* file;      // null if not known
  int line;
  int column;
};

// Asks the helper process, which is started on the first call; its answers stay valid until `symbols_clear`. Returns
// the number of frames (inlined ones first), 0 if nothing is known.
unsigned symbolize_code(const Module& module, uintptr_t offset, SourceFrame* frames, unsigned capacity);
// The global variable there; false if not known.
bool symbolize_data(const Module& module, uintptr_t offset, const char*& name, uintptr_t& start, size_t& size);
void symbols_clear();
// The child of a fork starts a helper of its own.
void symbols_after_fork();

}  // namespace deadheat::live
