// What every program of this suite uses: threads whose order is forced, but which nothing orders.
//
// `reach(n)` and `await(n)` make one thread wait for another by a relaxed atomic, which is no synchronisation. One
// trap: a relaxed read followed by an acquire fence IS an edge if the writer had passed a release fence. Programs with
// fences define ORDER_INVISIBLE, and then the same is done by instructions that no compiler instruments.
//
// A program says in its head `// EXPECT race` or `// EXPECT none`, and marks the two lines of an expected race by a
// comment `// race` at their end (`// race a`, `// race b` if there are several). test/programs/run compares.
#ifndef DEADHEAT_TEST_ORDER_H
#define DEADHEAT_TEST_ORDER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static int order_step;

static inline void reach(int step) {
#ifdef ORDER_INVISIBLE
  __asm__ volatile("movl %1, %0" : "=m"(order_step) : "r"(step) : "memory");
#else
  __asm__ volatile("" : : : "memory");
  __atomic_store_n(&order_step, step, __ATOMIC_RELAXED);
  __asm__ volatile("" : : : "memory");
#endif
}

static inline void await(int step) {
  for (;;) {
    int now;
#ifdef ORDER_INVISIBLE
    __asm__ volatile("movl %1, %0" : "=r"(now) : "m"(order_step) : "memory");
#else
    now = __atomic_load_n(&order_step, __ATOMIC_RELAXED);
#endif
    __asm__ volatile("" : : : "memory");
    if (now >= step) return;
    sched_yield();
  }
}

// The value was read, whatever an optimiser thinks of it.
#define USE(value) __asm__ volatile("" : : "r"(value) : "memory")

typedef void (*Body)(void);

#ifdef __cplusplus
#define BODY_OF(argument) (reinterpret_cast<Body>(argument))
#define ARGUMENT_OF(body) (reinterpret_cast<void*>(body))
#else
#define BODY_OF(argument) ((Body)(argument))
#define ARGUMENT_OF(body) ((void*)(body))
#endif

static inline void* run_body(void* argument) {
  BODY_OF(argument)();
  return NULL;
}

static inline pthread_t start(Body body) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, run_body, ARGUMENT_OF(body)) != 0) abort();
  return thread;
}

static inline void join(pthread_t thread) {
  if (pthread_join(thread, NULL) != 0) abort();
}

static inline void run_bodies(const Body* bodies, size_t count) {
  pthread_t threads[64];
  for (size_t i = 0; i < count; ++i) threads[i] = start(bodies[i]);
  for (size_t i = 0; i < count; ++i) join(threads[i]);
}

// Runs the functions in a thread each and waits for all.
#define RUN(...)                                             \
  do {                                                       \
    const Body bodies_[] = {__VA_ARGS__};                    \
    run_bodies(bodies_, sizeof bodies_ / sizeof bodies_[0]); \
  } while (0)

// For calls that must succeed: a program that does not do what it says has no verdict.
#define MUST(call) ((call) ? (void)0 : abort())

#endif
