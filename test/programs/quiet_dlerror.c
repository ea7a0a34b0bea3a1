// What dlopen complains of stays until the program asks, whatever is called for the first time before.
// EXPECT none
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
#include <wchar.h>

#include "order.h"
static int same(const char* a, const char* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return *a == *b;
}
int main(void) {
  MUST(dlopen("./absent.so", RTLD_NOW) == NULL);
  char text[100];
  MUST(snprintf(text, sizeof text, "%d", 7) == 1);
  const char* complaint = dlerror();
  MUST(complaint != NULL);
  char copy[200];
  size_t i = 0;
  for (; complaint[i] != 0 && i < sizeof copy - 1; ++i) copy[i] = complaint[i];
  copy[i] = 0;
  struct tm parts;
  time_t now = 0;
  MUST(gmtime_r(&now, &parts) == &parts);
  MUST(wcslen(L"abc") == 3);
  MUST(puts("called") >= 0);
  MUST(same(complaint, copy));
}
