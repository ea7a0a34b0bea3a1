// What a thread asked not to be looked at is neither checked nor remembered.
// EXPECT none
#include "order.h"
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
int x;
static void first(void) {
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  x = 1;
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;
}
int main(void) { RUN(first, second); }
