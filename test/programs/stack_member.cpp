// Elements of arrays and members of structures are named, and a range that is more than one of them is not.
// EXPECT race
// HAS ^    Variable 'numbers\[7\]' of main, declared at .*/stack_member.cpp:42 \(bytes 28 to 31 of 40\)$
// HAS ^    Variable 'table\[2\]\.hits' of main, declared at .*/stack_member.cpp:43 \(bytes 20 to 23 of 40\)$
// HAS ^    Variable 'grid\[1\]\[2\]' of main, declared at .*/stack_member.cpp:44 \(bytes 20 to 23 of 24\)$
// HAS ^    Variable 'derived\.inner\.last' of main, declared at .*/stack_member.cpp:45 \(bytes 17 to 17 of
// HAS ^    Variable 'either' of main, declared at .*/stack_member.cpp:46$
#include <thread>

#include "order.h"
struct Entry {
  short kind;
  int hits;
};
struct Inner {
  char first, last;
};
struct Base {
  long number;
};
struct Derived : Base {
  long other;
  Inner inner;
};
union Either {
  int number;
  float real;
};
struct Pointers {
  int *element, *hits, *cell;
  char* last;
  int* number;
};
static void write(const Pointers& to, int value) {
  *to.element = value;                  // race a
  *to.hits = value;                     // race b
  *to.cell = value;                     // race c
  *to.last = static_cast<char>(value);  // race d
  *to.number = value;                   // race e
}
int main() {
  int numbers[10];
  Entry table[5];
  int grid[2][3];
  Derived derived;
  Either either;
  const Pointers to{&numbers[7], &table[2].hits, &grid[1][2], &derived.inner.last, &either.number};
  std::thread one([&] {
    await(1);
    write(to, 1);
    reach(2);
  });
  std::thread two([&] {
    await(2);
    write(to, 2);
  });
  reach(1);
  one.join();
  two.join();
  USE(numbers);
  USE(table);
  USE(grid);
  USE(&derived);
  USE(&either);
}
