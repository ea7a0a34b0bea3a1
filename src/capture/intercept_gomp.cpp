// OpenMP as GCC compiles it: what orders the threads of a team, and tasks with each other.
//
// libgomp synchronises by atomics and futexes of its own, which nobody sees. Its entry points say what is meant:
//   region     what came before is known to every thread of the team; what they did, to what follows
//   barrier    one clock per generation, as for pthread barriers; also at the end of loops and sections
//   task       knows what its creator did before; who waits for tasks knows what those did that have ended (all of the
//              team: which were meant is not asked). A task with dependences comes after all that ended before it
//   critical, atomic, locks      locks; ordered parts follow each other
// Not understood: taskloop, doacross loops and offloading. What libgomp itself copies is not looked at.
#include <cstddef>
#include <cstdint>

#include "runtime/api.h"
#include "runtime/heap.h"
#include "runtime/thread.h"

using namespace deadheat::live;

namespace {

// Lives on the stack of the thread that begins the region, until all have left it.
struct Team {
  void (*function)(void*);
  void* data;
  char start, end, barrier, tasks, copy, ordered;  // their addresses have the clocks
};
constinit __thread Team* team __attribute__((tls_model("initial-exec"))) = nullptr;

// Within libgomp nobody looks; within the program's own function that it calls, somebody does.
class Unwatched {
 public:
  Unwatched() { ++tls.ignoring; }
  ~Unwatched() { --tls.ignoring; }
};
class Watched {
 public:
  Watched() : ignoring_(tls.ignoring) { tls.ignoring = 0; }
  ~Watched() { tls.ignoring = ignoring_; }

 private:
  uint32_t ignoring_;
};

void run_in_team(void* data) {
  Team* const mine = static_cast<Team*>(data);
  Team* const outer = team;
  team = mine;
  {
    Entry entry(DEADHEAT_CALLER);
    acquire(entry, &mine->start);
  }
  {
    const Watched watched;
    mine->function(mine->data);
  }
  {
    Entry entry(DEADHEAT_CALLER);
    release(entry, &mine->end);
  }
  team = outer;
}

template <class RealRegion>
void region(void* caller, Team& mine, RealRegion real_region) {
  {
    Entry entry(caller);
    release(entry, &mine.start);
  }
  {
    const Unwatched unwatched;
    real_region();
  }
  Entry entry(caller);
  acquire(entry, &mine.end);
  for (const char* clock : {&mine.start, &mine.end, &mine.barrier, &mine.tasks, &mine.copy, &mine.ordered})
    forget(clock);
}

}  // namespace

DEADHEAT_REAL_OF(int, omp_get_num_threads)

namespace {

// Tasks may run while a thread waits: what they did is known when the wait is over.
template <class RealWait>
auto wait_in_barrier(void* caller, RealWait real_wait) {
  Team* const mine = team;
  if (mine == nullptr) return real_wait();
  Entry entry(caller);
  BarrierGeneration* generation =
      barrier_enter(entry, &mine->barrier, static_cast<uint32_t>(REAL(omp_get_num_threads)()));
  struct Leave {
    Entry& entry;
    Team* mine;
    BarrierGeneration* generation;
    ~Leave() {
      barrier_leave(entry, generation);
      acquire(entry, &mine->tasks);
    }
  } leave{entry, mine, generation};
  const Unwatched unwatched;
  return real_wait();
}

}  // namespace

// ---- regions ----

DEADHEAT_INTERCEPT(void, GOMP_parallel, void (*function)(void*), void* data, unsigned threads, unsigned flags) {
  Team mine{function, data, 0, 0, 0, 0, 0, 0};
  region(DEADHEAT_CALLER, mine, [&] { REAL(GOMP_parallel)(run_in_team, &mine, threads, flags); });
}
DEADHEAT_INTERCEPT(unsigned, GOMP_parallel_reductions, void (*function)(void*), void* data, unsigned threads,
                   unsigned flags) {
  Team mine{function, data, 0, 0, 0, 0, 0, 0};
  unsigned result = 0;
  region(DEADHEAT_CALLER, mine, [&] { result = REAL(GOMP_parallel_reductions)(run_in_team, &mine, threads, flags); });
  return result;
}
DEADHEAT_INTERCEPT(void, GOMP_parallel_sections, void (*function)(void*), void* data, unsigned threads, unsigned count,
                   unsigned flags) {
  Team mine{function, data, 0, 0, 0, 0, 0, 0};
  region(DEADHEAT_CALLER, mine, [&] { REAL(GOMP_parallel_sections)(run_in_team, &mine, threads, count, flags); });
}
#define LOOP(name)                                                                                                     \
  DEADHEAT_INTERCEPT(void, name, void (*function)(void*), void* data, unsigned threads, long from, long to, long step, \
                     long chunk, unsigned flags) {                                                                     \
    Team mine{function, data, 0, 0, 0, 0, 0, 0};                                                                       \
    region(DEADHEAT_CALLER, mine, [&] { REAL(name)(run_in_team, &mine, threads, from, to, step, chunk, flags); });     \
  }
LOOP(GOMP_parallel_loop_static)
LOOP(GOMP_parallel_loop_dynamic)
LOOP(GOMP_parallel_loop_guided)
LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP(GOMP_parallel_loop_nonmonotonic_guided)
#define LOOP_AT_RUN_TIME(name)                                                                                         \
  DEADHEAT_INTERCEPT(void, name, void (*function)(void*), void* data, unsigned threads, long from, long to, long step, \
                     unsigned flags) {                                                                                 \
    Team mine{function, data, 0, 0, 0, 0, 0, 0};                                                                       \
    region(DEADHEAT_CALLER, mine, [&] { REAL(name)(run_in_team, &mine, threads, from, to, step, flags); });            \
  }
LOOP_AT_RUN_TIME(GOMP_parallel_loop_runtime)
LOOP_AT_RUN_TIME(GOMP_parallel_loop_nonmonotonic_runtime)
LOOP_AT_RUN_TIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

// ---- barriers ----

#define BARRIER(type, name)                                               \
  DEADHEAT_INTERCEPT(type, name) {                                        \
    return wait_in_barrier(DEADHEAT_CALLER, [] { return REAL(name)(); }); \
  }
BARRIER(void, GOMP_barrier)
BARRIER(bool, GOMP_barrier_cancel)
BARRIER(void, GOMP_loop_end)
BARRIER(bool, GOMP_loop_end_cancel)
BARRIER(void, GOMP_sections_end)
BARRIER(bool, GOMP_sections_end_cancel)

// One thread has a value for all others.
DEADHEAT_INTERCEPT(void*, GOMP_single_copy_start) {
  void* const value = REAL(GOMP_single_copy_start)();
  if (value != nullptr && team != nullptr) {
    Entry entry(DEADHEAT_CALLER);
    acquire(entry, &team->copy);
  }
  return value;
}
DEADHEAT_INTERCEPT(void, GOMP_single_copy_end, void* value) {
  if (team != nullptr) {
    Entry entry(DEADHEAT_CALLER);
    release(entry, &team->copy);
  }
  REAL(GOMP_single_copy_end)(value);
}
DEADHEAT_INTERCEPT(void, GOMP_ordered_start) {
  REAL(GOMP_ordered_start)();
  if (team == nullptr) return;
  Entry entry(DEADHEAT_CALLER);
  acquire(entry, &team->ordered);
}
DEADHEAT_INTERCEPT(void, GOMP_ordered_end) {
  if (team != nullptr) {
    Entry entry(DEADHEAT_CALLER);
    release(entry, &team->ordered);
  }
  REAL(GOMP_ordered_end)();
}

// ---- locks ----

namespace {
char unnamed_critical, atomic_lock;
}

#define LOCK(begin, end, object)    \
  DEADHEAT_INTERCEPT(void, begin) { \
    Entry entry(DEADHEAT_CALLER);   \
    REAL(begin)();                  \
    mutex_lock(entry, object);      \
  }                                 \
  DEADHEAT_INTERCEPT(void, end) {   \
    Entry entry(DEADHEAT_CALLER);   \
    mutex_unlock(entry, object);    \
    REAL(end)();                    \
  }
LOCK(GOMP_critical_start, GOMP_critical_end, &unnamed_critical)
LOCK(GOMP_atomic_start, GOMP_atomic_end, &atomic_lock)
#define LOCK_AT(begin, end)                     \
  DEADHEAT_INTERCEPT(void, begin, void* lock) { \
    Entry entry(DEADHEAT_CALLER);               \
    mutex_locking(entry, lock);                 \
    REAL(begin)(lock);                          \
    mutex_lock(entry, lock);                    \
  }                                             \
  DEADHEAT_INTERCEPT(void, end, void* lock) {   \
    Entry entry(DEADHEAT_CALLER);               \
    mutex_unlock(entry, lock);                  \
    REAL(end)(lock);                            \
  }
LOCK_AT(GOMP_critical_name_start, GOMP_critical_name_end)
LOCK_AT(omp_set_lock, omp_unset_lock)
LOCK_AT(omp_set_nest_lock, omp_unset_nest_lock)
#define TRY_LOCK(name)                        \
  DEADHEAT_INTERCEPT(int, name, void* lock) { \
    Entry entry(DEADHEAT_CALLER);             \
    const int result = REAL(name)(lock);      \
    if (result != 0) mutex_lock(entry, lock); \
    return result;                            \
  }
TRY_LOCK(omp_test_lock)
TRY_LOCK(omp_test_nest_lock)

// ---- tasks ----

namespace {

constexpr unsigned kDepends = 1u << 3;

// Stands before the arguments of a task.
struct alignas(64) TaskHead {
  void (*function)(void*);
  void (*copy)(void*, void*);  // of the program
  void* data;                  // where the arguments are copied from
  char* clock;                 // its address has what the creator did
  Team* in;
  bool depends;
};

void copy_task(void* to, void* from) {
  TaskHead& head = *static_cast<TaskHead*>(from);
  *static_cast<TaskHead*>(to) = head;
  const Watched watched;
  head.copy(static_cast<TaskHead*>(to) + 1, head.data);
}

void run_task(void* data) {
  TaskHead* const head = static_cast<TaskHead*>(data);
  Team* const outer = team;
  team = head->in;
  {
    Entry entry(DEADHEAT_CALLER);
    acquire(entry, head->clock);
    forget(head->clock);
    if (head->depends && head->in != nullptr) acquire(entry, &head->in->tasks);
  }
  ++tls.busy;
  heap_free(head->clock, 1);
  --tls.busy;
  {
    const Watched watched;
    head->function(head + 1);
  }
  if (head->in != nullptr) {
    Entry entry(DEADHEAT_CALLER);
    release(entry, &head->in->tasks);
  }
  team = outer;
}

void waited_for_tasks(void* caller) {
  if (team == nullptr) return;
  Entry entry(caller);
  acquire(entry, &team->tasks);
}

}  // namespace

DEADHEAT_INTERCEPT(void, GOMP_task, void (*function)(void*), void* data, void (*copy)(void*, void*), long bytes,
                   long alignment, bool deferred, unsigned flags, void** depends, int priority, void* detach) {
  if (alignment > 64)
    return REAL(GOMP_task)(function, data, copy, bytes, alignment, deferred, flags, depends, priority, detach);
  ++tls.busy;
  char* const clock = static_cast<char*>(heap_allocate(1));
  const size_t size = sizeof(TaskHead) + static_cast<size_t>(bytes);
  TaskHead* const head = static_cast<TaskHead*>(heap_allocate(size + 64));
  --tls.busy;
  TaskHead* const aligned = reinterpret_cast<TaskHead*>((reinterpret_cast<uintptr_t>(head) + 63) & ~uintptr_t{63});
  *aligned = {function, copy, data, clock, team, (flags & kDepends) != 0};
  if (copy == nullptr) __builtin_memcpy(aligned + 1, data, static_cast<size_t>(bytes));
  {
    Entry entry(DEADHEAT_CALLER);
    release(entry, clock);
  }
  {
    const Unwatched unwatched;
    REAL(GOMP_task)(run_task, aligned, copy != nullptr ? copy_task : nullptr, static_cast<long>(size), 64, deferred,
                    flags, depends, priority, detach);
  }
  ++tls.busy;
  heap_free(head, size + 64);
  --tls.busy;
}
#define WAIT_FOR_TASKS(name)           \
  DEADHEAT_INTERCEPT(void, name) {     \
    {                                  \
      const Unwatched unwatched;       \
      REAL(name)();                    \
    }                                  \
    waited_for_tasks(DEADHEAT_CALLER); \
  }
WAIT_FOR_TASKS(GOMP_taskwait)
WAIT_FOR_TASKS(GOMP_taskgroup_end)
