// Two threads that share an exception and write to it: only its end is ordered, not what its owners do with it.
// EXPECT race
#include <exception>

#include "order.h"
static std::exception_ptr pointers[2];
struct Error {
  int value;
};
static void first() {
  try {
    std::rethrow_exception(std::move(pointers[0]));
  } catch (Error& error) {
    error.value = 1;  // race
  }
  reach(1);
}
static void second() {
  await(1);
  try {
    std::rethrow_exception(std::move(pointers[1]));
  } catch (Error& error) {
    error.value = 2;  // race
  }
}
int main() {
  pointers[0] = std::make_exception_ptr(Error{0});
  pointers[1] = pointers[0];
  RUN(first, second);
}
