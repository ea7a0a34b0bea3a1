// Ways in which a program ends while other threads run or wait.
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <stdexcept>

#include "pairs.h"

extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace pairs {

// Not within this file alone: a compiler leaves out writes that nobody could read.
int at_exit_raced;

namespace {

void nothing(Side&) {}

// ---- threads that wait for ever, each for something else

template <class Body>
pthread_t start(Body body) {
  pthread_t thread;
  must(create(
           &thread, nullptr,
           [](void* data) -> void* {
             (*static_cast<Body*>(data))();
             return nullptr;
           },
           new Body(body)) == 0);
  return thread;
}

void blocked_round(Side& side) {
  if (side.round != 0) return;
  static pthread_mutex_t mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
  static pthread_mutex_t other[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
  static pthread_cond_t never[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
  static sem_t semaphore[2];
  static int pipes[2][2];
  static std::atomic<int> about_to[2];
  const int s = side.index;
  must(sem_init(&semaphore[s], 0, 0) == 0 && pipe(pipes[s]) == 0);
  std::atomic<int>& ready = about_to[s];
  start([s, &ready] {
    pthread_mutex_lock(&mutex[s]);
    ready.fetch_add(1, std::memory_order_relaxed);
    for (;;) pause();
  });
  await(ready, 1);
  const pthread_t waiter = start([s, &ready] {
    ready.fetch_add(1, std::memory_order_relaxed);
    pthread_mutex_lock(&mutex[s]);
  });
  start([waiter, &ready] {
    ready.fetch_add(1, std::memory_order_relaxed);
    pthread_join(waiter, nullptr);
  });
  start([s, &ready] {
    pthread_mutex_lock(&other[s]);
    ready.fetch_add(1, std::memory_order_relaxed);
    for (;;) pthread_cond_wait(&never[s], &other[s]);
  });
  start([s, &ready] {
    ready.fetch_add(1, std::memory_order_relaxed);
    for (;;) sem_wait(&semaphore[s]);
  });
  start([s, &ready] {
    char byte;
    ready.fetch_add(1, std::memory_order_relaxed);
    for (;;)
      if (read(pipes[s][0], &byte, 1) > 0) return;
  });
  await(ready, 6);
}

void stream_round(Side& side) {
  if (side.round != 0) return;
  static int pipes[2][2];
  static std::atomic<int> about_to[2];
  const int s = side.index;
  must(pipe(pipes[s]) == 0);
  FILE* const stream = fdopen(pipes[s][0], "r");
  must(stream != nullptr);
  start([stream, s] {
    char line[80];
    about_to[s].store(1, std::memory_order_relaxed);
    while (fgets(line, sizeof line, stream) == nullptr) {
    }
  });
  await(about_to[s], 1);
}

// ---- functions called at exit

void race_at_exit() {
  if (!in_first_process()) return;
  one_after_the_other(
      [] {
        at_exit_raced = 1;  // race atexit
      },
      [] {
        at_exit_raced = 2;  // race atexit
      });
}

// ---- halt_on_error and the death callback

std::atomic<int> deaths;
void dying_round(Side& side) {
  if (watched() && side.round == 0)
    __sanitizer_set_death_callback([] {
      must(deaths.fetch_add(1, std::memory_order_relaxed) == 0 || !in_first_process());
      Running thread([] { sched_yield(); });
    });
}

constexpr Feature kFeatures[] = {
    {.name = "end-return", .round = nothing, .ends = Ends::kMain, .end = nothing},
    {.name = "end-exit", .round = nothing, .ends = Ends::kThread, .end = [](Side&) { exit(0); }},
    {.name = "end-exit-status", .round = nothing, .ends = Ends::kMain, .end = [](Side&) { exit(7); }},
    {.name = "end-at-once", .round = nothing, .ends = Ends::kThread, .end = [](Side&) { _exit(0); }},
    {.name = "end-quick",
     .round =
         [](Side& side) {
           if (side.round == 0) must(at_quick_exit([] {}) == 0);
         },
     .ends = Ends::kThread,
     .end = [](Side&) { quick_exit(3); },
     .status = 3},
    {.name = "end-main-leaves",
     .round = nothing,
     .ends = Ends::kMainAfterOthers,
     .end = [](Side&) { pthread_exit(nullptr); }},
    {.name = "end-blocked", .round = blocked_round, .ends = Ends::kMain, .end = nothing},
    {.name = "end-stream", .round = stream_round, .ends = Ends::kMain, .end = nothing},
    {.name = "end-atexit",
     .round =
         [](Side& side) {
           if (side.round == 0) must(atexit(race_at_exit) == 0);
         },
     .tells = "atexit?",
     .ends = Ends::kThread,
     .end = [](Side&) { exit(0); }},
    {.name = "end-abort", .round = nothing, .ends = Ends::kThread, .end = [](Side&) { abort(); }, .status = 128 + 6},
    {.name = "end-abort-handler",
     .round =
         [](Side&) {
           struct sigaction action = {};
           action.sa_handler = [](int) { _exit(5); };
           must(sigaction(SIGABRT, &action, nullptr) == 0);
         },
     .ends = Ends::kThread,
     .end = [](Side&) { abort(); },
     .status = 5},
    {.name = "end-terminate",
     .round =
         [](Side& side) {
           if (side.round == 0) std::set_terminate([] { _exit(6); });
         },
     .ends = Ends::kThread,
     .end = [](Side&) { throw std::runtime_error("nobody catches it"); },
     .status = 6},
    {.name = "end-killed",
     .round = nothing,
     .ends = Ends::kThread,
     .end = [](Side&) { raise(SIGTERM); },
     .status = 128 + 15},
    {.name = "end-becomes",
     .round = nothing,
     .ends = Ends::kThread,
     .end =
         [](Side&) {
           char path[4200];  // /proc/self/exe is gone if the main thread is
           std::snprintf(path, sizeof path, "%s/pairs", folder());
           execl(path, "pairs", "--became", "8", nullptr);
         },
     .status = 8},
    {.name = "end-halts", .round = dying_round, .ends = Ends::kMain, .end = nothing, .options = "halt_on_error=1"},
};

}  // namespace

std::span<const Feature> end_features() { return kFeatures; }

}  // namespace pairs
