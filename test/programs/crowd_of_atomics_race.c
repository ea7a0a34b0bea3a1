// Thirty threads change a word by atomic operations that order nothing; then the first thread, which is ordered after all of them
// but one, reads a byte of it. So atomic writes of more threads than a record keeps by itself are there, and a read without the lock must
// see that one of them is not ordered.
// EXPECT race
// HAS Previous atomic write
#include "order.h"
enum { kWriters = 30,
       kOdd = 17 };
static struct {
  int x, other;
} s;
static void change_once(void) {
  __atomic_fetch_add(&s.x, 1, __ATOMIC_RELAXED);  // race
}
static void change_often(void) {
  for (int i = 0; i < 3; ++i) __atomic_fetch_add(&s.x, 1, __ATOMIC_RELAXED);
}
static void* writer(void* argument) {
  const int me = (int)(intptr_t)argument;
  await(me);
  (me == kOdd ? change_once : change_often)();
  reach(me + 1);
  await(kWriters);
  if (me == kOdd) await(kWriters + 1);
  return NULL;
}
int main(void) {
  pthread_t writers[kWriters];
  for (int i = 0; i < kWriters; ++i) pthread_create(&writers[i], NULL, writer, (void*)(intptr_t)i);
  USE(s.other);  // from now on the part has cells of the first thread's class
  for (int i = 0; i < kWriters; ++i)
    if (i != kOdd) pthread_join(writers[i], NULL);
  USE(((char*)&s.x)[1]);  // race
  reach(kWriters + 1);
  pthread_join(writers[kOdd], NULL);
}
