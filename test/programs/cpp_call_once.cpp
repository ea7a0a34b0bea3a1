// EXPECT none
#include <mutex>

#include "order.h"
int x;
static std::once_flag flag;
static void body() {
  std::call_once(flag, [] { x = 1; });
  USE(x);
}
int main() { RUN(body, body, body); }
