// Thirty threads read the same words at the same time, some of them by atomic operations; then one that is ordered after all
// of them writes, gives the memory back, or writes some bytes of it, and they read again.
// EXPECT none
#include <string.h>

#include "order.h"
enum { kReaders = 30,
       kRounds = 12 };
static pthread_barrier_t all;
static int* words;
static void* reader(void* argument) {
  const int me = (int)(intptr_t)argument;
  for (int round = 0; round < kRounds; ++round) {
    pthread_barrier_wait(&all);
    for (int i = 0; i < 4; ++i) {
      USE(words[me % 3]);
      USE(((char*)words)[12 + (me + i) % 4]);
      USE(__atomic_load_n(&words[4], __ATOMIC_RELAXED));
      if (me % 2 != 0) USE(words[4]);
    }
    pthread_barrier_wait(&all);
  }
  return NULL;
}
int main(void) {
  pthread_t readers[kReaders];
  pthread_barrier_init(&all, NULL, kReaders + 1);
  words = calloc(8, sizeof *words);
  for (int i = 0; i < kReaders; ++i) pthread_create(&readers[i], NULL, reader, (void*)(intptr_t)i);
  for (int round = 0; round < kRounds; ++round) {
    pthread_barrier_wait(&all);
    pthread_barrier_wait(&all);
    switch (round % 4) {
      case 0:
        words[1] = round;
        break;
      case 1:
        memset(words, round, 8 * sizeof *words);
        break;
      case 2:
        ((char*)words)[13] = 1;
        break;
      case 3:
        free(words);
        words = malloc(8 * sizeof *words);
        memset(words, 0, 8 * sizeof *words);
    }
  }
  for (int i = 0; i < kReaders; ++i) pthread_join(readers[i], NULL);
  free(words);
}
