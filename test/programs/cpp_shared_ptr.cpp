// The last owner destroys what the others used.
// EXPECT none
#include <memory>

#include "order.h"
struct Value {
  int number = 1;
  ~Value() { number = 2; }
};
static std::shared_ptr<Value> pointers[3];
template <int n>
static void use() {
  std::shared_ptr<Value> mine = std::move(pointers[n]);
  USE(mine->number);
}
static std::weak_ptr<Value> weak;
static void lock() {
  if (std::shared_ptr<Value> mine = weak.lock()) USE(mine->number);
}
int main() {
  for (int i = 0; i < 20; ++i) {
    pointers[0] = pointers[1] = pointers[2] = std::make_shared<Value>();
    weak = pointers[0];
    RUN(use<0>, use<1>, use<2>, lock);
  }
}
