// The dynamic linker: the globals of a library that goes have no history for whatever is loaded there next, and names
// that a program looks at under the linker's own lock are the linker's to free. Tested by test/live/plug-ins,
// test/programs/quiet_dl_iterate.c
#include <link.h>

#include "live/api.h"
#include "live/ground/sys.h"
#include "live/order/thread.h"
#include "live/process/loaded.h"
#include "live/process/module_table.h"

using namespace deadheat::live;

DEADHEAT_INTERCEPT(int, dlclose, void* library) {
  // Not on the stack: that of the thread may be a small one.
  constexpr size_t kMost = 4096;
  struct Lists {
    CodeRange before[kMost], after[kMost];
  };
  Lists* const lists = static_cast<Lists*>(sys::reserve(sizeof(Lists)));
  const size_t before_count = lists == nullptr ? 0 : loaded_ranges(lists->before, kMost);
  module_closing();
  const int result = REAL(dlclose)(library);
  module_closed();
  if (lists == nullptr) {
    forget_loaded();
    return result;
  }
  const size_t after_count = loaded_ranges(lists->after, kMost);
  if (before_count != after_count) forget_loaded();
  for (size_t i = 0; i < before_count && before_count != after_count; ++i) {
    const CodeRange& range = lists->before[i];
    bool still_there = false;
    for (size_t j = 0; j < after_count && !still_there; ++j) still_there = lists->after[j].begin == range.begin;
    if (!still_there) fresh_range(reinterpret_cast<void*>(range.begin), range.end - range.begin);
  }
  sys::unmap(lists, sizeof(Lists));
  return result;
}

namespace {

struct Visit {
  int (*callback)(dl_phdr_info* info, size_t size, void* data);
  void* data;
};

int visit_module(dl_phdr_info* info, size_t size, void* data) {
  const Visit& visit = *static_cast<const Visit*>(data);
  const char* const name = info->dlpi_name;
  const int result = visit.callback(info, size, visit.data);
  if (name == nullptr) return result;
  size_t length = 1;
  while (name[length - 1] != 0) ++length;
  fresh_range(name, length);
  return result;
}

}  // namespace

DEADHEAT_INTERCEPT(int, dl_iterate_phdr, int (*callback)(dl_phdr_info* info, size_t size, void* data), void* data) {
  if (tls.busy != 0) return REAL(dl_iterate_phdr)(callback, data);
  Visit visit{callback, data};
  return REAL(dl_iterate_phdr)(visit_module, &visit);
}
