// The annotations of old order as they say.
// EXPECT none
#include "order.h"
void AnnotateHappensBefore(const char* file, int line, void* object);
void AnnotateHappensAfter(const char* file, int line, void* object);
int x, object;
static void first(void) {
  x = 1;
  AnnotateHappensBefore(__FILE__, __LINE__, &object);
  reach(1);
}
static void second(void) {
  await(1);
  AnnotateHappensAfter(__FILE__, __LINE__, &object);
  x = 2;
}
int main(void) { RUN(first, second); }
