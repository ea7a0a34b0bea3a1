// Words that one thread wrote in one epoch, at two places, are read as a range by more threads than there are classes of readers. A
// write that nothing orders still races with the place that wrote its word.
// EXPECT race
#include <semaphore.h>
#include <string.h>

#include "order.h"
enum { kReaders = 12,
       kWords = 8 };
static volatile int words[kWords];
static sem_t written;
static void* reader(void* argument) {
  int copy[kWords];
  sem_wait(&written);
  await((int)(intptr_t)argument);
  memcpy(copy, (const int*)words, sizeof copy);  // race read
  USE(copy[1]);
  reach((int)(intptr_t)argument + 1);
  await(kReaders + 1);
  return NULL;
}
static void* late_writer(void* argument) {
  await(kReaders);
  words[5] = 3;  // race read // race write
  reach(kReaders + 1);
  return argument;
}
int main(void) {
  pthread_t readers[kReaders], late;
  sem_init(&written, 0, 0);
  pthread_create(&late, NULL, late_writer, NULL);
  for (int i = 0; i < kReaders; ++i) pthread_create(&readers[i], NULL, reader, (void*)(intptr_t)i);
  for (int i = 0; i < 4; ++i) words[i] = 1;
  for (int i = 4; i < kWords; ++i) words[i] = 2;  // race write
  for (int i = 0; i < kReaders; ++i) sem_post(&written);
  for (int i = 0; i < kReaders; ++i) pthread_join(readers[i], NULL);
  pthread_join(late, NULL);
}
