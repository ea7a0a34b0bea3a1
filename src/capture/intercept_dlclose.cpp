// dlclose: the globals of a library that goes have no history for whatever is loaded there next.
#include "runtime/api.h"
#include "runtime/loaded.h"

using namespace deadheat::live;

DEADHEAT_INTERCEPT(int, dlclose, void* library) {
  constexpr size_t kMost = 512;  // on the stack of a thread that may have a small one
  CodeRange before[kMost], after[kMost];
  const size_t before_count = loaded_ranges(before, kMost);
  const int result = REAL(dlclose)(library);
  const size_t after_count = loaded_ranges(after, kMost);
  if (before_count == after_count) return result;
  forget_loaded();
  for (size_t i = 0; i < before_count; ++i) {
    bool still_there = false;
    for (size_t j = 0; j < after_count && !still_there; ++j) still_there = after[j].begin == before[i].begin;
    if (!still_there) fresh_range(reinterpret_cast<void*>(before[i].begin), before[i].end - before[i].begin);
  }
  return result;
}
