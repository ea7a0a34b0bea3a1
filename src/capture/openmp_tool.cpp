// OpenMP by LLVM's libomp (Clang, and whatever else is built for it), through the interface that OpenMP has for tools.
//
// libomp synchronises by atomics and futexes of its own, which nobody sees, but it asks every program for a function
// `ompt_start_tool` and tells whoever defines it what it does. So nothing depends on how a compiler calls libomp:
//   region      what came before is known to every thread of the team
//   barrier     one clock per generation. Tasks that a thread runs while it waits are known to all when it is over
//   task        knows what its creator did before, and the tasks that its dependences name. Who waits for children, or
//               for a group, knows what those did, and no others
//   reduction   whoever combines knows the threads that have arrived; the others know the result after the barrier
//   critical    a lock. Ordered parts follow each other; so do the iterations that doacross loops name
// Two tasks that the same thread ran are ordered by that in this run, as everything one thread does.
// Atomic constructs are atomic operations of the program itself, or done within libomp, and order nothing more.
// If the program has a tool of its own, libomp is not understood: `coverage` says so.
// Tested by test/programs/openmp_*
#include "capture/openmp_tool.h"

#include <atomic>
#include <new>

#include "runtime/api.h"
#include "runtime/heap.h"
#include "runtime/loaded.h"
#include "runtime/shadow.h"
#include "runtime/thread.h"

using namespace deadheat::live;
namespace ompt = deadheat::live::ompt;

namespace {

template <class T, class... Arguments>
T* make(Arguments... arguments) {
  ++tls.busy;
  T* const made = new (heap_allocate(sizeof(T))) T{arguments...};
  --tls.busy;
  return made;
}
template <class T>
void unmake(T* object) {
  ++tls.busy;
  object->~T();
  heap_free(object, sizeof(T));
  --tls.busy;
}

// The addresses of single bytes stand for clocks.
struct Team {
  char start = 0, barrier = 0, reduced = 0;
  char tasks[2] = {};  // that ended within a barrier, by its number modulo 2
  static constexpr unsigned kIterations = 512;
  char iterations[kIterations] = {};  // of doacross loops: neighbours never share one
  bool doacross = false;
  uint32_t threads = 1;
  ~Team() {
    for (const char* clock : {&start, &reduced, &tasks[0], &tasks[1], &barrier}) forget(clock);
    for (unsigned i = 0; doacross && i < kIterations; ++i) forget(&iterations[i]);
  }
};

struct Group {
  Group* outer;
  char clock = 0;
  explicit Group(Group* around) : outer(around) {}
  ~Group() { forget(&clock); }
};

// What the children of one task have done to a variable that they named as a dependence.
struct Named {
  Named* next;
  const void* variable;
  char in = 0, out = 0, set = 0, exclusive = 0;
  Named(Named* after, const void* name) : next(after), variable(name) {}
  ~Named() {
    for (const char* clock : {&in, &out, &set, &exclusive}) forget(clock);
  }
};

struct TaskDependence {
  Named* named;
  ompt::DependenceType type;
};

struct Task {
  Task* parent = nullptr;
  Task* outer = nullptr;  // an implicit task: what the thread had before
  Team* team = nullptr;
  Group* group = nullptr;
  std::atomic<uint32_t> references{1};  // of libomp, and of each child: it tells its parent when it ends
  bool started = false;
  char created = 0, children = 0, suspended = 0;
  BarrierGeneration* waiting = nullptr;  // an implicit task within a barrier
  unsigned barriers = 0;
  static constexpr unsigned kBuckets = 64;
  Named** named = nullptr;  // by children; buckets
  TaskDependence* dependences = nullptr;
  size_t dependence_count = 0;

  ~Task() {
    for (const char* clock : {&created, &children, &suspended}) forget(clock);
    if (dependences != nullptr) heap_free(dependences, dependence_count * sizeof(TaskDependence));
    for (unsigned i = 0; named != nullptr && i < kBuckets; ++i)
      while (Named* one = named[i]) {
        named[i] = one->next;
        unmake(one);
      }
    if (named != nullptr) heap_free(named, kBuckets * sizeof(Named*));
  }
};

constinit __thread Task* implicit __attribute__((tls_model("initial-exec"))) = nullptr;  // of this thread

ompt::GetTaskMemory get_task_memory;
ompt::GetTaskInfo get_task_info;

Task* task_in(const ompt::Data* data) { return data == nullptr ? nullptr : static_cast<Task*>(data->pointer); }

void drop(Task* task) {
  while (task != nullptr && task->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    Task* const parent = task->parent;
    unmake(task);
    task = parent;
  }
}

// ---- regions ----

void parallel_begin(ompt::Data*, const void*, ompt::Data* region, unsigned, int, const void* caller) {
  Team* const team = make<Team>();
  region->pointer = team;
  Entry entry(const_cast<void*>(caller));
  release(entry, &team->start);
}

void parallel_end(ompt::Data* region, ompt::Data*, int, const void*) {
  if (region->pointer != nullptr) unmake(static_cast<Team*>(region->pointer));
  region->pointer = nullptr;
}

void implicit_task(ompt::Endpoint endpoint, ompt::Data* region, ompt::Data* data, unsigned threads, unsigned, int) {
  if (endpoint == ompt::Endpoint::kEnd) {
    if (Task* const task = task_in(data)) {
      if (task->waiting != nullptr) {
        Entry entry(nullptr);
        barrier_leave(entry, task->waiting);
      }
      implicit = task->outer;
      drop(task);
    }
    data->pointer = nullptr;
    return;
  }
  if (region->pointer == nullptr) region->pointer = make<Team>();  // around the initial task
  Task* const task = make<Task>();
  task->team = static_cast<Team*>(region->pointer);
  if (threads > 0) task->team->threads = threads;
  task->outer = implicit;
  data->pointer = implicit = task;
  Entry entry(nullptr);
  acquire(entry, &task->team->start);
}

// ---- barriers, waits for tasks ----

void barrier(const Entry& entry, Task& task, bool begins) {
  if (begins) {
    if (task.waiting != nullptr) return;
    ++task.barriers;
    task.waiting = barrier_enter(entry, &task.team->barrier, task.team->threads);
  } else if (task.waiting != nullptr) {
    barrier_leave(entry, task.waiting);
    task.waiting = nullptr;
  }
}

void learn_of_tasks(const Entry& entry, ompt::SyncRegion kind, Task& task) {
  if (kind == ompt::SyncRegion::kTaskWait) acquire(entry, &task.children);
  if (kind == ompt::SyncRegion::kTaskGroup && task.group != nullptr) acquire(entry, &task.group->clock);
}

void sync_region(ompt::SyncRegion kind, ompt::Endpoint endpoint, ompt::Data* region, ompt::Data* data,
                 const void* caller) {
  Task* const task = task_in(data);
  if (task == nullptr) return;
  Entry entry(const_cast<void*>(caller));
  const bool begins = endpoint == ompt::Endpoint::kBegin;
  switch (kind) {
    case ompt::SyncRegion::kTaskWait:
      if (!begins) learn_of_tasks(entry, kind, *task);
      break;
    case ompt::SyncRegion::kTaskGroup:
      if (begins) {
        task->group = make<Group>(task->group);
      } else if (Group* const group = task->group) {
        learn_of_tasks(entry, kind, *task);
        task->group = group->outer;
        unmake(group);
      }
      break;
    case ompt::SyncRegion::kReduction:
      break;
    default: {
      barrier(entry, *task, begins);
      // At the end of the region: a worker is told of it when the team may be gone, and needs nothing of it.
      if (begins || region == nullptr) break;
      acquire(entry, &task->team->tasks[task->barriers % 2]);
      acquire(entry, &task->team->reduced);
    }
  }
}

// The waiting itself is over, but not yet what libomp does afterwards: it combines what tasks have reduced.
void sync_region_wait(ompt::SyncRegion kind, ompt::Endpoint endpoint, ompt::Data*, ompt::Data* data,
                      const void* caller) {
  Task* const task = task_in(data);
  if (task == nullptr || endpoint != ompt::Endpoint::kEnd) return;
  Entry entry(const_cast<void*>(caller));
  learn_of_tasks(entry, kind, *task);
}

// Within a barrier, threads combine what others that have arrived left for them, and leave the result for the next.
void reduction(ompt::SyncRegion, ompt::Endpoint endpoint, ompt::Data*, ompt::Data* data, const void* caller) {
  const Task* const task = task_in(data);
  if (task == nullptr || task->waiting == nullptr) return;
  Entry entry(const_cast<void*>(caller));
  if (endpoint == ompt::Endpoint::kBegin)
    barrier_look(entry, task->waiting);
  else
    barrier_tell(entry, task->waiting);
}

// ---- tasks ----

Named& named_by_children(Task& parent, const void* variable) {
  ++tls.busy;
  if (parent.named == nullptr) {
    parent.named = static_cast<Named**>(heap_allocate(Task::kBuckets * sizeof(Named*)));
    for (unsigned i = 0; i < Task::kBuckets; ++i) parent.named[i] = nullptr;
  }
  --tls.busy;
  Named*& bucket = parent.named[(reinterpret_cast<uintptr_t>(variable) * 0x9e3779b97f4a7c15u) >> 58];
  for (Named* one = bucket; one != nullptr; one = one->next)
    if (one->variable == variable) return *one;
  return *(bucket = make<Named>(bucket, variable));
}

void acquire_dependences(const Entry& entry, const Task& task) {
  for (size_t i = 0; i < task.dependence_count; ++i) {
    const Named& named = *task.dependences[i].named;
    const ompt::DependenceType type = task.dependences[i].type;
    acquire(entry, &named.out);
    if (type != ompt::DependenceType::kInOutSet) acquire(entry, &named.set);
    if (type != ompt::DependenceType::kIn) acquire(entry, &named.in);
    acquire(entry, &named.exclusive);
  }
}

void release_dependences(const Entry& entry, Task& task) {
  for (size_t i = 0; i < task.dependence_count; ++i) {
    Named& named = *task.dependences[i].named;
    switch (task.dependences[i].type) {
      case ompt::DependenceType::kIn:
        release(entry, &named.in);
        break;
      case ompt::DependenceType::kInOutSet:
        release(entry, &named.set);
        break;
      case ompt::DependenceType::kMutexInOutSet:
        release(entry, &named.exclusive);
        break;
      default:
        release(entry, &named.out);
    }
  }
}

void task_create(ompt::Data* creator, const void*, ompt::Data* data, int, int, const void* caller) {
  Task* const parent = task_in(creator);
  if (parent == nullptr) return;
  Task* const task = make<Task>();
  task->parent = parent;
  parent->references.fetch_add(1, std::memory_order_relaxed);
  task->team = parent->team;
  task->group = parent->group;
  data->pointer = task;
  Entry entry(const_cast<void*>(caller));
  release(entry, &task->created);
}

// One iteration of a doacross loop: all that the interface tells is its place in the loops.
const char* iteration(Team& team, const ompt::Dependence* place, int dimensions) {
  uint64_t hash = 0;
  for (int i = 0; i < dimensions; ++i) hash = hash * 29 + place[i].variable.value;
  team.doacross = true;
  return &team.iterations[hash % Team::kIterations];
}

void dependences(ompt::Data* data, const ompt::Dependence* list, int count) {
  Task* const task = task_in(data);
  if (task == nullptr || count <= 0) return;
  if (list[0].type == ompt::DependenceType::kSource || list[0].type == ompt::DependenceType::kSink) {
    Entry entry(nullptr);
    const char* const place = iteration(*task->team, list, count);
    if (list[0].type == ompt::DependenceType::kSource)
      release(entry, place);
    else
      acquire(entry, place);
    return;
  }
  if (task->parent == nullptr || task->dependences != nullptr) return;
  task->dependence_count = static_cast<size_t>(count);
  ++tls.busy;
  task->dependences = static_cast<TaskDependence*>(heap_allocate(task->dependence_count * sizeof(TaskDependence)));
  --tls.busy;
  for (int i = 0; i < count; ++i)
    task->dependences[i] = {&named_by_children(*task->parent, list[i].variable.pointer), list[i].type};
}

// By the thread that ran the task, or that fulfilled the event it waited for.
void end_task(const Entry& entry, Task& task) {
  release(entry, &task.parent->children);
  if (task.group != nullptr) release(entry, &task.group->clock);
  release_dependences(entry, task);
  // The thread went into a barrier before it ran this, and the others wait for what it did here, too.
  if (implicit != nullptr && implicit->waiting != nullptr) release(entry, &task.team->tasks[implicit->barriers % 2]);
}

void begin_task(const Entry& entry, Task& task) {
  if (task.started) return acquire(entry, &task.suspended);
  task.started = true;
  acquire(entry, &task.created);
  acquire_dependences(entry, task);
}

void task_schedule(ompt::Data* prior, ompt::TaskStatus status, ompt::Data* next) {
  Task* const from = task_in(prior);
  Task* const to = task_in(next);
  Entry entry(nullptr);
  if (from != nullptr && from->parent != nullptr) {
    switch (status) {
      case ompt::TaskStatus::kTaskWaitComplete:
        acquire_dependences(entry, *from);
        drop(from);
        prior->pointer = nullptr;
        return;
      case ompt::TaskStatus::kComplete:
      case ompt::TaskStatus::kCancel:
      case ompt::TaskStatus::kLateFulfill: {
        end_task(entry, *from);
        // libomp uses the memory of tasks again, without malloc.
        void* memory = nullptr;
        size_t bytes = 0;
        if (status != ompt::TaskStatus::kLateFulfill && get_task_memory != nullptr &&
            get_task_memory(&memory, &bytes, 0) == 0 && memory != nullptr)
          fresh_range(memory, bytes);
        drop(from);
        prior->pointer = nullptr;
        break;
      }
      case ompt::TaskStatus::kDetach:
      case ompt::TaskStatus::kEarlyFulfill:
        end_task(entry, *from);
        break;
      default:
        release(entry, &from->suspended);
    }
  }
  if (to != nullptr && to->parent != nullptr) begin_task(entry, *to);
}

// ---- critical and ordered ----

void mutex_acquire(ompt::Mutex kind, unsigned, unsigned, uint64_t lock, const void* caller) {
  if (kind != ompt::Mutex::kCritical) return;
  Entry entry(const_cast<void*>(caller));
  mutex_locking(entry, reinterpret_cast<const void*>(lock));
}

void mutex_acquired(ompt::Mutex kind, uint64_t lock, const void* caller) {
  if (kind != ompt::Mutex::kCritical && kind != ompt::Mutex::kOrdered) return;
  Entry entry(const_cast<void*>(caller));
  if (kind == ompt::Mutex::kCritical)
    mutex_lock(entry, reinterpret_cast<const void*>(lock));
  else
    acquire(entry, reinterpret_cast<const void*>(lock));
}

void mutex_released(ompt::Mutex kind, uint64_t lock, const void* caller) {
  if (kind != ompt::Mutex::kCritical && kind != ompt::Mutex::kOrdered) return;
  Entry entry(const_cast<void*>(caller));
  if (kind == ompt::Mutex::kCritical)
    mutex_unlock(entry, reinterpret_cast<const void*>(lock));
  else
    release(entry, reinterpret_cast<const void*>(lock));
}

// ---- start ----

int initialize(ompt::Lookup lookup, int, ompt::Data*) {
  const auto set = reinterpret_cast<ompt::SetCallback>(lookup("ompt_set_callback"));
  get_task_memory = reinterpret_cast<ompt::GetTaskMemory>(lookup("ompt_get_task_memory"));
  get_task_info = reinterpret_cast<ompt::GetTaskInfo>(lookup("ompt_get_task_info"));
  if (set == nullptr) return 0;
  ignore_callers_in_module_of(reinterpret_cast<uintptr_t>(lookup));  // what libomp itself does with its memory
  const auto tell = [set](ompt::Event event, auto* callback) {
    set(static_cast<int>(event), reinterpret_cast<ompt::Callback>(callback));
  };
  tell(ompt::Event::kParallelBegin, parallel_begin);
  tell(ompt::Event::kParallelEnd, parallel_end);
  tell(ompt::Event::kImplicitTask, implicit_task);
  tell(ompt::Event::kSyncRegion, sync_region);
  tell(ompt::Event::kSyncRegionWait, sync_region_wait);
  tell(ompt::Event::kReduction, reduction);
  tell(ompt::Event::kTaskCreate, task_create);
  tell(ompt::Event::kTaskSchedule, task_schedule);
  tell(ompt::Event::kDependences, dependences);
  tell(ompt::Event::kMutexAcquire, mutex_acquire);
  tell(ompt::Event::kMutexAcquired, mutex_acquired);
  tell(ompt::Event::kMutexReleased, mutex_released);
  return 1;
}

void finalize(ompt::Data*) {}

ompt::StartResult tool = {initialize, finalize, {0}};

}  // namespace

extern "C" __attribute__((visibility("default"))) ompt::StartResult* ompt_start_tool(unsigned, const char*) {
  return &tool;
}

// ---- reductions ----
//
// The functions that the compiler calls around a reduction: who is told to combine has the lock, or is the last.

namespace {

// For those who come out of the barrier that ends the reduction.
void reduction_ends(const Entry& entry, const void* lock) {
  release(entry, lock);
  ompt::Data* region = nullptr;
  int flags = 0, number = 0;
  if (get_task_info == nullptr || get_task_info(0, &flags, nullptr, nullptr, &region, &number) == 0) return;
  if (region != nullptr && region->pointer != nullptr) release(entry, &static_cast<Team*>(region->pointer)->reduced);
}

}  // namespace

using Combine = void (*)(void* into, void* from);

#define REDUCE(begin, end)                                                                                          \
  DEADHEAT_INTERCEPT(int, begin, void* place, int thread, int variables, size_t bytes, void* data, Combine combine, \
                     void* lock) {                                                                                  \
    const int result = REAL(begin)(place, thread, variables, bytes, data, combine, lock);                           \
    if (result == 1) {                                                                                              \
      Entry entry(DEADHEAT_CALLER);                                                                                 \
      acquire(entry, lock);                                                                                         \
    }                                                                                                               \
    return result;                                                                                                  \
  }                                                                                                                 \
  DEADHEAT_INTERCEPT(void, end, void* place, int thread, void* lock) {                                              \
    {                                                                                                               \
      Entry entry(DEADHEAT_CALLER);                                                                                 \
      reduction_ends(entry, lock);                                                                                  \
    }                                                                                                               \
    REAL(end)(place, thread, lock);                                                                                 \
  }
REDUCE(__kmpc_reduce, __kmpc_end_reduce)
REDUCE(__kmpc_reduce_nowait, __kmpc_end_reduce_nowait)
