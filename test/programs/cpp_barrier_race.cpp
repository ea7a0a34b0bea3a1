// EXPECT race
#include <barrier>

#include "order.h"
int x;
static std::barrier<> barrier(2);
static void first() {
  barrier.arrive_and_wait();
  x = 1;  // race
  reach(1);
}
static void second() {
  barrier.arrive_and_wait();
  await(1);
  x = 2;  // race
}
int main() { RUN(first, second); }
