// A helper that dies in the middle of an answer costs that answer; the next question goes to a new one.
// EXPECT none
// OPTIONS external_symbolizer_path=@DIR@/symbols_helper
// COMMAND rm -f died; @PROGRAM@
#include <stdio.h>
#include <string.h>

#include "order.h"
void __sanitizer_symbolize_pc(void* pc, const char* format, char* buffer, size_t capacity);
int main(void) {
  char text[4096];
  __sanitizer_symbolize_pc((char*)&main + 1, "%f", text, sizeof text);
  MUST(strcmp(text, "<null>") == 0);
  for (int i = 0; i < 3; ++i) {
    __sanitizer_symbolize_pc((char*)&main + 1, "%f %s:%l", text, sizeof text);
    if (strcmp(text, "answer_to_CODE answer.c:7") != 0) return fprintf(stderr, "wrong: %s\n", text), 9;
  }
}
