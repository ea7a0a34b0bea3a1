// Where the system's loader lies.
#pragma once

#include <cstdint>

namespace deadheat::live {

struct CodeRange {
  uintptr_t begin, end;
};

// The system's loader. What it keeps on the heap for threads (their tables of thread-local storage) it frees whenever
// it likes, in any thread, under locks that nobody sees.
extern CodeRange loader __attribute__((visibility("hidden")));
inline bool is_loader(uintptr_t pc) { return pc - loader.begin < loader.end - loader.begin; }

}  // namespace deadheat::live
