// OpenMP by LLVM's libomp (Clang, and whatever else is built for it), through the interface that OpenMP has for tools.
//
// libomp synchronises by atomics and futexes of its own, which are not instrumented. But it looks for a function
// `ompt_start_tool` in every program, and reports to the tool that defines it:
//   region      what came before is known to every thread of the team
//   barrier     one clock per generation. Tasks that a thread runs while it waits are known to all when it is over
//   task        as openmp_tasks.h says
//   reduction   the thread that combines knows the threads that have arrived; all know the result after the barrier
//   critical    a lock. Ordered parts follow each other; so do the iterations that doacross loops name
// Atomic constructs are atomic operations of the program itself, or done within libomp, and order nothing more.
// If the program has a tool of its own, libomp is not understood: `coverage` says so.
// Tested by test/programs/openmp_*
#include "capture/openmp_tool.h"

#include "capture/intercept.h"
#include "capture/openmp_tasks.h"

using namespace deadheat::live;
using namespace deadheat::live::openmp;
namespace ompt = deadheat::live::ompt;

namespace {

ompt::GetTaskMemory get_task_memory;
ompt::GetTaskInfo get_task_info;

Task* task_in(const ompt::Data* data) { return data == nullptr ? nullptr : static_cast<Task*>(data->pointer); }

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
  Entry entry(nullptr);
  if (endpoint == ompt::Endpoint::kEnd) {
    if (Task* const task = task_in(data)) end_implicit(entry, *task);
    data->pointer = nullptr;
    return;
  }
  if (region->pointer == nullptr) region->pointer = make<Team>();  // around the initial task
  Team& team = *static_cast<Team*>(region->pointer);
  if (threads > 0) team.threads = threads;
  data->pointer = begin_implicit(entry, team);
}

// ---- barriers, waits for tasks ----

void sync_region(ompt::SyncRegion kind, ompt::Endpoint endpoint, ompt::Data* region, ompt::Data* data,
                 const void* caller) {
  Task* const task = task_in(data);
  if (task == nullptr) return;
  Entry entry(const_cast<void*>(caller));
  const bool begins = endpoint == ompt::Endpoint::kBegin;
  switch (kind) {
    case ompt::SyncRegion::kTaskWait:
      if (!begins) wait_for_children(entry, *task);
      break;
    case ompt::SyncRegion::kTaskGroup:
      if (begins)
        begin_group(*task);
      else
        end_group(entry, *task);
      break;
    case ompt::SyncRegion::kReduction:
      break;
    default:
      // At the end of the region a worker is told of the end without a region: the team may be gone.
      if (begins)
        enter_barrier(entry, *task);
      else
        leave_barrier(entry, *task, region != nullptr);
  }
}

// The waiting itself is over, but not yet what libomp does afterwards: it combines what tasks have reduced.
void sync_region_wait(ompt::SyncRegion kind, ompt::Endpoint endpoint, ompt::Data*, ompt::Data* data,
                      const void* caller) {
  Task* const task = task_in(data);
  if (task == nullptr || endpoint != ompt::Endpoint::kEnd) return;
  Entry entry(const_cast<void*>(caller));
  if (kind == ompt::SyncRegion::kTaskWait) wait_for_children(entry, *task);
  if (kind == ompt::SyncRegion::kTaskGroup) wait_for_group(entry, *task);
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

void task_create(ompt::Data* creator, const void*, ompt::Data* data, int, int, const void* caller) {
  Task* const parent = task_in(creator);
  if (parent == nullptr) return;
  Entry entry(const_cast<void*>(caller));
  data->pointer = create_task(entry, *parent);
}

DependenceType type_of(ompt::DependenceType type) {
  switch (type) {
    case ompt::DependenceType::kIn:
      return DependenceType::kIn;
    case ompt::DependenceType::kInOutSet:
      return DependenceType::kSet;
    case ompt::DependenceType::kMutexInOutSet:
      return DependenceType::kExclusive;
    default:
      return DependenceType::kOut;
  }
}

void dependences(ompt::Data* data, const ompt::Dependence* list, int count) {
  Task* const task = task_in(data);
  if (task == nullptr || count <= 0) return;
  const bool source = list[0].type == ompt::DependenceType::kSource;
  if (source || list[0].type == ompt::DependenceType::kSink) {  // of an iteration of a doacross loop
    Entry entry(nullptr);
    const char* const place =
        task->team->iteration(static_cast<unsigned>(count), [list](unsigned i) { return list[i].variable.value; });
    if (source)
      release(entry, place);
    else
      acquire(entry, place);
    return;
  }
  reserve_dependences(*task, static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) add_dependence(*task, list[i].variable.pointer, type_of(list[i].type));
}

void end_of(const Entry& entry, ompt::Data* data, Task& task, bool ran_here) {
  end_task(entry, task);
  // libomp uses the memory of tasks again, without malloc.
  void* memory = nullptr;
  size_t bytes = 0;
  if (ran_here && get_task_memory != nullptr && get_task_memory(&memory, &bytes, 0) == 0 && memory != nullptr)
    fresh_range(memory, bytes);
  drop(&task);
  data->pointer = nullptr;
}

void task_schedule(ompt::Data* prior, ompt::TaskStatus status, ompt::Data* next) {
  Task* const from = task_in(prior);
  Task* const to = task_in(next);
  Entry entry(nullptr);
  if (from != nullptr && from->parent != nullptr) {
    switch (status) {
      case ompt::TaskStatus::kTaskWaitComplete:
        wait_for_dependences(entry, *from);
        drop(from);
        prior->pointer = nullptr;
        return;
      case ompt::TaskStatus::kComplete:
      case ompt::TaskStatus::kCancel:
        end_of(entry, prior, *from, true);
        break;
      case ompt::TaskStatus::kLateFulfill:
        end_of(entry, prior, *from, false);
        break;
      case ompt::TaskStatus::kDetach:
      case ompt::TaskStatus::kEarlyFulfill:
        end_task(entry, *from);
        break;
      default:
        suspend_task(entry, *from);
    }
  }
  if (to != nullptr && to->parent != nullptr) begin_task(entry, *to);
}

// ---- start ----

int initialize(ompt::Lookup lookup, int, ompt::Data*) {
  const auto set = reinterpret_cast<ompt::SetCallback>(lookup("ompt_set_callback"));
  get_task_memory = reinterpret_cast<ompt::GetTaskMemory>(lookup("ompt_get_task_memory"));
  get_task_info = reinterpret_cast<ompt::GetTaskInfo>(lookup("ompt_get_task_info"));
  if (set == nullptr) return 0;
  ignore_module_of(reinterpret_cast<const void*>(lookup));  // what libomp itself does with its memory
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
  note_understood("OpenMP (libomp)");
  return 1;
}

void finalize(ompt::Data*) {}

ompt::StartResult tool = {initialize, finalize, {0}};

}  // namespace

extern "C" __attribute__((visibility("default"))) ompt::StartResult* ompt_start_tool(unsigned, const char*) {
  return &tool;
}

// ---- critical and ordered ----
//
// The interface tells that a lock was released when others may have it already, so these are intercepted.

#define CRITICAL(name, parameters, arguments)                                      \
  DEADHEAT_INTERCEPT(void, name, void* place, int thread, void* lock parameters) { \
    Entry entry(DEADHEAT_CALLER);                                                  \
    mutex_locking(entry, lock);                                                    \
    REAL(name)(place, thread, lock arguments);                                     \
    mutex_lock(entry, lock);                                                       \
  }
#define AND ,
CRITICAL(__kmpc_critical, , )
CRITICAL(__kmpc_critical_with_hint, AND uint32_t hint, AND hint)
#undef AND
DEADHEAT_INTERCEPT(void, __kmpc_end_critical, void* place, int thread, void* lock) {
  Entry entry(DEADHEAT_CALLER);
  mutex_unlock(entry, lock);
  REAL(__kmpc_end_critical)(place, thread, lock);
}
DEADHEAT_INTERCEPT(void, __kmpc_ordered, void* place, int thread) {
  REAL(__kmpc_ordered)(place, thread);
  begin_ordered(DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(void, __kmpc_end_ordered, void* place, int thread) {
  end_ordered(DEADHEAT_CALLER);
  REAL(__kmpc_end_ordered)(place, thread);
}

// ---- reductions ----
//
// The functions that the compiler calls around a reduction: a thread that must combine has the lock, or is the last.

namespace {

// For the threads that come out of the barrier that ends the reduction.
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
