// A lock of the program's own, by annotations; what it is made of is not looked at.
// EXPECT none
#include "order.h"
void __tsan_mutex_pre_lock(void* mutex, unsigned flags);
void __tsan_mutex_post_lock(void* mutex, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void* mutex, unsigned flags);
void __tsan_mutex_post_unlock(void* mutex, unsigned flags);
static int word, x;
static void lock(void) {
  __tsan_mutex_pre_lock(&word, 0);
  while (__atomic_exchange_n(&word, 1, __ATOMIC_RELAXED) != 0) sched_yield();
  __tsan_mutex_post_lock(&word, 0, 0);
}
static void unlock(void) {
  __tsan_mutex_pre_unlock(&word, 0);
  __atomic_store_n(&word, 0, __ATOMIC_RELAXED);
  __tsan_mutex_post_unlock(&word, 0);
}
static void body(void) {
  for (int i = 0; i < 1000; ++i) {
    lock();
    ++x;
    unlock();
  }
}
int main(void) { RUN(body, body, body); }
