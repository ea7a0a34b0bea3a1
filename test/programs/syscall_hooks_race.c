// A program that calls the system by its own instructions, with the hooks: what the system reads and writes for it is
// seen.
// EXPECT race
#include <sys/syscall.h>

#include "order.h"
void __sanitizer_syscall_pre_impl_write(long fd, long from, long bytes);
void __sanitizer_syscall_post_impl_read(long result, long fd, long to, long bytes);
void __sanitizer_syscall_post_impl_pipe(long result, long fds);
static long call(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}
static long my_write(int fd, const void* from, long bytes) {
  __sanitizer_syscall_pre_impl_write(fd, (long)from, bytes);  // race
  return call(SYS_write, fd, (long)from, bytes);
}
static long my_read(int fd, void* to, long bytes) {
  const long got = call(SYS_read, fd, (long)to, bytes);
  __sanitizer_syscall_post_impl_read(got, fd, (long)to, bytes);  // race
  return got;
}
static int ends[2];
static long box[2];
static void* writer(void* unused) {
  await(1);
  if (my_write(ends[1], box, sizeof box) != sizeof box) abort();
  return unused;
}
int main(void) {
  if (call(SYS_pipe, (long)ends, 0, 0) != 0) return 1;
  __sanitizer_syscall_post_impl_pipe(0, (long)ends);
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  long zero[2] = {0, 0};
  if (my_write(ends[1], zero, sizeof zero) != sizeof zero) abort();
  if (my_read(ends[0], box, sizeof box) != sizeof box) abort();
  reach(1);
  pthread_join(thread, 0);
}
