// The dynamic linker. When a library is unloaded, the history of its globals is forgotten, so that the next library at
// that place starts without one. A program may read the linker's names under the linker's own lock, so the linker's
// free of such a name is no race. Tested by test/live/plug-ins, test/programs/quiet_dl_iterate.c
#include <link.h>

#include "capture/intercept.h"

using namespace deadheat::live;

DEADHEAT_INTERCEPT(int, dlclose, void* library) {
  OpenLibraries* const open = library_closing();
  const int result = REAL(dlclose)(library);
  library_closed(open);
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
  if (is_staying_out()) return REAL(dl_iterate_phdr)(callback, data);
  Visit visit{callback, data};
  return REAL(dl_iterate_phdr)(visit_module, &visit);
}
