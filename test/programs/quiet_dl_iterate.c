// Names that a program looks at in dl_iterate_phdr may be freed when the library is closed: the linker's lock orders.
// EXPECT none
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "order.h"
static const char kLibrary[] = "libBrokenLocale.so.1";  // a small one of the C library
static int found;
static int look(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size, (void)data;
  found += strstr(info->dlpi_name, kLibrary) != NULL;
  for (const char* c = info->dlpi_name; *c != 0; ++c) found += *c == 1;
  return 0;
}
static void looks(void) {
  await(1);
  dl_iterate_phdr(look, NULL);
  reach(2);
  await(3);
}
int main(void) {
  pthread_t thread = start(looks);
  void* library = dlopen(kLibrary, RTLD_NOW);
  MUST(library != NULL);
  reach(1);
  await(2);
  MUST(dlclose(library) == 0);
  reach(3);
  join(thread);
  MUST(found == 1);
}
