// OpenMP as GCC compiles it: what orders the threads of a team, and tasks with each other.
//
// libgomp synchronises by atomics and futexes of its own, which are not instrumented. Its entry points say more:
//   region     what came before is known to every thread of the team; what they did, to what follows
//   barrier    one clock per generation, as for pthread barriers; also at the end of loops and sections
//   task       as openmp_tasks.h says; a taskloop is many of them in a group
//   critical, atomic, locks      locks
//   ordered, doacross            ordered parts follow each other, and so do the iterations that a doacross loop names
// Offloading is not understood. Copies that libgomp itself makes are not checked.
// Tested by test/programs/openmp_*
#include <cstdarg>
#include <cstddef>
#include <cstdint>

#include "capture/foreign_layouts.h"
#include "capture/intercept.h"
#include "capture/openmp_tasks.h"

using namespace deadheat::live;
using namespace deadheat::live::openmp;

namespace {

// Lives on the stack of the thread that begins the region, until all have left it.
struct Region : Team {
  void (*function)(void*);
  void* data;
  Region(void (*body)(void*), void* argument) : function(body), data(argument) {}
};
// The task that the thread runs, explicit or implicit; null outside of all regions.
constinit __thread Task* current __attribute__((tls_model("initial-exec"))) = nullptr;

// Calls within libgomp are not checked; the program's own function, which libgomp calls, is checked.
class Unwatched {
 public:
  Unwatched() { ignore_accesses_begin(); }
  ~Unwatched() { ignore_accesses_end(); }
};
class Watched {
 public:
  Watched() : ignored_(exchange_ignored_accesses(0)) {}
  ~Watched() { exchange_ignored_accesses(ignored_); }

 private:
  uint32_t ignored_;
};

void run_in_team(void* data) {
  Region* const region = static_cast<Region*>(data);
  Task* const outer = current;
  {
    Entry entry(DEADHEAT_CALLER);
    current = begin_implicit(entry, *region);
  }
  {
    const Watched watched;
    region->function(region->data);
  }
  {
    Entry entry(DEADHEAT_CALLER);
    release(entry, &region->end);
    end_implicit(entry, *implicit);
  }
  current = outer;
}

template <class RealRegion>
void run_region(void* caller, Region& region, RealRegion real_region) {
  {
    Entry entry(caller);
    release(entry, &region.start);
  }
  {
    const Unwatched unwatched;
    real_region();
  }
  Entry entry(caller);
  acquire(entry, &region.end);
  acquire(entry, &region.tasks);
}

}  // namespace

DEADHEAT_REAL_OF(int, omp_get_num_threads)

namespace {

template <class RealWait>
auto wait_in_barrier(void* caller, RealWait real_wait) {
  Task* const task = implicit;
  if (task == nullptr) return real_wait();
  Entry entry(caller);
  task->team->threads = static_cast<uint32_t>(REAL(omp_get_num_threads)());
  enter_barrier(entry, *task);
  struct Leave {
    Entry& entry;
    Task& task;
    ~Leave() { leave_barrier(entry, task, true); }
  } leave{entry, *task};
  const Unwatched unwatched;
  return real_wait();
}

}  // namespace

// ---- regions ----

DEADHEAT_INTERCEPT(void, GOMP_parallel, void (*function)(void*), void* data, unsigned threads, unsigned flags) {
  Region mine(function, data);
  run_region(DEADHEAT_CALLER, mine, [&] { REAL(GOMP_parallel)(run_in_team, &mine, threads, flags); });
}
DEADHEAT_INTERCEPT(unsigned, GOMP_parallel_reductions, void (*function)(void*), void* data, unsigned threads,
                   unsigned flags) {
  Region mine(function, data);
  unsigned result = 0;
  run_region(DEADHEAT_CALLER, mine,
             [&] { result = REAL(GOMP_parallel_reductions)(run_in_team, &mine, threads, flags); });
  return result;
}
DEADHEAT_INTERCEPT(void, GOMP_parallel_sections, void (*function)(void*), void* data, unsigned threads, unsigned count,
                   unsigned flags) {
  Region mine(function, data);
  run_region(DEADHEAT_CALLER, mine, [&] { REAL(GOMP_parallel_sections)(run_in_team, &mine, threads, count, flags); });
}
#define LOOP(name)                                                                                                     \
  DEADHEAT_INTERCEPT(void, name, void (*function)(void*), void* data, unsigned threads, long from, long to, long step, \
                     long chunk, unsigned flags) {                                                                     \
    Region mine(function, data);                                                                                       \
    run_region(DEADHEAT_CALLER, mine, [&] { REAL(name)(run_in_team, &mine, threads, from, to, step, chunk, flags); }); \
  }
LOOP(GOMP_parallel_loop_static)
LOOP(GOMP_parallel_loop_dynamic)
LOOP(GOMP_parallel_loop_guided)
LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP(GOMP_parallel_loop_nonmonotonic_guided)
#define LOOP_AT_RUN_TIME(name)                                                                                         \
  DEADHEAT_INTERCEPT(void, name, void (*function)(void*), void* data, unsigned threads, long from, long to, long step, \
                     unsigned flags) {                                                                                 \
    Region mine(function, data);                                                                                       \
    run_region(DEADHEAT_CALLER, mine, [&] { REAL(name)(run_in_team, &mine, threads, from, to, step, flags); });        \
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
  if (value != nullptr && implicit != nullptr) {
    Entry entry(DEADHEAT_CALLER);
    acquire(entry, &implicit->team->copy);
  }
  return value;
}
DEADHEAT_INTERCEPT(void, GOMP_single_copy_end, void* value) {
  if (implicit != nullptr) {
    Entry entry(DEADHEAT_CALLER);
    release(entry, &implicit->team->copy);
  }
  REAL(GOMP_single_copy_end)(value);
}
DEADHEAT_INTERCEPT(void, GOMP_ordered_start) {
  REAL(GOMP_ordered_start)();
  begin_ordered(DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(void, GOMP_ordered_end) {
  end_ordered(DEADHEAT_CALLER);
  REAL(GOMP_ordered_end)();
}

// ---- doacross loops ----

namespace {

constinit __thread unsigned dimensions __attribute__((tls_model("initial-exec"))) = 0;  // of the thread's current loop
constexpr unsigned kMostDimensions = 16;

template <class Count>
void post(void* caller, const Count* counts) {
  if (implicit == nullptr) return;
  Entry entry(caller);
  release(entry, implicit->team->iteration(dimensions, [counts](unsigned i) { return counts[i]; }));
}

}  // namespace

#define DOACROSS(name, Count, ...) \
  DEADHEAT_INTERCEPT(bool, name, unsigned count, Count* counts __VA_OPT__(, ) __VA_ARGS__, Count* from, Count* to)
#define DOACROSS_CHUNKS(name, Count)                   \
  DOACROSS(name, Count, Count chunk) {                 \
    dimensions = count;                                \
    return REAL(name)(count, counts, chunk, from, to); \
  }
#define DOACROSS_LOOPS(prefix, Count)                                                                              \
  DOACROSS_CHUNKS(prefix##_static_start, Count)                                                                    \
  DOACROSS_CHUNKS(prefix##_dynamic_start, Count)                                                                   \
  DOACROSS_CHUNKS(prefix##_guided_start, Count)                                                                    \
  DOACROSS(prefix##_runtime_start, Count) {                                                                        \
    dimensions = count;                                                                                            \
    return REAL(prefix##_runtime_start)(count, counts, from, to);                                                  \
  }                                                                                                                \
  DEADHEAT_INTERCEPT(bool, prefix##_start, unsigned count, Count* counts, long schedule, Count chunk, Count* from, \
                     Count* to, uintptr_t* reductions, void** memory) {                                            \
    dimensions = count;                                                                                            \
    return REAL(prefix##_start)(count, counts, schedule, chunk, from, to, reductions, memory);                     \
  }
DOACROSS_LOOPS(GOMP_loop_doacross, long)
DOACROSS_LOOPS(GOMP_loop_ull_doacross, unsigned long long)

// The number of the iteration waited for has as many parts as the loop has dimensions.
#define POST_AND_WAIT(post_name, wait_name, Count)                                                              \
  DEADHEAT_INTERCEPT(void, post_name, Count* counts) {                                                          \
    post(DEADHEAT_CALLER, counts);                                                                              \
    REAL(post_name)(counts);                                                                                    \
  }                                                                                                             \
  DEADHEAT_INTERCEPT(void, wait_name, Count first, ...) {                                                       \
    Count n[kMostDimensions] = {first};                                                                         \
    va_list others;                                                                                             \
    va_start(others, first);                                                                                    \
    for (unsigned i = 1; i < dimensions && i < kMostDimensions; ++i) n[i] = va_arg(others, Count);              \
    va_end(others);                                                                                             \
    REAL(wait_name)                                                                                             \
    (n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9], n[10], n[11], n[12], n[13], n[14], n[15]);     \
    if (implicit == nullptr) return;                                                                            \
    Entry entry(DEADHEAT_CALLER);                                                                               \
    acquire(entry, implicit->team->iteration(dimensions, [&n](unsigned i) { return n[i % kMostDimensions]; })); \
  }
POST_AND_WAIT(GOMP_doacross_post, GOMP_doacross_wait, long)
POST_AND_WAIT(GOMP_doacross_ull_post, GOMP_doacross_ull_wait, unsigned long long)

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
#define DESTROY_LOCK(name)                     \
  DEADHEAT_INTERCEPT(void, name, void* lock) { \
    Entry entry(DEADHEAT_CALLER);              \
    mutex_destroy(entry, lock);                \
    REAL(name)(lock);                          \
  }
DESTROY_LOCK(omp_destroy_lock)
DESTROY_LOCK(omp_destroy_nest_lock)
TRY_LOCK(omp_test_lock)
TRY_LOCK(omp_test_nest_lock)

// ---- tasks ----

namespace {

// Stands before the arguments of a task.
struct alignas(64) TaskHead {
  long from, to;          // of a taskloop: libgomp writes them here, the program's function expects them in front, too
  uintptr_t* reductions;  // libgomp looks for them here
  void (*function)(void*);
  void (*copy)(void*, void*);  // of the program; null: bytes are copied
  void* data;                  // where the arguments are copied from
  long bytes;
  Task* task;     // null: made for each copy
  Task* creator;  // of a taskloop
};

void copy_task(void* to, void* from) {
  TaskHead& head = *static_cast<TaskHead*>(to);
  head = *static_cast<TaskHead*>(from);
  if (head.task == nullptr) {
    Entry entry(DEADHEAT_CALLER);
    head.task = create_task(entry, *head.creator);
  }
  const Watched watched;
  if (head.copy != nullptr)
    head.copy(&head + 1, head.data);
  else
    __builtin_memcpy(&head + 1, head.data, static_cast<size_t>(head.bytes));
}

void run_task(void* data) {
  TaskHead* const head = static_cast<TaskHead*>(data);
  Task* const outer = current;
  Task* const task = head->task;
  if (head->creator != nullptr) __builtin_memcpy(head + 1, head, 2 * sizeof(long));
  {
    Entry entry(DEADHEAT_CALLER);
    begin_task(entry, *task);
  }
  current = task;
  {
    const Watched watched;
    head->function(head + 1);
  }
  {
    Entry entry(DEADHEAT_CALLER);
    end_task(entry, *task);
  }
  current = outer;
  drop(task);
}

void take_dependences(Task& task, void* const* list) {
  constexpr DependenceType kTypes[] = {DependenceType::kIn, DependenceType::kOut, DependenceType::kExclusive,
                                       DependenceType::kSet};  // as foreign::Dependence
  const foreign::Dependences all(list);
  reserve_dependences(task, all.count());
  for (size_t i = 0; i < all.count(); ++i)
    add_dependence(task, all.variable(i), kTypes[static_cast<unsigned>(all.kind(i))]);
}

}  // namespace

DEADHEAT_INTERCEPT(void, GOMP_task, void (*function)(void*), void* data, void (*copy)(void*, void*), long bytes,
                   long alignment, bool deferred, unsigned flags, void** depends, int priority, void* detach) {
  if (current == nullptr || alignment > 64)
    return REAL(GOMP_task)(function, data, copy, bytes, alignment, deferred, flags, depends, priority, detach);
  TaskHead head{0, 0, nullptr, function, copy, data, bytes, nullptr, nullptr};
  {
    Entry entry(DEADHEAT_CALLER);
    head.task = create_task(entry, *current);
  }
  if ((flags & foreign::kTaskDepends) != 0) take_dependences(*head.task, depends);
  const Unwatched unwatched;
  REAL(GOMP_task)
  (run_task, &head, copy_task, static_cast<long>(sizeof(TaskHead)) + bytes, 64, deferred, flags, depends, priority,
   detach);
}

#define TASKLOOP(name, Count)                                                                                         \
  DEADHEAT_INTERCEPT(void, name, void (*function)(void*), void* data, void (*copy)(void*, void*), long bytes,         \
                     long alignment, unsigned flags, unsigned long tasks, int priority, Count from, Count to,         \
                     Count step) {                                                                                    \
    if (current == nullptr || alignment > 64)                                                                         \
      return REAL(name)(function, data, copy, bytes, alignment, flags, tasks, priority, from, to, step);              \
    TaskHead head{0, 0, nullptr, function, copy, data, bytes, nullptr, current};                                      \
    if (bytes >= 3 * static_cast<long>(sizeof(long)))                                                                 \
      __builtin_memcpy(&head.reductions, static_cast<char*>(data) + 2 * sizeof(long), sizeof head.reductions);        \
    const bool group = (flags & foreign::kTaskNoGroup) == 0;                                                          \
    if (group) begin_group(*current);                                                                                 \
    {                                                                                                                 \
      const Unwatched unwatched;                                                                                      \
      REAL(name)                                                                                                      \
      (run_task, &head, copy_task, static_cast<long>(sizeof(TaskHead)) + bytes, 64, flags, tasks, priority, from, to, \
       step);                                                                                                         \
    }                                                                                                                 \
    if (!group) return;                                                                                               \
    Entry entry(DEADHEAT_CALLER);                                                                                     \
    end_group(entry, *current);                                                                                       \
  }
TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)

DEADHEAT_INTERCEPT(void, GOMP_taskwait) {
  {
    const Unwatched unwatched;
    REAL(GOMP_taskwait)();
  }
  if (current == nullptr) return;
  Entry entry(DEADHEAT_CALLER);
  wait_for_children(entry, *current);
}
DEADHEAT_INTERCEPT(void, GOMP_taskwait_depend, void** depends) {
  {
    const Unwatched unwatched;
    REAL(GOMP_taskwait_depend)(depends);
  }
  if (current == nullptr) return;
  Entry entry(DEADHEAT_CALLER);
  Task* const waited = create_task(entry, *current);
  take_dependences(*waited, depends);
  wait_for_dependences(entry, *waited);
  drop(waited);
}
DEADHEAT_INTERCEPT(void, GOMP_taskgroup_start) {
  if (current != nullptr) begin_group(*current);
  const Unwatched unwatched;
  REAL(GOMP_taskgroup_start)();
}
DEADHEAT_INTERCEPT(void, GOMP_taskgroup_end) {
  {
    const Unwatched unwatched;
    REAL(GOMP_taskgroup_end)();
  }
  if (current == nullptr) return;
  Entry entry(DEADHEAT_CALLER);
  end_group(entry, *current);
}
