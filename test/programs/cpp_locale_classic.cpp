// The classic locale has no owners: letting it go orders nothing.
// EXPECT race
#include <locale>

#include "order.h"
int x;
static void first() {
  x = 1;  // race
  {
    std::locale locale;
  }
  reach(1);
}
static void second() {
  await(1);
  {
    std::locale locale;
  }
  x = 2;  // race
}
// The first use in a program with threads initialises, which orders.
static void initialise() { std::locale::classic(); }
int main() {
  RUN(initialise);
  RUN(first, second);
}
