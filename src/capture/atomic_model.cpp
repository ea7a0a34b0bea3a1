#include "capture/atomic_model.h"

#include "live/ground/options.h"

namespace deadheat::live {

MemoryOrder order_of(int written) {
  if (options.force_seq_cst_atomics) return MemoryOrder::kSeqCst;
  const int order = written & 0x7fff;
  return order >= 0 && order <= 5 ? static_cast<MemoryOrder>(order) : MemoryOrder::kSeqCst;
}

void fence(Thread& t, MemoryOrder order) {
  const Inside inside;
  Party party(t);
  order::fence(party, order);
  if (acquires(order)) t.seen_relaxed.clear();  // C knows it all
  party.done();
}

}  // namespace deadheat::live
