// The features of live detection that are tried against each other, two at a time, in one process.
//
//   pairs A B       runs the features A and B side by side, and one race while both are at it
//   pairs --list    what is expected of each feature, for test/pairs/runner.cpp
//
// A feature is a function that is called round by round in a thread of its own. In the first round it makes its own
// race, if it has one; when both features have done a round, the race called `known` is made, and then they go on until
// both have done their number of rounds. A feature may end the program instead: then the other one goes on until the
// program is gone. All that features share is indexed by their side, so that each can also be paired with itself.
//
// The lines of a race end in `// race LABEL`. Threads are ordered by relaxed atomics, which order nothing that a detector
// may see. Whatever a feature finds wrong, it says by `must`.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cerrno>
#include <span>

namespace pairs {

struct Side {
  int index;  // 0 or 1
  int round;
};

enum class Ends : unsigned char {
  kNot,
  kThread,          // the feature's thread ends the program
  kMain,            // the main thread does
  kMainAfterOthers  // the main thread leaves; the program ends with its last thread
};

struct Feature {
  const char* name;
  void (*round)(Side& side);
  int rounds = 5;
  const char* tells = "";  // the labels of its races; `LABEL*N` is told N times, `LABEL/each` by each side of a pair
                           // with itself, `LABEL?` maybe; `@KIND` is a report of another kind
  Ends ends = Ends::kNot;
  void (*end)(Side& side) = nullptr;
  int status = 66;  // of the program, if this feature ends it; 128 and the number for a signal
  const char* options = "";
  void (*called_back)(Side& side) = nullptr;  // at the first report of the program, from __tsan_on_report
};

std::span<const Feature> signal_features();
std::span<const Feature> fork_features();
std::span<const Feature> loader_features();
std::span<const Feature> end_features();
std::span<const Feature> cancel_features();
std::span<const Feature> callback_features();
std::span<const Feature> report_features();
std::span<const Feature> table_features();
std::span<const Feature> other_features();

// Says where, and ends the program with a status that nothing expects.
#define must(condition) ((condition) ? (void)0 : ::pairs::broken(#condition, __FILE__, __LINE__))
[[noreturn]] void broken(const char* what, const char* file, int line);

inline void await(const std::atomic<int>& step, int value) {
  while (step.load(std::memory_order_relaxed) < value) sched_yield();
}

// pthread_create, again if the system has no thread to give: while another thread of the process is in exec, for one.
inline int create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*), void* argument) {
  int error;
  while ((error = pthread_create(thread, attributes, function, argument)) == EAGAIN) sched_yield();
  return error;
}

// A thread; its function may be a lambda that refers to what is around it.
template <class Body>
class Running {
 public:
  explicit Running(Body body) : body_(body) { must(create(&handle_, nullptr, run, this) == 0); }
  ~Running() {
    if (!joined_) join();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  void* join() {
    void* result = nullptr;
    joined_ = true;
    must(pthread_join(handle_, &result) == 0);
    return result;
  }
  pthread_t handle() const { return handle_; }

 private:
  static void* run(void* self) {
    static_cast<Running*>(self)->body_();
    return nullptr;
  }
  Body body_;
  pthread_t handle_;
  bool joined_ = false;
};

// The first function and then the second one, in threads that nothing orders.
template <class First, class Second>
void one_after_the_other(First first, Second second) {
  std::atomic<int> step{0};
  Running a([&] {
    first();
    step.store(1, std::memory_order_relaxed);
  });
  Running b([&] {
    await(step, 1);
    second();
  });
}

extern thread_local bool in_handler;  // of a signal: no place for what callbacks do
bool in_first_process();
bool watched();  // by a run time; without one nothing is told
inline int status_if_told() { return watched() ? 66 : 0; }
const char* folder();  // of the program, where its libraries lie

}  // namespace pairs
