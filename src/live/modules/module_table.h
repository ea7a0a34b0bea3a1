// Which file an address of code or data comes from.
//
// No lock of the loader is taken: a thread that reports while another one loads a library must not wait for it, because
// that one may wait for the reporter. _dl_find_object says without a lock which object an address is in. Another thread
// may unload the object at any time, with all that the loader keeps of it. So we let the system copy that memory, which
// fails safely if it is gone, and the copy counts only if the object is still the same afterwards.
// Tested by test/programs/report_in_constructor.c, report_while_loading.c
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

namespace deadheat::live {

struct Module {
  const char* path;  // of the file; stays for the run
  uintptr_t bias;    // where it was loaded: address - bias is what the file's own headers say
  bool ours;         // libdeadheat itself
  uintptr_t begin, end;
  const ElfW(Dyn) * dynamic;
};

// False if the address is in no module.
bool module_of(uintptr_t address, Module& module);
// Around dlclose: another module may be loaded at the same place.
void module_closing();
void module_closed();
// Whether what is known of modules holds as long as this says the same; false while one is being closed.
bool modules_stable(uint32_t& generation);

// Copies memory that may go away meanwhile; false if it did.
bool copy_if_there(void* to, uintptr_t from, size_t bytes);
// The same of memory that may not be readable at all; false also where a sandbox does not let the system copy.
bool copy_if_readable(void* to, uintptr_t from, size_t bytes);

const char* program_path();
const char* program_name();    // without folders
const char* program_folder();  // where it lies

}  // namespace deadheat::live
