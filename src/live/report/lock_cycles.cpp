// Locks that are taken in orders which can end in a deadlock (order/lock_order.h).
#include "live/ground/hash.h"
#include "live/ground/options.h"
#include "live/order/lock_order.h"
#include "live/report/report.h"

namespace deadheat::live {
namespace {

// One bug is the functions that ask for the locks, whoever called them.
uint64_t place(NodeId where) { return mix(node_at(node_at(where).parent).address(), 0); }

}  // namespace

void report_lock_cycle(const LockCycle& found) {
  OtherKey key = {found.length, found.length};
  for (unsigned i = 0; i < found.length; ++i) {
    key.bug ^= place(found.steps[i].where);
    key.paths ^= mix(number_of(found.steps[i].where), number_of(found.steps[i].held_where));
  }
  report_other(
      FindingKind::kLockOrder, key,
      [](Draft& draft, void* data) {
        const LockCycle& cycle = *static_cast<const LockCycle*>(data);
        for (unsigned i = 0; i < cycle.length; ++i) draft.add_lock(cycle.steps[i].lock);
        draft.finding.cycle_length = cycle.length;
        for (unsigned i = 0; i < cycle.length; ++i) {
          const LockCycle::Step& step = cycle.steps[i];
          FindingStack& stack = draft.add_stack(step.where, FindingStack::kAcquiredWhileHolding);
          stack.lock = cycle.steps[(i + 1) % cycle.length].lock;
          stack.held = step.lock;
          stack.thread = number_of(step.thread);
          if (options.second_deadlock_stack)
            draft.add_stack(step.held_where, FindingStack::kAcquiredBefore).lock = step.lock;
          draft.add_thread(step.thread);
        }
      },
      const_cast<LockCycle*>(&found));
}

}  // namespace deadheat::live
