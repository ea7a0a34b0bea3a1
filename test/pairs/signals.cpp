// Signals: by timers, to threads, queued in order, on an alternative stack, left by a jump, racing, and while handlers
// are set.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "pairs.h"

namespace pairs {

// Not within this file alone: a compiler leaves out writes that nobody could read.
int handler_raced[2];

namespace {

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  must(sigaction(signal, &action, nullptr) == 0);
}
void handle_with_info(int signal, void (*handler)(int, siginfo_t*, void*), int flags = 0) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_RESTART | SA_SIGINFO | flags;
  must(sigaction(signal, &action, nullptr) == 0);
}

// Something to be interrupted in.
volatile long busy_with[2][16];
void be_busy(int side, int times) {
  for (int i = 0; i < times; ++i) busy_with[side][i % 16] = busy_with[side][(i + 1) % 16] + i;
}

// ---- a timer, whose signals any thread may get

std::atomic<int> ticks;
thread_local volatile int ticks_here;  // plain: the handler and what it interrupts are one thread, wherever it comes
void timer_round(Side& side) {
  static timer_t timers[2];
  if (side.round == 0) {
    handle(SIGRTMIN + 1, [](int) {
      ticks_here = ticks_here + 1;
      ticks.fetch_add(1, std::memory_order_relaxed);
    });
    sigevent event = {};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGRTMIN + 1;
    must(timer_create(CLOCK_MONOTONIC, &event, &timers[side.index]) == 0);
    const itimerspec often = {{0, 300'000}, {0, 300'000}};
    must(timer_settime(timers[side.index], 0, &often, nullptr) == 0);
  }
  const int before = ticks.load(std::memory_order_relaxed);
  while (ticks.load(std::memory_order_relaxed) < before + 3) be_busy(side.index, 100);
}

// ---- two signals sent back to back to a busy thread: both come

thread_local std::atomic<int>* first_count;
thread_local std::atomic<int>* second_count;
void pair_round(Side& side) {
  handle(SIGUSR1, [](int) { first_count->fetch_add(1, std::memory_order_relaxed); });
  handle(SIGUSR2, [](int) { second_count->fetch_add(1, std::memory_order_relaxed); });
  std::atomic<int> first{0}, second{0}, ready{0}, done{0};
  Running target([&] {
    first_count = &first;
    second_count = &second;
    ready.store(1, std::memory_order_relaxed);
    while (done.load(std::memory_order_relaxed) == 0) be_busy(side.index, 20);
  });
  await(ready, 1);
  constexpr int kPairs = 20;
  for (int i = 1; i <= kPairs; ++i) {
    must(pthread_kill(target.handle(), SIGUSR1) == 0);
    must(pthread_kill(target.handle(), SIGUSR2) == 0);
    await(first, i);
    await(second, i);
  }
  done.store(1, std::memory_order_relaxed);
  target.join();
  must(first.load(std::memory_order_relaxed) == kPairs && second.load(std::memory_order_relaxed) == kPairs);
}

// ---- queued signals with values: all come, in order

thread_local std::atomic<int>* values_seen;
void queue_round(Side& side) {
  handle_with_info(SIGRTMIN + 2, [](int, siginfo_t* info, void*) {
    must(info->si_value.sival_int == values_seen->load(std::memory_order_relaxed));
    values_seen->fetch_add(1, std::memory_order_relaxed);
  });
  std::atomic<int> seen{0}, ready{0};
  constexpr int kValues = 48;
  Running target([&] {
    values_seen = &seen;
    ready.store(1, std::memory_order_relaxed);
    while (seen.load(std::memory_order_relaxed) < kValues) be_busy(side.index, 20);
  });
  await(ready, 1);
  for (int i = 0; i < kValues; ++i) {
    sigval value;
    value.sival_int = i;
    int error;
    while ((error = pthread_sigqueue(target.handle(), SIGRTMIN + 2, value)) == EAGAIN) sched_yield();
    must(error == 0);
  }
}

// ---- an alternative stack

constexpr size_t kStackBytes = 128 << 10;  // small ones are replaced by larger ones
thread_local char* alternative;
thread_local int handled_there;
void stack_round(Side& side) {
  handle_with_info(
      SIGRTMIN + 3,
      [](int, siginfo_t* info, void*) {
        char here;
        must(alternative != nullptr && &here > alternative && &here < alternative + kStackBytes);
        must(info->si_code == SI_TKILL);
        ++handled_there;
      },
      SA_ONSTACK);
  Running thread([&] {
    static char memory[2][kStackBytes];
    stack_t stack = {};
    stack.ss_sp = memory[side.index];
    stack.ss_size = sizeof memory[0];
    must(sigaltstack(&stack, nullptr) == 0);
    alternative = memory[side.index];
    for (int i = 1; i <= 5; ++i) {
      be_busy(side.index, 50);
      must(pthread_kill(pthread_self(), SIGRTMIN + 3) == 0);
      must(handled_there == i);
    }
    stack.ss_flags = SS_DISABLE;
    must(sigaltstack(&stack, nullptr) == 0);
  });
}

// ---- a handler that is left by a jump

thread_local sigjmp_buf* jump_to;
void jump_round(Side& side) {
  handle(SIGRTMIN + 4, [](int) {
    if (jump_to != nullptr) siglongjmp(*jump_to, 1);
  });
  std::atomic<int> jumps{0}, ready{0};
  constexpr int kJumps = 10;
  Running target([&] {
    sigjmp_buf before;
    if (sigsetjmp(before, 1) != 0) jumps.fetch_add(1, std::memory_order_relaxed);
    jump_to = &before;
    ready.store(1, std::memory_order_relaxed);
    while (jumps.load(std::memory_order_relaxed) < kJumps) be_busy(side.index, 20);
    jump_to = nullptr;
  });
  await(ready, 1);
  for (int i = 1; i <= kJumps; ++i) {
    must(pthread_kill(target.handle(), SIGRTMIN + 4) == 0);
    await(jumps, i);
  }
}

// ---- a handler that races

thread_local int handler_side;
thread_local std::atomic<int>* handler_ran;
void racing_round(Side& side) {
  if (side.round != 0) return be_busy(side.index, 1000);
  handle(SIGRTMIN + 5, [](int) {
    in_handler = true;
    handler_raced[handler_side] = 1;  // race handler
    in_handler = false;
    handler_ran->store(1, std::memory_order_relaxed);
  });
  one_after_the_other(
      [&] {
        handler_raced[side.index] = 2;  // race handler
      },
      [&] {
        std::atomic<int> ran{0};
        handler_side = side.index;
        handler_ran = &ran;
        must(raise(SIGRTMIN + 5) == 0);
        while (ran.load(std::memory_order_relaxed) == 0) be_busy(side.index, 10);
      });
}

// ---- handlers that change while signals come, masks and waiting

thread_local int changed_handled;
void changing_round(Side& side) {
  for (int i = 0; i < 10; ++i) {
    if (i % 2 == 0)
      handle(SIGRTMIN + 6, [](int) { ++changed_handled; });
    else
      handle_with_info(SIGRTMIN + 6, [](int, siginfo_t*, void*) { ++changed_handled; });
    const int before = changed_handled;
    must(raise(SIGRTMIN + 6) == 0);
    must(changed_handled == before + 1);
    sigset_t one, old;
    sigemptyset(&one);
    sigaddset(&one, SIGRTMIN + 6);
    must(pthread_sigmask(SIG_BLOCK, &one, &old) == 0);
    must(raise(SIGRTMIN + 6) == 0);
    be_busy(side.index, 10);
    must(changed_handled == before + 1);
    if (i % 3 == 0) {
      int got = 0;
      must(sigwait(&one, &got) == 0 && got == SIGRTMIN + 6);
    } else if (i % 3 == 1) {
      sigsuspend(&old);  // another signal may end it
      while (changed_handled == before + 1) sigsuspend(&old);
      must(changed_handled == before + 2);
    }
    const int still = i % 3 == 2 ? 1 : 0, so_far = changed_handled;
    must(pthread_sigmask(SIG_SETMASK, &old, nullptr) == 0);
    must(changed_handled == so_far + still);
  }
}

constexpr Feature kFeatures[] = {
    {.name = "signal-timer", .round = timer_round},
    {.name = "signal-two", .round = pair_round},
    {.name = "signal-queue", .round = queue_round},
    {.name = "signal-stack", .round = stack_round},
    {.name = "signal-jump", .round = jump_round},
    {.name = "signal-race", .round = racing_round, .tells = "handler"},
    {.name = "signal-change", .round = changing_round},
};

}  // namespace

std::span<const Feature> signal_features() { return kFeatures; }

}  // namespace pairs
