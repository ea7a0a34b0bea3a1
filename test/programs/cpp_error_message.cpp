// Copies of an exception share its message; the last to go frees it, after all others have read it.
// EXPECT none
#include <optional>
#include <stdexcept>
#include <string>

#include "order.h"
std::optional<std::runtime_error> a, b, c;
static void first() {
  const std::string text = a->what();
  USE(text.size());
  a.reset();
  reach(1);
}
static void second() {
  await(1);
  const std::string text = c->what();
  *c = std::runtime_error("another message, too long for a small string");
  reach(2);
}
static void third() {
  await(2);
  b.reset();
}
int main() {
  a.emplace("a message, too long for a small string");
  b.emplace(*a);
  c.emplace(*a);
  RUN(first, second, third);
}
