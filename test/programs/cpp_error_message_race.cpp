// A message that is read through a pointer goes with its exception.
// EXPECT race
#include <optional>
#include <stdexcept>

#include "order.h"
std::optional<std::runtime_error> a;
const char* text;
static void first() {
  USE(text[3]);  // race
  reach(1);
}
static void second() {
  await(1);
  a.reset();  // race
}
int main() {
  a.emplace("a message, too long for a small string");
  text = a->what();
  RUN(first, second);
}
