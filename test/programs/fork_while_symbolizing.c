// A fork while another thread asks for symbols and a third creates threads: each child reports its race and asks, too.
// EXPECT race
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"
void __sanitizer_symbolize_pc(void* pc, const char* format, char* buffer, size_t capacity);
int x;
static int stop, step;
static void first(void) {
  x = 1;  // race a 10
  __atomic_store_n(&step, 1, __ATOMIC_RELAXED);
}
static void second(void) {
  while (__atomic_load_n(&step, __ATOMIC_RELAXED) == 0) sched_yield();
  x = 2;  // race a 10
}
static void asks(void) {
  char text[1024];
  while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
    __sanitizer_symbolize_pc((char*)&first + 1, "%f", text, sizeof text);
    MUST(strcmp(text, "first") == 0);
  }
}
static void makes(void) {
  while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
    free(malloc(10));
    pthread_t t = start((Body)(void*)sched_yield);
    join(t);
  }
}
int main(void) {
  pthread_t a = start(asks), b = start(makes);
  for (int i = 0; i < 10; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(500);
      char text[1024];
      RUN(first, second);
      __sanitizer_symbolize_pc((char*)&second + 1, "%f", text, sizeof text);
      _exit(strcmp(text, "second") != 0);
    }
    int status;
    MUST(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 66);
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  join(a);
  join(b);
  _exit(66);
}
