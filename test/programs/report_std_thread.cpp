// The creation stack of a std::thread has the user's frame behind libstdc++'s.
// EXPECT race
// HAS #0 pthread_create
// HAS #[0-9]+ make_thread.*report_std_thread.cpp:10
#include <thread>

#include "order.h"
int x;
static void body() { x = 1; }  // race
__attribute__((noinline)) std::thread make_thread() { return std::thread(body); }
int main() {
  std::thread thread = make_thread();
  x = 2;  // race
  thread.join();
}
