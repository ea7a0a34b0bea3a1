// The modules of the program: which of them are instrumented, and whose calls of interceptors are ignored.
//
// A module counts as instrumented if it imports __tsan_func_entry or __tsan_init. A thread that asks for a module which
// is not in the table looks at it, without a lock of the loader (module_table.h), and adds it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "live/ground/loader.h"

namespace deadheat::live {

// Decided at start by the options, or by the first module that is to be ignored: only then calls are filtered at all.
extern bool callers_filtered __attribute__((visibility("hidden")));
void find_out_whether_callers_are_filtered();
bool caller_ignored_slow(uintptr_t pc);
// From now on for the module with this address in it; one for a run.
void ignore_callers_in_module_of(uintptr_t address);
// Whether accesses that an interceptor makes for this caller are left out (ignore_noninstrumented_modules, suppressions
// called_from_lib). What orders threads counts all the same.
inline bool caller_ignored(uintptr_t pc) {
  return __builtin_expect(callers_filtered, 0) && caller_ignored_slow(pc & ((uintptr_t{1} << 48) - 1));
}

// What the user asked for (called_from_lib); the reports know, and define it.
bool called_from_suppressed_library(const char* path);
bool libraries_suppressed();  // whether there is any such wish

// Whether the address is in an instrumented module.
bool instrumented_at(uintptr_t pc);

// Called before and after dlclose: ranges that are gone afterwards lose their history.
size_t loaded_ranges(CodeRange* ranges, size_t capacity);

void find_loader();    // ground/loader.h
void forget_loaded();  // the table is out of date

// For `coverage`, at exit.
struct LoadedModule {
  const char* path;
  bool instrumented;
};
void each_loaded(void (*visit)(const LoadedModule& module, void* data), void* data);
struct Import {
  const char* module;
  const char* name;
};
void each_import(void (*visit)(const Import& import, void* data), void* data);
// What a call of that name reaches: an interceptor of ours, only a forward of ours to the C library, an instrumented
// module of the program, or code that is not watched.
enum class WhereDefined : uint8_t { kNowhere, kInterceptor, kForward, kInstrumented, kElsewhere };
WhereDefined where_defined(const char* name);

}  // namespace deadheat::live
