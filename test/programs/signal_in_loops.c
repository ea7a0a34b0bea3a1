// A handler that comes while the run time is busy runs as soon as that is left, also if the program then calls nothing
// of ours for ever: none is kept waiting.
// EXPECT none
#include <signal.h>
#include <unistd.h>

#include "order.h"
enum { kRounds = 500 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int word, plain[64];
static void loads(void) { USE(__atomic_load_n(&word, __ATOMIC_RELAXED)); }
static void changes(void) { __atomic_fetch_add(&word, 1, __ATOMIC_RELAXED); }
static void writes(void) {
  for (int i = 0; i < 64; ++i) ++plain[i];
}
static void allocates(void) {
  void* volatile block = malloc(100);
  free(block);
}
static void locks(void) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
}
static void duplicates(void) { MUST(dup2(0, 100) == 100); }
static const Body kinds[] = {loads, changes, writes, allocates, locks, duplicates};
enum { kKinds = sizeof kinds / sizeof kinds[0] };

// Counted in ways that no run time sees.
static int begun, sent, handled;
static void raise_count(int* count) { __asm__ volatile("lock incl %0" : "+m"(*count) : : "memory"); }
static int count_of(const int* count) {
  int now;
  __asm__ volatile("movl %1, %0" : "=r"(now) : "m"(*count) : "memory");
  return now;
}
static void handler(int number) {
  (void)number;
  raise_count(&handled);
}
static pthread_t receiver;
static void receive(void) {
  for (int round = 1; round <= kKinds * kRounds; ++round) {
    const Body kind = kinds[round % kKinds];
    raise_count(&begun);
    while (count_of(&sent) < round) kind();
    while (count_of(&handled) < round) __asm__ volatile("pause");
  }
}
static void send(void) {
  for (int round = 1; round <= kKinds * kRounds; ++round) {
    while (count_of(&begun) < round) __asm__ volatile("pause");
    MUST(pthread_kill(receiver, SIGUSR1) == 0);
    raise_count(&sent);
  }
}
int main(void) {
  signal(SIGUSR1, handler);
  receiver = start(receive);
  join(start(send));
  join(receiver);
}
