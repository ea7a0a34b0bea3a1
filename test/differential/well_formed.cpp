#include "differential/well_formed.h"

namespace deadheat::test {

WellFormed::Life WellFormed::life(ThreadId thread) const {
  const auto found = life_.find(thread);
  return found == life_.end() ? Life::kUnknown : found->second;
}

const WellFormed::Lock& WellFormed::lock(uint64_t id) const {
  static const Lock kFree;
  const auto found = locks_.find(id);
  return found == locks_.end() ? kFree : found->second;
}

bool WellFormed::overlaps_block(uint64_t address, uint64_t bytes) const {
  for (const auto& [begin, size] : blocks_)
    if (begin < address + bytes && address < begin + size) return true;
  return false;
}

bool WellFormed::may_run(const Event& event) const {
  const Lock* held = info(event.kind).operand == Operand::kLock ? &lock(event.target) : nullptr;
  switch (event.kind) {
    case EventKind::kAcquire:
      return held->depth.empty() || held->writer == event.thread;
    case EventKind::kReadAcquire:
      return !held->writer || held->writer == event.thread;
    case EventKind::kRelease:
    case EventKind::kReadRelease:  // either ends what the thread holds, whichever way it was taken
      return held->depth.contains(event.thread);
    case EventKind::kFork:
      return event.other_thread() != event.thread && life(event.other_thread()) == Life::kUnknown;
    case EventKind::kJoin:
    case EventKind::kSeenEnded:
      return event.other_thread() != event.thread && life(event.other_thread()) != Life::kJoined;
    case EventKind::kBarrierEnter:
      return !inside_.contains({event.thread, event.target});
    case EventKind::kBarrierLeave:
      return inside_.contains({event.thread, event.target});
    case EventKind::kAlloc:
      return !event.is_range || !overlaps_block(event.target, event.size);
    case EventKind::kFree:
      return !event.is_range || blocks_.contains(event.target);
    case EventKind::kAtomicLoad:
    case EventKind::kCasFail:
      return event.order != MemoryOrder::kRelease && event.order != MemoryOrder::kAcqRel;
    case EventKind::kAtomicStore:
      return event.order == MemoryOrder::kRelaxed || event.order == MemoryOrder::kRelease ||
             event.order == MemoryOrder::kSeqCst;
    default:
      return true;
  }
}

bool WellFormed::would_accept(const Event& event) const { return life(event.thread) < Life::kEnded && may_run(event); }

void WellFormed::apply(const Event& event) {
  life_[event.thread] = Life::kRunning;
  switch (event.kind) {
    case EventKind::kAcquire:
    case EventKind::kReadAcquire: {
      Lock& held = locks_[event.target];
      if (event.kind == EventKind::kAcquire) held.writer = event.thread;
      ++held.depth[event.thread];
      return;
    }
    case EventKind::kRelease:
    case EventKind::kReadRelease: {
      Lock& held = locks_[event.target];
      if (--held.depth[event.thread] > 0) return;
      held.depth.erase(event.thread);
      held.writer.reset();
      return;
    }
    case EventKind::kFork:
      life_[event.other_thread()] = Life::kForked;
      return;
    case EventKind::kJoin:
      life_[event.other_thread()] = Life::kJoined;
      return;
    case EventKind::kSeenEnded:
      life_[event.other_thread()] = Life::kEnded;
      return;
    case EventKind::kBarrierEnter:
      inside_.insert({event.thread, event.target});
      return;
    case EventKind::kBarrierLeave:
      inside_.erase({event.thread, event.target});
      return;
    case EventKind::kAlloc:
      if (event.is_range) blocks_[event.target] = event.size;
      return;
    case EventKind::kFree:
      if (event.is_range) blocks_.erase(event.target);
      return;
    default:
      return;
  }
}

bool WellFormed::accept(const Event& event) {
  if (!would_accept(event)) return false;
  apply(event);
  return true;
}

bool is_well_formed(const TestTrace& trace) {
  WellFormed rules;
  for (const Event& event : trace.events)
    if (!rules.accept(event)) return false;
  return true;
}

}  // namespace deadheat::test
