// The hooks that a program calls around system calls of its own (sanitizer/linux_syscall_hooks.h). Memory that the
// system reads or writes counts as accessed by the program, and descriptors order threads as with the C library.
//
// There is one table; the hooks of all other system calls do nothing (nothing.def). Every hook is declared with six
// arguments; those that the system call does not have are ignored. Tested by test/programs/syscall_hooks*.c
#include <sys/types.h>

#include "live/api.h"

using namespace deadheat::live;

namespace {

const void* pointer(long value) { return reinterpret_cast<const void*>(value); }

void reads(const Entry& entry, long from, long bytes) {
  if (bytes > 0) read_range(entry, pointer(from), static_cast<size_t>(bytes));
}
void writes(const Entry& entry, long to, long bytes) {
  if (bytes > 0) write_range(entry, pointer(to), static_cast<size_t>(bytes));
}
void pair_made(const Entry& entry, long at) {
  const int* const ends = reinterpret_cast<const int*>(at);
  fd_opened_pair(entry, ends[0], ends[1]);
}

}  // namespace

#define BEFORE(name, ...)                                                                                            \
  extern "C" __attribute__((visibility("default"))) void __sanitizer_syscall_pre_impl_##name(long a, long b, long c, \
                                                                                             long, long, long) {     \
    Entry entry(DEADHEAT_CALLER);                                                                                    \
    (void)a, (void)b, (void)c;                                                                                       \
    __VA_ARGS__;                                                                                                     \
  }
#define AFTER(name, ...)                                                                       \
  extern "C" __attribute__((visibility("default"))) void __sanitizer_syscall_post_impl_##name( \
      long result, long a, long b, long c, long, long) {                                       \
    if (result < 0) return;                                                                    \
    Entry entry(DEADHEAT_CALLER);                                                              \
    (void)a, (void)b, (void)c;                                                                 \
    __VA_ARGS__;                                                                               \
  }

BEFORE(write, fd_release(entry, static_cast<int>(a)); reads(entry, b, c))
BEFORE(pwrite64, fd_release(entry, static_cast<int>(a)); reads(entry, b, c))
BEFORE(sendto, fd_release(entry, static_cast<int>(a)); reads(entry, b, c))
AFTER(read, fd_acquire(entry, static_cast<int>(a)); writes(entry, b, result))
AFTER(pread64, fd_acquire(entry, static_cast<int>(a)); writes(entry, b, result))
AFTER(recvfrom, fd_acquire(entry, static_cast<int>(a)); writes(entry, b, result))
AFTER(pipe, pair_made(entry, a); writes(entry, a, 2 * sizeof(int)))
AFTER(pipe2, pair_made(entry, a); writes(entry, a, 2 * sizeof(int)))
AFTER(dup, fd_duplicated(entry, static_cast<int>(a), static_cast<int>(result)))
AFTER(dup2, fd_duplicated(entry, static_cast<int>(a), static_cast<int>(b)))
AFTER(open, fd_opened(entry, static_cast<int>(result)))
AFTER(openat, fd_opened(entry, static_cast<int>(result)))
BEFORE(close, fd_closed(entry, static_cast<int>(a)))
AFTER(readlink, writes(entry, b, result))
AFTER(getrandom, writes(entry, a, result))
AFTER(clock_gettime, writes(entry, b, 2 * sizeof(long)))
AFTER(gettimeofday, writes(entry, a, 2 * sizeof(long)))
BEFORE(nanosleep, reads(entry, a, 2 * sizeof(long)))
