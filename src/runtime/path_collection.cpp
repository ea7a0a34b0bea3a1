#include "runtime/path_collection.h"

#include <linux/membarrier.h>

#include "runtime/lock_order.h"
#include "runtime/records.h"
#include "runtime/summary.h"
#include "runtime/touched.h"
#include "runtime/word_cells.h"

namespace deadheat::live {
namespace {

// Marks an origin unless it is the one before: neighbours often have the same.
class Marker {
 public:
  void operator()(NodeId origin) {
    if (origin == last_) return;
    last_ = origin;
    stack_mark(origin);
  }

 private:
  NodeId last_ = 0;
};

size_t parts_searched;

void mark_summary(const Summary& summary) {
  for (const UniformState* state : {&summary.front, &summary.rest})
    for (const Turns* turns : {&state->writes, &state->reads})
      for (const NodeId origin : turns->origin) stack_mark(origin);
}

void mark_cells(uintptr_t part, Plane cells, Plane origins) {
  Marker mark;
  for (uintptr_t word = part; word < part + kStripeBytes; word += 4) {
    const Cell cell = load(cell_of(cells, word));
    if (cell == 0) continue;
    if (is_record(cell)) {
      const Record& record = *record_of(cell);
      for (uint32_t i = 0; i < record.count; ++i) mark(record.past()[i].origin);
    } else {
      mark(load(cell_of(origins, word)));
    }
  }
}

void mark_range(uintptr_t begin, uintptr_t end) {
  for (uintptr_t part = begin; part < end; part += kStripeBytes) {
    const Summary& summary = summary_of(part);
    if (summary.mode == PartMode::kUntouched) continue;
    ++parts_searched;
    if (summary.mode == PartMode::kSummary) {
      mark_summary(summary);
      continue;
    }
    mark_cells(part, kPlaneW, kPlaneWOrigin);
    for (uintptr_t word = part; word < part + kStripeBytes; word += 4)
      if (has_older(word)) stack_mark(load(cell_of(kPlaneOlderOrigin, word)));
    for (unsigned left = summary.classes; left != 0; left &= left - 1) {
      const unsigned c = static_cast<unsigned>(__builtin_ctz(left));
      mark_cells(part, plane_r(c), plane_r_origin(c));
    }
  }
}

// From here on every thread sees what this one stored before, and what others stored before they last read is seen
// here.
bool meet_all_threads() {
  const auto call = [](long command) { return !sys::failed(sys::call(SYS_membarrier, command, 0, 0)); };
  return call(MEMBARRIER_CMD_PRIVATE_EXPEDITED) ||
         (call(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) && call(MEMBARRIER_CMD_PRIVATE_EXPEDITED));
}

bool impossible = false;

}  // namespace

void collect_paths_if_crowded() {
  if (!stacks_crowded() || impossible) return;
  if (!threads_left_since_collection()) return;
  threads_lock_for_fork();
  lock_order_lock_for_fork();
  shadow_lock_for_fork();
  stacks_begin_collection();
  parts_searched = 0;
  threads_mark_paths();
  lock_order_mark_paths();
  for (size_t zone = 0; zone < layout.zone_count; ++zone)
    each_touched(layout.zones[zone].begin, layout.zones[zone].end, false, mark_range);
  stacks_end_collection(parts_searched);
  impossible = !meet_all_threads();
  shadow_unlock_after_fork();
  lock_order_unlock_after_fork();
  threads_unlock_after_fork(false);
}

}  // namespace deadheat::live
