// The same hooks order threads as the C library's functions do: what was written before a pipe is known after it.
// EXPECT none
#include <sys/syscall.h>

#include "order.h"
void __sanitizer_syscall_pre_impl_write(long fd, long from, long bytes);
void __sanitizer_syscall_post_impl_read(long result, long fd, long to, long bytes);
void __sanitizer_syscall_post_impl_pipe2(long result, long fds, long flags);
static long call(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}
static int ends[2], data;
static void* writer(void* unused) {
  data = 1;
  const char byte = 1;
  __sanitizer_syscall_pre_impl_write(ends[1], (long)&byte, 1);
  if (call(SYS_write, ends[1], (long)&byte, 1) != 1) abort();
  return unused;
}
int main(void) {
  if (call(SYS_pipe2, (long)ends, 0, 0) != 0) return 1;
  __sanitizer_syscall_post_impl_pipe2(0, (long)ends, 0);
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  char byte = 0;
  const long got = call(SYS_read, ends[0], (long)&byte, 1);
  __sanitizer_syscall_post_impl_read(got, ends[0], (long)&byte, 1);
  if (got != 1 || data != 1) abort();
  pthread_join(thread, 0);
}
