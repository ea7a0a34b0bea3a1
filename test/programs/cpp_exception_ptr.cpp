// An exception that is caught in one thread and destroyed in another: libstdc++ counts its owners itself.
// EXPECT none
#include <exception>
#include <future>
#include <stdexcept>

#include "order.h"
static std::exception_ptr pointers[2];
struct Error {
  int value;
};
static void use(std::exception_ptr mine) {
  try {
    std::rethrow_exception(std::move(mine));
  } catch (Error& error) {
    USE(error.value);
  }
}
static void first() { use(std::move(pointers[0])); }
static void second() { use(std::move(pointers[1])); }
int main() {
  for (int i = 0; i < 20; ++i) {
    pointers[0] = std::make_exception_ptr(Error{i});
    pointers[1] = pointers[0];
    RUN(first, second);
  }
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  pthread_t thread = start([] {});
  promise.set_exception(std::make_exception_ptr(std::runtime_error("x")));
  try {
    future.get();
  } catch (const std::runtime_error& error) {
    USE(error.what());
  }
  join(thread);
}
