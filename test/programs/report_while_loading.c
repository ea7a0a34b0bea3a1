// Where code and data come from is said rightly while libraries come and go.
// EXPECT none
// LIBRARY -DLIBRARY
#ifdef LIBRARY
int in_library(void) { return 1; }
#else
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "order.h"
void __sanitizer_symbolize_pc(void* pc, const char* format, char* buffer, size_t capacity);
int __sanitizer_get_module_and_offset_for_pc(void* pc, char* path, size_t capacity, void** offset);
static void* place;  // in the library, once it was there
static int done;
static void loads(void) {
  for (int i = 0; i < 300; ++i) {
    void* library = dlopen("./library.so", RTLD_NOW);
    MUST(library != NULL);
    __atomic_store_n(&place, dlsym(library, "in_library"), __ATOMIC_RELAXED);
    MUST(dlclose(library) == 0);
  }
  __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
}
static void asks(void) {
  char text[4096];
  while (__atomic_load_n(&done, __ATOMIC_RELAXED) == 0) {
    void* offset;
    __sanitizer_symbolize_pc((char*)&loads + 1, "%f", text, sizeof text);
    MUST(strcmp(text, "loads") == 0);
    void* in_library = __atomic_load_n(&place, __ATOMIC_RELAXED);
    if (in_library != NULL && __sanitizer_get_module_and_offset_for_pc(in_library, text, sizeof text, &offset))
      MUST(strstr(text, "library.so") != NULL);
    MUST(__sanitizer_get_module_and_offset_for_pc((void*)&loads, text, sizeof text, &offset));
    MUST(strstr(text, "report_while_loading") != NULL);
  }
}
int main(void) { RUN(loads, asks, asks); }
#endif
