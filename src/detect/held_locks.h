// How the events of a trace change which locks are held: for detectors with locksets.
#pragma once

#include "base/lockset.h"
#include "event/event.h"

namespace deadheat {

// Whether the event was about a lock.
inline bool follow(HeldLocks& held, const Event& e) {
  switch (e.kind) {
    case EventKind::kAcquire:
      held.acquire(e.thread, e.lock());
      return true;
    case EventKind::kReadAcquire:
      held.acquire_as_reader(e.thread, e.lock());
      return true;
    case EventKind::kRelease:
    case EventKind::kReadRelease:
      held.release(e.thread, e.lock());
      return true;
    default:
      return false;
  }
}

}  // namespace deadheat
