// System calls without libc: nothing intercepted on the way, errno untouched. A result in -4095..-1 is an error number.
#pragma once

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>

namespace deadheat::live::sys {

inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

inline bool failed(long result) { return result < 0 && result >= -4095; }

inline void* map(void* at, size_t bytes, int protection, int flags) {
  const long result = call(SYS_mmap, reinterpret_cast<long>(at), static_cast<long>(bytes), protection, flags, -1, 0);
  return failed(result) ? nullptr : reinterpret_cast<void*>(result);
}
// Zeroed memory that costs nothing until it is touched.
inline void* reserve(size_t bytes) {
  return map(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
}
inline void unmap(void* at, size_t bytes) { call(SYS_munmap, reinterpret_cast<long>(at), static_cast<long>(bytes)); }
inline long advise(void* at, size_t bytes, int advice) {
  return call(SYS_madvise, reinterpret_cast<long>(at), static_cast<long>(bytes), advice);
}

inline void yield() { call(SYS_sched_yield); }
inline void sleep_us(long microseconds) {
  const struct {
    int64_t seconds, nanoseconds;
  } time{microseconds / 1000000, microseconds % 1000000 * 1000};
  call(SYS_nanosleep, reinterpret_cast<long>(&time), 0);
}
inline void sleep_ms(long milliseconds) { sleep_us(milliseconds * 1000); }
inline int thread_id() { return static_cast<int>(call(SYS_gettid)); }
inline int process_id() { return static_cast<int>(call(SYS_getpid)); }
inline long write(int fd, const void* data, size_t bytes) {
  return call(SYS_write, fd, reinterpret_cast<long>(data), static_cast<long>(bytes));
}
inline long read(int fd, void* data, size_t bytes) {
  return call(SYS_read, fd, reinterpret_cast<long>(data), static_cast<long>(bytes));
}
inline long open(const char* path, int flags, int mode = 0) {
  return call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), flags, mode);
}
inline void close(int fd) { call(SYS_close, fd); }
[[noreturn]] inline void exit(int status) {
  for (;;) call(SYS_exit_group, status);
}
// Ends as abort() does, whatever the program has said about the signal. Sent to this thread, which goes no further.
[[noreturn]] inline void abort() {
  constexpr int kAbort = 6, kUnblock = 1;
  const uint64_t this_signal = uint64_t{1} << (kAbort - 1);
  const uint64_t default_action[4] = {};  // the system's struct sigaction
  call(SYS_rt_sigaction, kAbort, reinterpret_cast<long>(default_action), 0, sizeof this_signal);
  call(SYS_rt_sigprocmask, kUnblock, reinterpret_cast<long>(&this_signal), 0, sizeof this_signal);
  call(SYS_tgkill, process_id(), thread_id(), kAbort);
  exit(128 + kAbort);
}

}  // namespace deadheat::live::sys
