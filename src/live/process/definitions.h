// Finds functions of other modules without the dynamic linker's help.
//
// dlsym would do it, but it throws away the message that the program's own dlopen has left for dlerror, allocates, and
// waits for whoever loads a library. So the modules' own hash tables are read. What a program loads or unloads
// meanwhile comes behind what it was started with, where a function is nearly always found. Tested by
// test/programs/quiet_dlerror.c, test/live/exports
#pragma once

namespace deadheat::live {

// The default version of a function in the modules behind ours, in search order, else in those before; null if there is
// none. Ours is never found.
void* find_definition(const char* name);

}  // namespace deadheat::live
