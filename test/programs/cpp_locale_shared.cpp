// Copies of a locale share its facets; the last to go destroys them, after all others have used them.
// EXPECT none
#include <locale>
#include <string>

#include "order.h"
struct Facet : std::numpunct<char> {
  int uses = 0;
  char do_decimal_point() const override { return ','; }
};
std::locale *a, *b, *c;
static int use(const std::locale& locale) {
  const auto& facet = static_cast<const Facet&>(std::use_facet<std::numpunct<char>>(locale));
  return facet.decimal_point() + facet.uses;
}
static void first() {
  USE(use(*a));
  delete a;
  reach(1);
}
static void second() {
  await(1);
  USE(use(*c));
  *c = std::locale::classic();
  reach(2);
}
static void third() {
  await(2);
  delete b;
}
int main() {
  a = new std::locale(std::locale(), new Facet);
  b = new std::locale(*a);
  c = new std::locale(*a);
  RUN(first, second, third);
  delete c;
}
