// Two threads count without a lock. The tests of the build systems beside this file run it.
#include <thread>

int visits = 0;

void visit() { ++visits; }

int main() {
  std::thread first(visit);
  std::thread second(visit);
  first.join();
  second.join();
  return visits == 2 ? 0 : 1;
}
