// Thirty threads that live at the same time read a word again and again, and each also some of its bytes; the writer is ordered
// after all of them but one, whose reads come neither first nor last. So more read it than there are classes of readers.
// EXPECT race
// HAS Previous read
#include "order.h"
enum { kReaders = 30,
       kOdd = 17 };
static union {
  int word;
  char bytes[4];
} x;
static pthread_mutex_t own[kReaders];
static void read_often(int me) {
  for (int i = 0; i < 3; ++i) {
    USE(x.word);
    USE(x.bytes[i]);
    pthread_mutex_lock(&own[me]);  // a new epoch that nobody learns of
    pthread_mutex_unlock(&own[me]);
  }
}
static void* reader(void* argument) {
  const int me = (int)(intptr_t)argument;
  await(me);
  if (me != kOdd) read_often(me);
  if (me == kOdd) USE(x.word);  // race
  reach(me + 1);
  await(kReaders);
  if (me == kOdd) await(kReaders + 1);
  return NULL;
}
int main(void) {
  pthread_t readers[kReaders];
  x.word = 1;
  for (int i = 0; i < kReaders; ++i) {
    pthread_mutex_init(&own[i], NULL);
    pthread_create(&readers[i], NULL, reader, (void*)(intptr_t)i);
  }
  for (int i = 0; i < kReaders; ++i)
    if (i != kOdd) pthread_join(readers[i], NULL);
  x.word = 2;  // race
  reach(kReaders + 1);
  pthread_join(readers[kOdd], NULL);
}
