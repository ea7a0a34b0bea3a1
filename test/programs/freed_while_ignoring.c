// What a thread frees or uses while it asked not to be looked at is not told.
// EXPECT none
#include "order.h"
void AnnotateIgnoreReadsBegin(const char*, int);
void AnnotateIgnoreReadsEnd(const char*, int);
void AnnotateIgnoreWritesBegin(const char*, int);
void AnnotateIgnoreWritesEnd(const char*, int);
static void ignore(int yes) {
  if (yes) {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  } else {
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }
}
static void first(void) {
  int* volatile x = malloc(40);
  ignore(1);
  free(x);
  ignore(0);
  USE(x[2]);
  int* volatile y = malloc(80);
  free(y);
  ignore(1);
  y[2] = 1;
  USE(y[2]);
  ignore(0);
}
int main(void) {
  first();
  RUN(first);
  first();
}
