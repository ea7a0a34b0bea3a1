// What the first caller does later is not covered by the guard.
// EXPECT race
#include "order.h"
struct Value {
  int number;
  Value() : number(1) {}
};
static Value& get() {
  static Value value;
  return value;
}
static void first() {
  Value& value = get();
  value.number = 2;  // race
  reach(1);
}
static void second() {
  await(1);
  USE(get().number);  // race
}
int main() { RUN(first, second); }
