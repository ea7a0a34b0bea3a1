// The shadow's part in a thread's life: what live/order asks of this room (order/thread.h).
#include "base/pass_interface.h"
#include "live/ground/degraded.h"
#include "live/ground/message.h"
#include "live/shadow/byte_reads.h"
#include "live/shadow/record_store.h"

namespace deadheat::live {

static_assert(kIdBits == pass_interface::kIdBits);

void shadow_adopts(Thread& t) {
  t.read_cells = shadow_map.base[plane_r(t.reader_class)];
  t.read_origins = shadow_map.base[plane_r_origin(t.reader_class)];
  t.plane_alone = shadow_map.base[kPlaneW] - shadow_map.base[kPlaneR];
  t.plane_shared = t.read_cells - shadow_map.base[kPlaneR];
  if (record::kOn && record::full) return;  // every access is recorded: none is a hit
  t.inline_write = t.inline_alone = reinterpret_cast<const void*>(shadow_map.base[kPlaneW]);
  t.inline_shared = reinterpret_cast<const void*>(t.read_cells);
  t.inline_mask = shadow_map.mask;
}

void shadow_of_new_stack(Thread& t) {
  const size_t bytes = t.stack_end - t.stack_begin;
  if (!shadow_cover(t.stack_begin, bytes) && note_degraded(Degradation::kUnwatchedMemory, bytes))
    say("the stack of a thread at 0x%lx has no place for its shadow: the program may fail there", t.stack_begin);
  forget_history(t.stack_begin, bytes);
}

void shadow_remembers_no_ids(Thread& t) {
  for (Transition& transition : t.transitions) transition = {};
}

void shadow_releases(Thread& t) {
  records_return_spares(t);
  byte_reads_return_spares(t);
}

}  // namespace deadheat::live
