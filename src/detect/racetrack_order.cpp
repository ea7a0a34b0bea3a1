#include "detect/racetrack_order.h"

namespace deadheat {

void RaceTrackOrder::tick(ThreadId id) {
  BoundedClock& B = thread(id);
  const uint32_t now = B[id];
  if (now == UINT32_MAX) fatal("a thread published its clock more than 2^32 times");
  B.set(arena_, id, now + 1, limit_);
  ++ticks_;
}

void RaceTrackOrder::enter(ThreadId id, Barrier& b) {
  if (b.current == nullptr || b.current->closed) b.current = arena_.make<Generation>();
  ++b.current->inside;
  b.entered.at(arena_, index(id)) = b.current;
  publish(id, b.current->clock);
}

// A slow leaver takes the generation that it entered, not what a fast thread brings into the next one.
void RaceTrackOrder::leave(ThreadId id, Barrier& b) {
  Generation** entered = b.entered.find(index(id));
  if (entered == nullptr) return;  // the validator has said so
  Generation* generation = *entered;
  b.entered.erase(index(id));
  take(id, generation->clock);
  generation->closed = true;
  if (--generation->inside > 0) return;
  if (b.current == generation) b.current = nullptr;
  generation->clock.release(arena_);
  arena_.destroy(generation);
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
      enter(t, barriers_.at(arena_, e.target));
      break;
    case EventKind::kBarrierLeave:
      leave(t, barriers_.at(arena_, e.target));
      break;
    default:
      break;
  }
}

}  // namespace deadheat
