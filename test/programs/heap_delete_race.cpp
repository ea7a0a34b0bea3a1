// EXPECT race
#include "order.h"
struct Node {
  long a, b;
};
static Node* x = new Node;
static void first() {
  x->b = 1;  // race
  reach(1);
}
static void second() {
  await(1);
  delete x;  // race
}
int main() { RUN(first, second); }
