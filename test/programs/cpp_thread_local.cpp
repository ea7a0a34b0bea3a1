// Thread-local objects are made and destroyed in their thread.
// EXPECT none
#include <string>

#include "order.h"
int destroyed;
struct Value {
  std::string text = "a text that is too long to be stored within";
  ~Value() { destroyed++; }
};
static thread_local Value value;
static void body() { value.text += "x"; }
int main() {
  for (int i = 0; i < 5; ++i) join(start(body));
  MUST(destroyed == 5);
}
