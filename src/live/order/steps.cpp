#include "live/order/steps.h"

#include "live/ground/inside.h"
#include "live/ground/options.h"
#include "live/ground/spin_lock.h"

namespace deadheat::live {

bool explaining = false;

namespace {

// Those of one epoch.
struct EpochSteps {
  Clock clock;
  OrderStep first, last;
};

// The last ones of a slot, as a ring; guarded by the slot's lock.
struct Steps {
  static constexpr unsigned kKept = 512;
  uint64_t count;  // of all that were ever put in
  EpochSteps epochs[kKept];

  uint64_t oldest() const { return count > kKept ? count - kKept : 0; }
  const EpochSteps& at(uint64_t i) const { return epochs[i % kKept]; }
};

struct alignas(64) StepsLock {
  SpinLock lock{Lock::kSteps};
};
constinit StepsLock steps_locks[64];
Steps** steps_of_slots;
std::atomic<uint64_t> steps_counted{0};

SpinLock& lock_of(Slot slot) { return steps_locks[index(slot) % 64].lock; }

// What came before the epoch's first access and what came after it, as one sequence: an epoch's first step, then its
// last one if that is another.
void collect(const Steps& steps, Clock clock, StepsAround& around) {
  uint64_t after = steps.count;
  while (after > steps.oldest() && steps.at(after - 1).clock > clock) --after;
  around.forgotten = after == steps.oldest() && after != 0;
  if (around.forgotten) return;  // the first one that is kept need not be the first after
  unsigned found = 0;
  for (uint64_t i = after; i > steps.oldest() && found < StepsAround::kMost; --i) {
    const EpochSteps& epoch = steps.at(i - 1);
    around.before[found++] = epoch.last;
    if (epoch.first.number != epoch.last.number && found < StepsAround::kMost) around.before[found++] = epoch.first;
  }
  found = 0;
  for (uint64_t i = after; i < steps.count && found < StepsAround::kMost - 1; ++i) {
    const EpochSteps& epoch = steps.at(i);
    around.after[found++] = epoch.first;
    if (epoch.first.number != epoch.last.number && found < StepsAround::kMost - 1) around.after[found++] = epoch.last;
  }
}

// The former owner of a slot is another thread.
void keep_one_thread(StepsAround& around) {
  bool gone = false;
  for (OrderStep& step : around.before) {
    if (gone) step = {};
    if (step.kind == StepKind::kBegin) {
      step = {};
      gone = true;
    }
  }
  gone = false;
  for (OrderStep& step : around.after) {
    gone = gone || step.kind == StepKind::kBegin;
    if (gone) step = {};
  }
}

}  // namespace

DEADHEAT_ARRAY_TAKEN_AT_FORK(kSteps, steps_locks)

void steps_start() {
  if (!options.explain) return;
  steps_of_slots = static_cast<Steps**>(sys::reserve(size_t{Epoch::kMaxSlot} * sizeof(Steps*)));
  explaining = steps_of_slots != nullptr;
}

void note_step_slow(Thread& t, StepKind kind, uint64_t object, NodeId where) {
  if (t.used) tick_slow(t);
  const Epoch E = t.C.own();
  const SpinGuard held(lock_of(E.slot()));
  Steps*& steps = steps_of_slots[index(E.slot())];
  if (steps == nullptr) steps = static_cast<Steps*>(sys::reserve(sizeof(Steps)));
  if (steps == nullptr) return;
  const OrderStep step = {kind, where, object, steps_counted.fetch_add(1, std::memory_order_relaxed) + 1};
  if (steps->count != 0) {
    EpochSteps& newest = steps->epochs[(steps->count - 1) % Steps::kKept];
    if (newest.clock == E.clock()) {
      newest.last = step;
      return;
    }
  }
  steps->epochs[steps->count++ % Steps::kKept] = {E.clock(), step, step};
}

void note_step_at_slow(Thread& t, StepKind kind, uint64_t object, uintptr_t pc) {
  const Inside inside;
  note_step_slow(t, kind, object, t.stack_cache.child(context_node(t), frame_key(pc)));
}

StepsAround steps_around(Epoch epoch) {
  StepsAround around;
  if (!explaining) return around;
  const BusyGuard held(lock_of(epoch.slot()));
  const Steps* const steps = steps_of_slots[index(epoch.slot())];
  if (steps == nullptr) return around;
  collect(*steps, epoch.clock(), around);
  keep_one_thread(around);
  return around;
}

}  // namespace deadheat::live
