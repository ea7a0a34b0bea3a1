// Cancellation: at points, at any time, in calls that wait; with functions that clean up, and race.
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include "pairs.h"

// In C: a thread that is cancelled between two calls cannot leave a function of C++.
extern "C" void* compute_until_cancelled(void* ready);

namespace pairs {

// Not within this file alone: a compiler leaves out writes that nobody could read.
int cleanup_raced[2];

namespace {

struct Point {
  int side;
  bool races;
  std::atomic<int> ready, first, cleaned;
};

void clean_up(void* data) {
  Point& point = *static_cast<Point*>(data);
  if (point.races) {
    await(point.first, 1);
    cleanup_raced[point.side] = 2;  // race cleanup
  }
  point.cleaned.store(1, std::memory_order_relaxed);
}

void* until_cancelled(void* data) {
  Point& point = *static_cast<Point*>(data);
  pthread_cleanup_push(clean_up, data);
  point.ready.store(1, std::memory_order_relaxed);
  for (;;) pthread_testcancel();
  pthread_cleanup_pop(0);
  return nullptr;
}

void cancelled(pthread_t thread) {
  must(pthread_cancel(thread) == 0);
  void* result = nullptr;
  must(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
}

void point_round(Side& side) {
  Point point{side.index, side.round == 0, {}, {}, {}};
  Running first([&] {
    if (!point.races) return;
    cleanup_raced[side.index] = 1;  // race cleanup
    point.first.store(1, std::memory_order_relaxed);
  });
  pthread_t thread;
  must(create(&thread, nullptr, until_cancelled, &point) == 0);
  await(point.ready, 1);
  cancelled(thread);
  must(point.cleaned.load(std::memory_order_relaxed) == 1);
}

// ---- at any time: the thread only computes

void any_time_round(Side&) {
  std::atomic<int> ready{0};
  pthread_t thread;
  must(create(&thread, nullptr, compute_until_cancelled, &ready) == 0);
  await(ready, 1);
  cancelled(thread);
}

// ---- in calls that wait

struct Waiting {
  std::atomic<int> ready;
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  sem_t semaphore;
  int pipe[2];
  pthread_t joined;
};
void* waits_in_read(void* data) {
  Waiting& waiting = *static_cast<Waiting*>(data);
  waiting.ready.store(1, std::memory_order_relaxed);
  char byte;
  for (;;)
    if (read(waiting.pipe[0], &byte, 1) > 0) return nullptr;
}
void unlock(void* mutex) { pthread_mutex_unlock(static_cast<pthread_mutex_t*>(mutex)); }
void* waits_for_condition(void* data) {
  Waiting& waiting = *static_cast<Waiting*>(data);
  pthread_mutex_lock(&waiting.mutex);
  pthread_cleanup_push(unlock, &waiting.mutex);
  waiting.ready.store(1, std::memory_order_relaxed);
  for (;;) pthread_cond_wait(&waiting.condition, &waiting.mutex);
  pthread_cleanup_pop(1);
  return nullptr;
}
void* waits_for_semaphore(void* data) {
  Waiting& waiting = *static_cast<Waiting*>(data);
  waiting.ready.store(1, std::memory_order_relaxed);
  for (;;) sem_wait(&waiting.semaphore);
}
void* sleeps(void* data) {
  Waiting& waiting = *static_cast<Waiting*>(data);
  waiting.ready.store(1, std::memory_order_relaxed);
  const timespec long_time = {1000, 0};
  for (;;) nanosleep(&long_time, nullptr);
}
void* joins(void* data) {
  Waiting& waiting = *static_cast<Waiting*>(data);
  waiting.ready.store(1, std::memory_order_relaxed);
  pthread_join(waiting.joined, nullptr);
  return nullptr;
}

void call_round(Side&) {
  Waiting waiting = {};
  must(pthread_mutex_init(&waiting.mutex, nullptr) == 0 && pthread_cond_init(&waiting.condition, nullptr) == 0);
  must(sem_init(&waiting.semaphore, 0, 0) == 0 && pipe(waiting.pipe) == 0);
  for (const auto function : {waits_in_read, waits_for_condition, waits_for_semaphore, sleeps}) {
    waiting.ready.store(0, std::memory_order_relaxed);
    pthread_t thread;
    must(create(&thread, nullptr, function, &waiting) == 0);
    await(waiting.ready, 1);
    cancelled(thread);
  }
  pthread_t thread;
  waiting.ready.store(0, std::memory_order_relaxed);
  must(create(&waiting.joined, nullptr, sleeps, &waiting) == 0);
  await(waiting.ready, 1);
  waiting.ready.store(0, std::memory_order_relaxed);
  must(create(&thread, nullptr, joins, &waiting) == 0);
  await(waiting.ready, 1);
  cancelled(thread);
  cancelled(waiting.joined);
  must(pthread_mutex_lock(&waiting.mutex) == 0 && pthread_mutex_unlock(&waiting.mutex) == 0);
  must(pthread_mutex_destroy(&waiting.mutex) == 0 && pthread_cond_destroy(&waiting.condition) == 0);
  must(sem_destroy(&waiting.semaphore) == 0 && close(waiting.pipe[0]) == 0 && close(waiting.pipe[1]) == 0);
}

constexpr Feature kFeatures[] = {
    {.name = "cancel-point", .round = point_round, .tells = "cleanup"},
    {.name = "cancel-any-time", .round = any_time_round, .rounds = 10},
    {.name = "cancel-call", .round = call_round, .rounds = 3},
};

}  // namespace

std::span<const Feature> cancel_features() { return kFeatures; }

}  // namespace pairs
