// Threads that ask for symbols at once each get the answer to their own question, and reports are right meanwhile.
// EXPECT race
#include <stdio.h>
#include <string.h>

#include "order.h"
void __sanitizer_symbolize_pc(void* pc, const char* format, char* buffer, size_t capacity);
const char* __tsan_locate_address(void* address, char* name, size_t capacity, void** begin, size_t* bytes);
int apple[3], pear[5], x;
__attribute__((noinline)) int plum(int a) { return apple[a % 3] + 1; }
__attribute__((noinline)) int cherry(int a) { return pear[a % 5] + 2; }
static void ask(void* code, const char* function, int* data, const char* variable, size_t bytes) {
  char text[4096];
  for (int i = 0; i < 500; ++i) {
    void* begin = NULL;
    size_t size = 0;
    __sanitizer_symbolize_pc((char*)code + 1, "%f", text, sizeof text);
    if (strcmp(text, function) != 0) fprintf(stderr, "wrong: %s for %s\n", text, function), exit(9);
    const char* kind = __tsan_locate_address(data + 1, text, sizeof text, &begin, &size);
    if (strcmp(kind, "global") != 0 || strcmp(text, variable) != 0 || begin != data || size != bytes)
      fprintf(stderr, "wrong: %s %s for %s\n", kind, text, variable), exit(9);
  }
}
static void asks_plum(void) { ask((void*)&plum, "plum", apple, "apple", sizeof apple); }
static void asks_cherry(void) { ask((void*)&cherry, "cherry", pear, "pear", sizeof pear); }
static void first(void) {
  x = 1;  // race
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;  // race
}
int main(void) { RUN(asks_plum, asks_cherry, first, second, asks_cherry, asks_plum); }
