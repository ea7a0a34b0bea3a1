// EXPECT none
#include "order.h"
void AnnotateBenignRaceSized(const char* file, int line, const volatile void* begin, size_t bytes, const char* why);
int x;
static void first(void) {
  x = 1;
  reach(1);
}
static void second(void) {
  await(1);
  x = 2;
}
int main(void) {
  AnnotateBenignRaceSized(__FILE__, __LINE__, &x, sizeof x, "only a hint");
  RUN(first, second);
}
