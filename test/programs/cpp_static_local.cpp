// A static local is initialised once; everybody else knows what the initialiser did.
// EXPECT none
#include "order.h"
struct Value {
  int number;
  Value() : number(1) {}
};
static int get() {
  static Value value;
  return value.number;
}
static void body() { USE(get()); }
int main() { RUN(body, body, body); }
