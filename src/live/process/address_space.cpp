#include "live/process/address_space.h"

#include <sys/resource.h>

#include "live/ground/sys.h"

namespace deadheat::live {
namespace {

uint64_t own, before;
rlimit64 limit_at_start;
bool limited;

// The size of the address space in use: the first number of statm, in pages.
uint64_t bytes_mapped() {
  const long file = sys::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (sys::failed(file)) return 0;
  char text[64] = {};
  sys::read(static_cast<int>(file), text, sizeof text - 1);
  sys::close(static_cast<int>(file));
  uint64_t pages = 0;
  for (const char* c = text; *c >= '0' && *c <= '9'; ++c) pages = pages * 10 + static_cast<uint64_t>(*c - '0');
  return pages * 4096;
}

long limit(const rlimit64* to, rlimit64* old) {
  return sys::call(SYS_prlimit64, 0, RLIMIT_AS, reinterpret_cast<long>(to), reinterpret_cast<long>(old));
}

uint64_t with_own(uint64_t value) { return value == RLIM64_INFINITY ? value : value + own; }

}  // namespace

void address_space_begin() {
  before = bytes_mapped();
  limited = !sys::failed(limit(nullptr, &limit_at_start)) &&
            (limit_at_start.rlim_cur != RLIM64_INFINITY || limit_at_start.rlim_max != RLIM64_INFINITY);
  if (!limited) return;
  const rlimit64 none = {RLIM64_INFINITY, RLIM64_INFINITY};
  if (!sys::failed(limit(&none, nullptr))) return;
  const rlimit64 most = {limit_at_start.rlim_max, limit_at_start.rlim_max};
  limit(&most, nullptr);  // if that is not enough, mapping fails with a message
}

void address_space_end() {
  own = bytes_mapped() - before;
  if (!limited) return;
  const rlimit64 again = {with_own(limit_at_start.rlim_cur), with_own(limit_at_start.rlim_max)};
  if (!sys::failed(limit(&again, nullptr))) return;
  const rlimit64 lower = {again.rlim_cur, limit_at_start.rlim_max};
  limit(&lower, nullptr);
}

uint64_t own_address_space() { return own; }

}  // namespace deadheat::live
