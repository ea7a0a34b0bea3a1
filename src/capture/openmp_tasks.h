// Teams and tasks of OpenMP, as far as they order threads: what both libraries' front doors (openmp_tool.cpp,
// intercept_gomp.cpp) have in common.
//
// Clocks  The addresses of single bytes stand for clocks. The owner of the byte must forget its clock.
// Tasks   A task is ordered after what its creator did before, and after the tasks that its dependences name. A wait
//         for children, or for a group, is ordered after those tasks and no others. Two tasks that the same thread ran
//         are ordered in this run, as everything that one thread does.
// Tested by test/programs/openmp_*
#pragma once

#include <atomic>

#include "live/api.h"

namespace deadheat::live::openmp {

struct Team {
  char start = 0, end = 0, barrier = 0, reduced = 0, copy = 0, ordered = 0;
  char tasks = 0;                 // all that have ended
  char tasks_in_barrier[2] = {};  // that ended within a barrier, by its number modulo 2
  static constexpr unsigned kIterations = 512;
  char iterations[kIterations] = {};  // of doacross loops: neighbours never share one
  bool doacross = false;
  uint32_t threads = 1;

  // The clock of an iteration of a doacross loop, by its place in the loops.
  template <class Place>
  const char* iteration(unsigned dimensions, Place place) {
    uint64_t hash = 0;
    for (unsigned i = 0; i < dimensions; ++i) hash = mix(hash, static_cast<uint64_t>(place(i)));
    doacross = true;
    return &iterations[hash % kIterations];
  }
  ~Team();
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
  ~Named();
};

enum class DependenceType : uint8_t { kIn, kOut, kSet, kExclusive };

struct Task {
  Task* parent = nullptr;
  Task* outer = nullptr;  // an implicit task: what the thread had before
  Team* team = nullptr;
  Group* group = nullptr;
  // Of the thread that runs it, and of each child: it tells its parent when it ends.
  std::atomic<uint32_t> references{1};
  bool started = false;
  char created = 0, children = 0, suspended = 0;
  BarrierGeneration* waiting = nullptr;  // an implicit task within a barrier
  unsigned barriers = 0;

  static constexpr unsigned kBucketBits = 6, kBuckets = 1u << kBucketBits;
  Named** named = nullptr;  // by children; buckets
  struct Dependence {
    Named* named;
    DependenceType type;
  };
  Dependence* dependences = nullptr;
  size_t dependence_count = 0, dependence_capacity = 0;

  ~Task();
};

// The implicit task that the calling thread runs, or waits in a barrier of.
extern __thread Task* implicit __attribute__((tls_model("initial-exec"), visibility("hidden")));

void drop(Task* task);

Task* begin_implicit(const Entry& entry, Team& team);  // becomes `implicit`
void end_implicit(const Entry& entry, Task& task);

void enter_barrier(const Entry& entry, Task& task);
// `alive`: the team is still there, so that what tasks did meanwhile is learned, too.
void leave_barrier(const Entry& entry, Task& task, bool alive);

Task* create_task(const Entry& entry, Task& parent);
// Before the task can begin, by its creator.
void reserve_dependences(Task& task, size_t count);
void add_dependence(Task& task, const void* variable, DependenceType type);
void begin_task(const Entry& entry, Task& task);  // or goes on with it
void suspend_task(const Entry& entry, Task& task);
// By the thread that ran the task, or that fulfilled the event it waited for. The task stays until it is dropped.
void end_task(const Entry& entry, Task& task);
void wait_for_dependences(const Entry& entry, const Task& task);
void wait_for_children(const Entry& entry, Task& task);
// An ordered part of a loop, if the thread is in a team.
void begin_ordered(void* caller);
void end_ordered(void* caller);
void begin_group(Task& task);
void wait_for_group(const Entry& entry, const Task& task);
void end_group(const Entry& entry, Task& task);

}  // namespace deadheat::live::openmp
