// Limits of address space: the program sees and sets them as if the shadow were not there
// (live/process/address_space.h). Locking all memory would fill the whole shadow: there it is left undone.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <cerrno>

#include "capture/intercept.h"

using namespace deadheat::live;

namespace {

// On this machine rlimit and rlimit64 are the same.
static_assert(sizeof(rlimit) == sizeof(rlimit64));

bool of_this(int process, int resource) {
  return resource == RLIMIT_AS && (process == 0 || process == sys::process_id());
}
rlim64_t more(rlim64_t value) { return value == RLIM64_INFINITY ? value : value + own_address_space(); }
rlim64_t less(rlim64_t value) {
  if (value == RLIM64_INFINITY) return value;
  return value > own_address_space() ? value - own_address_space() : 0;
}

// `set` may be memory that the program cannot give: the system looks at it first.
int changed(int process, int resource, const rlimit64* set, rlimit64* old) {
  rlimit64 wanted{};
  const rlimit64* to = set;
  if (set != nullptr && of_this(process, resource)) {
    wanted = {more(set->rlim_cur), more(set->rlim_max)};
    to = &wanted;
  }
  const long result =
      sys::call(SYS_prlimit64, process, resource, reinterpret_cast<long>(to), reinterpret_cast<long>(old));
  if (sys::failed(result)) {
    errno = static_cast<int>(-result);
    return -1;
  }
  if (old != nullptr && of_this(process, resource)) *old = {less(old->rlim_cur), less(old->rlim_max)};
  return 0;
}

}  // namespace

DEADHEAT_INTERCEPT(int, getrlimit, int resource, rlimit64* limit) { return changed(0, resource, nullptr, limit); }
DEADHEAT_INTERCEPT(int, getrlimit64, int resource, rlimit64* limit) { return changed(0, resource, nullptr, limit); }
DEADHEAT_INTERCEPT(int, setrlimit, int resource, const rlimit64* limit) { return changed(0, resource, limit, nullptr); }
DEADHEAT_INTERCEPT(int, setrlimit64, int resource, const rlimit64* limit) {
  return changed(0, resource, limit, nullptr);
}
DEADHEAT_INTERCEPT(int, prlimit, int process, int resource, const rlimit64* limit, rlimit64* old) {
  return changed(process, resource, limit, old);
}
DEADHEAT_INTERCEPT(int, prlimit64, int process, int resource, const rlimit64* limit, rlimit64* old) {
  return changed(process, resource, limit, old);
}

DEADHEAT_INTERCEPT(int, mlockall, int flags) {
  constexpr int kKnown = MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT;
  const bool is_valid = (flags & (MCL_CURRENT | MCL_FUTURE)) != 0 && (flags & ~kKnown) == 0;
  return is_valid ? 0 : REAL(mlockall)(flags);
}
