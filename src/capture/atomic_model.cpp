#include "capture/atomic_model.h"

#include "runtime/lifecycle.h"

namespace deadheat::live {

Order order_of(int written) {
  if (options.force_seq_cst_atomics) return Order::kSeqCst;
  const int order = written & 0x7fff;
  return order >= 0 && order <= 5 ? static_cast<Order>(order) : Order::kSeqCst;
}

void write_clock(Thread& t, SyncLock& lock, Order order, bool joined) {
  if (releases(order)) {
    LiveClock& S = lock.make().S;
    // Who acquired S before knows all of it: the join is the thread's clock itself.
    if (!joined || acquires(order) || S.empty())
      S.assign(t.C, publish_epoch(t));
    else
      S.join(t.C, publish_epoch(t));
    return;
  }
  const LiveClock& Fr = t.release_fence;
  if (joined) {
    if (Fr.empty()) return;
    LiveClock& S = lock.make().S;
    if (S.empty())
      S.assign(Fr);
    else
      S.join(Fr);
  } else if (!Fr.empty()) {
    lock.make().S.assign(Fr);
  } else if (SyncObject* o = lock.find()) {
    o->S.clear();
  }
}

void fence(Thread& t, Order order) {
  const Inside inside;
  if (acquires(order)) {
    learn(t, t.seen_relaxed);
    t.seen_relaxed.clear();
  }
  if (releases(order)) {
    t.release_fence.assign(t.C, publish_epoch(t));
    tick(t);
  }
}

}  // namespace deadheat::live
