// Copies of a filesystem_error share their paths; the last to go frees them, after all others have read them.
// EXPECT none
#include <filesystem>
#include <optional>
#include <string>

#include "order.h"
std::optional<std::filesystem::filesystem_error> a, b;
static void first() {
  USE(std::string(a->what()).size() + a->path1().native().size());
  a.reset();
  reach(1);
}
static void second() {
  await(1);
  b.reset();
}
int main() {
  a.emplace("a message", std::filesystem::path("/a/path/too/long/for/a/small/string"), std::error_code());
  b.emplace(*a);
  RUN(first, second);
}
