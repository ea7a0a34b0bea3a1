// EXPECT race
#include <semaphore>

#include "order.h"
int x;
static std::counting_semaphore<8> semaphore(0);
static void first() {
  semaphore.release();
  x = 1;  // race
  reach(1);
}
static void second() {
  semaphore.acquire();
  await(1);
  x = 2;  // race
}
int main() { RUN(first, second); }
