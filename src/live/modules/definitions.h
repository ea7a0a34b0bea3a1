// Finds functions of other modules without the dynamic linker's help.
//
// dlsym would do it. But it discards the message that the program's own dlopen has left for dlerror, it allocates, and
// it waits while another thread loads a library. So we read the modules' own hash tables. Modules that a program loads
// or unloads meanwhile come after those that it was started with, where a function is nearly always found.
// Tested by test/programs/quiet_dlerror.c, test/live/exports
#pragma once

namespace deadheat::live {

// The default version of a function in the modules behind ours, in search order, else in those before; null if there is
// none. Ours is never found.
void* find_definition(const char* name);

// Whether the program's calls of the C library come to us first: not in a program that knows nothing of us and loads an
// instrumented library.
bool is_in_time();

}  // namespace deadheat::live
