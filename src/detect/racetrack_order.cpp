#include "detect/racetrack_order.h"

namespace deadheat {

void RaceTrackOrder::tick(ThreadId id) {
  BoundedClock& B = thread(id);
  const uint32_t now = B[id];
  if (now == UINT32_MAX) fatal("a thread published its clock more than 2^32 times");
  B.set(arena_, id, now + 1, limit_);
  ++ticks_;
}

void RaceTrackOrder::sync(const Event& e) {
  const ThreadId t = e.thread;
  switch (e.kind) {
    case EventKind::kFork:
      take(e.other_thread(), B(t));
      tick(t);
      break;
    case EventKind::kJoin:
      take(t, B(e.other_thread()));
      thread(e.other_thread()).release(arena_);
      break;
    case EventKind::kSeenEnded:  // section 3.1: it has the same meaning as a join
      take(t, B(e.other_thread()));
      break;
    case EventKind::kNotify:
      publish(t, conditions_.at(arena_, e.target));
      break;
    case EventKind::kWait:
      take(t, conditions_.at(arena_, e.target));
      break;
    case EventKind::kPost:
      publish(t, semaphores_.at(arena_, e.target));
      break;
    case EventKind::kSemaphoreWait:
      take(t, semaphores_.at(arena_, e.target));
      break;
    case EventKind::kSend:
      publish(t, messages_.at(arena_, e.target));
      break;
    case EventKind::kReceive:
      take(t, messages_.at(arena_, e.target));
      break;
    case EventKind::kBarrierEnter:
      publish(t, barriers_.at(arena_, e.target).enter(arena_, t));
      break;
    case EventKind::kBarrierLeave:
      barriers_.at(arena_, e.target)
          .leave(
              arena_, t, [&](const BoundedClock& clock) { take(t, clock); },
              [&](BoundedClock& clock) { clock.release(arena_); });
      break;
    default:
      break;
  }
}

}  // namespace deadheat
