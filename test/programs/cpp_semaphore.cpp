// EXPECT none
#include <semaphore>

#include "order.h"
int x;
static std::counting_semaphore<8> semaphore(0);
static std::binary_semaphore lock(1);
static void first() {
  x = 1;
  semaphore.release(2);
}
static void second() {
  semaphore.acquire();
  lock.acquire();
  x++;
  lock.release();
}
int main() { RUN(first, second, second); }
