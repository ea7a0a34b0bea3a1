// A virtual function of a deleted object is called. (GCC does not say that a read is of the table of virtual functions.)
// EXPECT race
// COMPILERS clang
// HAS heap-use-after-free \(virtual call vs free\)
#include <new>

#include "order.h"
struct Base {
  virtual ~Base() = default;
  virtual int number() const { return 1; }
  long more[4] = {};
};
struct Derived : Base {
  int number() const override { return 2; }
};
// It begins where the C library has nothing to write in a freed block, so that the call ends well.
static char* volatile memory;
static Base* volatile x;
static void first() {
  free(memory);      // race
  USE(x->number());  // race
}
int main() {
  memory = static_cast<char*>(malloc(sizeof(Derived) + 64));
  x = new (memory + 64) Derived;
  RUN(first);
}
