#include "live/paths/path_collection.h"

#include <linux/membarrier.h>

#include "live/ground/locks.h"
#include "live/ground/options.h"
#include "live/ground/sys.h"
#include "live/paths/stacks.h"

namespace deadheat::live {
namespace {

// From here on every thread sees what this one stored before, and what others stored before they last read is seen
// here.
bool meet_all_threads() {
  const auto call = [](long command) { return !sys::failed(sys::call(SYS_membarrier, command, 0, 0)); };
  return call(MEMBARRIER_CMD_PRIVATE_EXPEDITED) ||
         (call(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) && call(MEMBARRIER_CMD_PRIVATE_EXPEDITED));
}

bool impossible = false;
// All threads wait during a collection, so it may take at most 1/64 of the time.
uint64_t not_before = 0;

}  // namespace

void collect_paths_if_crowded() {
  if (!stacks_crowded() || impossible) return;
  const uint64_t begun = __builtin_ia32_rdtsc();
  if (begun < not_before && options.path_nodes == 0) return;
  if (!threads_left_since_collection()) return;
  const HoldAll<Lock::kThreads> threads;
  const HoldAll<Lock::kLockOrder> graph;
  const HoldAll<Lock::kStripes> shadow;
  stacks_begin_collection();
  threads_mark_paths();
  lock_order_mark_paths();
  stacks_end_collection(shadow_mark_paths());
  impossible = !meet_all_threads();
  const uint64_t ended = __builtin_ia32_rdtsc();
  not_before = ended + 64 * (ended - begun);
}

}  // namespace deadheat::live
