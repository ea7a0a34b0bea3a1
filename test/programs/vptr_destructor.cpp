// A virtual call while another thread is already destroying the object.
// EXPECT race
#include "order.h"
struct Base {
  Base() {}
  virtual ~Base();
  virtual void call() {}
};
__attribute__((noinline)) Base::~Base() { __asm__ volatile("" : : "r"(this) : "memory"); }  // race
struct Derived : Base {
  ~Derived() override {}
  void call() override {}
};
static Base* object = new Derived;
static void first() {
  object->call();  // race
  reach(1);
}
static void second() {
  await(1);
  object->~Base();
}
int main() { RUN(first, second); }
