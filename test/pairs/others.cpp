// What else a program does all day: fibers, exceptions, jumps, large atomics, locks and meetings, pipes, data of threads.
#include <poll.h>
#include <semaphore.h>
#include <setjmp.h>
#include <ucontext.h>
#include <unistd.h>

#include <barrier>
#include <condition_variable>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>

#include "pairs.h"

extern "C" {
__attribute__((weak)) void* __tsan_get_current_fiber();
__attribute__((weak)) void* __tsan_create_fiber(unsigned flags);
__attribute__((weak)) void __tsan_destroy_fiber(void* fiber);
__attribute__((weak)) void __tsan_switch_to_fiber(void* fiber, unsigned flags);
}

namespace pairs {
namespace {

// ---- fibers

struct Fiber {
  ucontext_t main_context, context;
  void *main_fiber, *fiber;
  int turns;
  char stack[1 << 16];
};
thread_local Fiber* current;
void fiber_body() {
  for (;;) {
    ++current->turns;
    __tsan_switch_to_fiber(current->main_fiber, 0);
    swapcontext(&current->context, &current->main_context);
  }
}
void fibers_round(Side& side) {
  if (!watched()) return;
  static Fiber fibers[2];
  Fiber& mine = fibers[side.index];
  current = &mine;
  mine.turns = 0;
  mine.main_fiber = __tsan_get_current_fiber();
  mine.fiber = __tsan_create_fiber(0);
  must(getcontext(&mine.context) == 0);
  mine.context.uc_stack.ss_sp = mine.stack;
  mine.context.uc_stack.ss_size = sizeof mine.stack;
  makecontext(&mine.context, fiber_body, 0);
  for (int i = 1; i <= 20; ++i) {
    __tsan_switch_to_fiber(mine.fiber, 0);
    swapcontext(&mine.main_context, &mine.context);
    must(mine.turns == i);
  }
  __tsan_destroy_fiber(mine.fiber);
}

// ---- exceptions and jumps

__attribute__((noinline)) void throw_from(int depth) {
  const std::string something(static_cast<size_t>(depth) + 20, 'x');
  if (depth == 0) throw std::runtime_error(something);
  throw_from(depth - 1);
  __asm__ volatile("" : : "r"(something.data()));
}
void exceptions_round(Side&) {
  const auto throws = [] {
    for (int i = 0; i < 10; ++i) {
      std::exception_ptr kept;
      try {
        throw_from(i);
      } catch (...) {
        kept = std::current_exception();
      }
      try {
        std::rethrow_exception(kept);
      } catch (const std::runtime_error& e) {
        must(e.what()[0] == 'x');
      }
    }
  };
  Running other(throws);
  throws();
}

__attribute__((noinline)) void jump_from(jmp_buf& target, int depth) {
  if (depth == 0) longjmp(target, 1);
  if (depth > 0) jump_from(target, depth - 1);
  __asm__ volatile("");
}
__attribute__((noinline)) void jump(int depth) {
  jmp_buf target;
  if (setjmp(target) == 0) jump_from(target, depth);
}
void jumps_round(Side&) {
  for (int i = 0; i < 50; ++i) jump(i % 10);
}

// ---- atomics that no instruction can change

struct Large {
  long values[5];
};
std::atomic<Large> large;
void large_round(Side& side) {
  const auto change = [&] {
    for (long i = 0; i < 50; ++i) {
      Large expected = large.load();
      must(expected.values[0] == expected.values[4]);
      const long value = i * 2 + side.index;
      large.compare_exchange_strong(expected, Large{{value, value, value, value, value}});
    }
  };
  Running other(change);
  change();
}

// ---- locks and meetings

void meetings_round(Side&) {
  std::mutex mutex;
  std::shared_mutex shared;
  std::condition_variable condition;
  std::barrier<> barrier(2);
  int value = 0, turn = 0, met = 0;
  const auto use = [&](int me) {
    for (int i = 0; i < 5; ++i) {
      {
        std::unique_lock held(mutex);
        condition.wait(held, [&] { return turn == me; });
        ++value;
        turn = 1 - me;
      }
      condition.notify_all();
      if (me == 0) {
        const std::unique_lock held(shared);
        ++met;
      } else {
        const std::shared_lock held(shared);
        must(met >= 0);
      }
      barrier.arrive_and_wait();
    }
  };
  {
    Running other([&] { use(1); });
    use(0);
  }
  must(value == 10 && met == 5);
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  Running sender([&] { promise.set_value(17); });
  must(future.get() == 17);
}

// ---- pipes

void pipes_round(Side&) {
  int ends[2];
  must(pipe(ends) == 0);
  int passed = 0;
  {
    Running writer([&] {
      for (int i = 0; i < 10; ++i) {
        passed = i;
        must(write(ends[1], "x", 1) == 1);
      }
    });
    pollfd wanted = {ends[0], POLLIN, 0};
    while (poll(&wanted, 1, -1) != 1) {
    }
    char byte;
    for (int i = 0; i < 10; ++i) must(read(ends[0], &byte, 1) == 1);
    must(passed >= 0);
  }
  must(passed == 9 && close(ends[0]) == 0 && close(ends[1]) == 0);
}

// ---- data of threads, and functions at their ends

struct AtEnd {
  ~AtEnd() {
    if (to != nullptr) *to += 1;
  }
  int* to = nullptr;
};
thread_local AtEnd at_end;
void thread_data_round(Side&) {
  pthread_key_t key;
  must(pthread_key_create(&key, [](void* data) { *static_cast<int*>(data) += 2; }) == 0);
  for (int i = 0; i < 5; ++i) {
    int value = 0;
    Running thread([&] {
      at_end.to = &value;
      must(pthread_setspecific(key, &value) == 0);
    });
    thread.join();
    must(value == 3);
  }
  must(pthread_key_delete(key) == 0);
}

constexpr Feature kFeatures[] = {
    {.name = "fibers", .round = fibers_round},
    {.name = "exceptions", .round = exceptions_round, .rounds = 3},
    {.name = "jumps", .round = jumps_round},
    {.name = "large-atomics", .round = large_round},
    {.name = "meetings", .round = meetings_round},
    {.name = "pipes", .round = pipes_round},
    {.name = "thread-data", .round = thread_data_round},
};

}  // namespace

std::span<const Feature> other_features() { return kFeatures; }

}  // namespace pairs
