// Functions for strings that are given freed memory, by the only thread that is left.
// EXPECT race
// HAS heap-use-after-free
// HAS strlen
// HAS strcmp
// HAS memcmp
// HAS strcpy
// HAS strcat
// HAS reported 5 warnings
#include <string.h>

#include "order.h"
static void nothing(void) {}
static volatile size_t bytes = 8;
static char* freed_text(size_t size) {
  char* text = malloc(size);
  MUST(text != NULL);
  memset(text, 'a', size - 1);
  text[size - 1] = 0;
  char* volatile after_own = text + 24;  // the C library keeps its own data in the first bytes of a freed block
  free(text);                            // race a // race b // race c // race d // race e
  return after_own;
}
int main(void) {
  RUN(nothing);
  char to[256] = "b";
  USE(strlen(freed_text(40)));             // race a
  USE(strcmp(freed_text(60), to));         // race b
  USE(memcmp(freed_text(80), to, bytes));  // race c
  strcpy(to, freed_text(100));             // race d
  strcat(to, freed_text(120));             // race e
  USE(to);
}
