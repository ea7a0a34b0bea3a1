// A thread with the smallest stack that the system permits, and a little more, loads a library and lets it go.
// EXPECT none
// LIBRARY -DIN_LIBRARY
// FLAGS -ldl
#ifdef IN_LIBRARY
int in_library(void) { return 1; }
#else
#include <dlfcn.h>
#include <limits.h>

#include "order.h"
static void* body(void* argument) {
  void* const library = dlopen("./library.so", RTLD_NOW);
  MUST(library != NULL && dlsym(library, "in_library") != NULL);
  MUST(dlclose(library) == 0);
  return argument;
}
int main(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  MUST(pthread_attr_init(&attributes) == 0);
  MUST(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN + 4096) == 0);
  for (int i = 0; i < 3; ++i) {
    MUST(pthread_create(&thread, &attributes, body, NULL) == 0);
    join(thread);
  }
}
#endif
