#include "capture/openmp_tasks.h"

namespace deadheat::live::openmp {

constinit __thread Task* implicit = nullptr;

Team::~Team() {
  for (const char* clock :
       {&start, &end, &reduced, &copy, &ordered, &tasks, &tasks_in_barrier[0], &tasks_in_barrier[1], &barrier})
    forget(clock);
  for (unsigned i = 0; doacross && i < kIterations; ++i) forget(&iterations[i]);
}

Named::~Named() {
  for (const char* clock : {&in, &out, &set, &exclusive}) forget(clock);
}

Task::~Task() {
  for (const char* clock : {&created, &children, &suspended}) forget(clock);
  if (dependences != nullptr) own_free(dependences, dependence_capacity * sizeof(Dependence));
  if (named == nullptr) return;
  for (unsigned i = 0; i < kBuckets; ++i)
    while (Named* one = named[i]) {
      named[i] = one->next;
      unmake(one);
    }
  own_free(named, kBuckets * sizeof(Named*));
}

void drop(Task* task) {
  while (task != nullptr && task->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    Task* const parent = task->parent;
    unmake(task);
    task = parent;
  }
}

Task* begin_implicit(const Entry& entry, Team& team) {
  Task* const task = make<Task>();
  task->team = &team;
  task->outer = implicit;
  implicit = task;
  acquire(entry, &team.start);
  return task;
}

void end_implicit(const Entry& entry, Task& task) {
  leave_barrier(entry, task, false);
  implicit = task.outer;
  drop(&task);
}

void enter_barrier(const Entry& entry, Task& task) {
  if (task.waiting != nullptr) return;
  ++task.barriers;
  task.waiting = barrier_enter(entry, &task.team->barrier, task.team->threads);
}

void leave_barrier(const Entry& entry, Task& task, bool alive) {
  if (task.waiting != nullptr) barrier_leave(entry, task.waiting);
  task.waiting = nullptr;
  if (!alive) return;
  acquire(entry, &task.team->tasks_in_barrier[task.barriers % 2]);
  acquire(entry, &task.team->reduced);
}

Task* create_task(const Entry& entry, Task& parent) {
  Task* const task = make<Task>();
  task->parent = &parent;
  parent.references.fetch_add(1, std::memory_order_relaxed);
  task->team = parent.team;
  task->group = parent.group;
  release(entry, &task->created);
  return task;
}

void reserve_dependences(Task& task, size_t count) {
  if (count == 0 || task.dependences != nullptr) return;
  task.dependences = static_cast<Task::Dependence*>(own_allocate(count * sizeof(Task::Dependence)));
  task.dependence_capacity = count;
}

namespace {

// Only the thread that runs the parent is here.
Named& named_by_children(Task& parent, const void* variable) {
  if (parent.named == nullptr) {
    parent.named = static_cast<Named**>(own_allocate(Task::kBuckets * sizeof(Named*)));
    for (unsigned i = 0; i < Task::kBuckets; ++i) parent.named[i] = nullptr;
  }
  Named*& bucket = parent.named[spread<Task::kBucketBits>(reinterpret_cast<uintptr_t>(variable))];
  for (Named* one = bucket; one != nullptr; one = one->next)
    if (one->variable == variable) return *one;
  return *(bucket = make<Named>(bucket, variable));
}

}  // namespace

void add_dependence(Task& task, const void* variable, DependenceType type) {
  if (task.parent == nullptr || task.dependence_count == task.dependence_capacity) return;
  task.dependences[task.dependence_count++] = {&named_by_children(*task.parent, variable), type};
}

void wait_for_dependences(const Entry& entry, const Task& task) {
  for (size_t i = 0; i < task.dependence_count; ++i) {
    const Named& named = *task.dependences[i].named;
    const DependenceType type = task.dependences[i].type;
    acquire(entry, &named.out);
    acquire(entry, &named.exclusive);
    if (type != DependenceType::kSet) acquire(entry, &named.set);
    if (type != DependenceType::kIn) acquire(entry, &named.in);
  }
}

void begin_task(const Entry& entry, Task& task) {
  if (task.started) return acquire(entry, &task.suspended);
  task.started = true;
  acquire(entry, &task.created);
  wait_for_dependences(entry, task);
}

void suspend_task(const Entry& entry, Task& task) { release(entry, &task.suspended); }

void end_task(const Entry& entry, Task& task) {
  release(entry, &task.parent->children);
  if (task.group != nullptr) release(entry, &task.group->clock);
  for (size_t i = 0; i < task.dependence_count; ++i) {
    Named& named = *task.dependences[i].named;
    const DependenceType type = task.dependences[i].type;
    release(entry, type == DependenceType::kIn    ? &named.in
                   : type == DependenceType::kSet ? &named.set
                   : type == DependenceType::kOut ? &named.out
                                                  : &named.exclusive);
  }
  if (task.team == nullptr) return;
  release(entry, &task.team->tasks);
  // The thread went into a barrier before it ran this, and the others wait for what it did here, too.
  if (implicit != nullptr && implicit->waiting != nullptr)
    release(entry, &task.team->tasks_in_barrier[implicit->barriers % 2]);
}

void wait_for_children(const Entry& entry, Task& task) { acquire(entry, &task.children); }

void begin_ordered(void* caller) {
  if (implicit == nullptr) return;
  Entry entry(caller);
  acquire(entry, &implicit->team->ordered);
}

void end_ordered(void* caller) {
  if (implicit == nullptr) return;
  Entry entry(caller);
  release(entry, &implicit->team->ordered);
}

void begin_group(Task& task) { task.group = make<Group>(task.group); }

void wait_for_group(const Entry& entry, const Task& task) {
  if (task.group != nullptr) acquire(entry, &task.group->clock);
}

void end_group(const Entry& entry, Task& task) {
  Group* const group = task.group;
  if (group == nullptr) return;
  wait_for_group(entry, task);
  task.group = group->outer;
  unmake(group);
}

}  // namespace deadheat::live::openmp
