// What threads did to order themselves with others, around each of their epochs: for explanations (option `explain`).
//
// Idea     With the option a thread begins a new epoch after each step, if it made an access in the old one. So every
//          access lies between two steps, and its epoch says which.
// Keeps    For each slot, the last kKept epochs that had a step: the first step of the epoch, which began it, and the
//          last one before the first access. What is older is forgotten, and said to be so.
// Cost     Without the option a look at `explaining`. With it more epoch ids, a counter that all threads share, and
//          some 24 KiB for each thread that is alive at the same time.
// Tested by test/report/ways (explained)
#pragma once

#include "live/order/thread.h"

namespace deadheat::live {

enum class StepKind : uint8_t {
  kNone,
  kBegin,
  kEnd,
  kCreate,  // `object` is the other thread
  kJoin,
  kLock,  // from here on it is an address
  kUnlock,
  kReadLock,
  kReadUnlock,
  kAcquire,
  kRelease,
  kLoad,
  kStore,  // or an operation that also reads
  kFence
};

struct OrderStep {
  StepKind kind = StepKind::kNone;
  NodeId where = kNoNode;
  uint64_t object = 0;
  uint64_t number = 0;  // steps of all threads are numbered in the order in which they came
};

// Whether the option is set.
extern bool explaining __attribute__((visibility("hidden")));

void steps_start();
// The thread has just done this; it is inside the run time and has no lock.
void note_step_slow(Thread& t, StepKind kind, uint64_t object, NodeId where) __attribute__((cold));
inline void note_step(Thread& t, StepKind kind, uint64_t object, NodeId where) {
  if (__builtin_expect(explaining, 0)) note_step_slow(t, kind, object, where);
}
// The same at a place in the code, which becomes a path only if it is wanted.
void note_step_at_slow(Thread& t, StepKind kind, uint64_t object, uintptr_t pc) __attribute__((cold));
inline void note_step_at(Thread& t, StepKind kind, uint64_t object, uintptr_t pc) {
  if (__builtin_expect(explaining, 0)) note_step_at_slow(t, kind, object, pc);
}

// The steps around the accesses of an epoch, by the thread that had it.
struct StepsAround {
  static constexpr unsigned kMost = 3;
  bool forgotten = false;      // they are not kept any more
  OrderStep before[kMost];     // the last one first; kNone: there are no more
  OrderStep after[kMost - 1];  // the first one first
};
StepsAround steps_around(Epoch epoch);

}  // namespace deadheat::live
