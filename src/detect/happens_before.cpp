#include "detect/happens_before.h"

namespace deadheat {

// ---- Threads ------------------------------------------------------------------------------------------------------

void HappensBefore::own(Thread& t, ThreadId id, Slot slot, Clock first) {
  slots_[index(slot)].owners.push_back(arena_, {first, id});
  t.E = Epoch(slot, first);
  t.C.set(arena_, cost_, slot, first);
}

void HappensBefore::begin(Thread& t, ThreadId id) {
  if (slots_.size() > Epoch::kMaxSlot) fatal("more than %u threads whose end nobody waited for", Epoch::kMaxSlot);
  slots_.push_back(arena_, SlotRecord{{}, 0, kNone});
  own(t, id, static_cast<Slot>(slots_.size() - 1), 1);
}

void HappensBefore::tick(Thread& t) {
  const Clock next = t.E.clock() + 1;
  if (next > Epoch::kMaxClock) fatal("a thread published its clock more than 2^39 times");
  t.E = Epoch(t.E.slot(), next);
  t.C.set(arena_, cost_, t.E.slot(), next);
}

// create: the child starts with the parent's clock; the parent ticks.
void HappensBefore::fork(Thread& parent, ThreadId child_id) {
  Thread& child = threads_.at(arena_, index(child_id));
  if (parent.first_retired == kNone) {
    begin(child, child_id);
    child.C.join(arena_, cost_, parent.C);
  } else {
    const Slot slot = static_cast<Slot>(parent.first_retired);
    const SlotRecord record = slots_[index(slot)];
    parent.first_retired = record.next;
    if (record.next == kNone) parent.last_retired = kNone;
    child.C.assign(arena_, cost_, parent.C);
    own(child, child_id, slot, record.last + 1);
  }
  tick(parent);
}

// join: the joiner takes the ended thread's clock, and its slots.
void HappensBefore::join(Thread& joiner, Thread& ended) {
  take(joiner, ended.C);
  const int64_t slot = static_cast<int64_t>(index(ended.E.slot()));
  slots_[slot].last = ended.E.clock();
  slots_[slot].next = ended.first_retired;
  const int64_t last = ended.last_retired == kNone ? slot : ended.last_retired;
  slots_[last].next = joiner.first_retired;
  if (joiner.last_retired == kNone) joiner.last_retired = last;
  joiner.first_retired = slot;
  ended.first_retired = ended.last_retired = kNone;
  ended.C.release(arena_);
  ended.Fr.release(arena_);
  ended.Fa.release(arena_);
}

ThreadId HappensBefore::owner(Epoch e) const {
  const ArenaVector<Ownership>& owners = slots_[index(e.slot())].owners;
  uint32_t i = owners.size();
  while (i > 1 && owners[i - 1].first > e.clock()) --i;
  return owners[i - 1].owner;
}

// ---- Everything that is not an access -----------------------------------------------------------------------------

void HappensBefore::sync(const Event& e) {
  Thread& t = thread(e.thread);
  switch (e.kind) {
    case EventKind::kAcquire: {
      Lock& m = locks_.at(arena_, e.target);
      if (!precedes(m.last_release, t.C)) take(t, m.Lw);
      take(t, m.Lr);
      break;
    }
    case EventKind::kRelease: {
      Lock& m = locks_.at(arena_, e.target);
      m.Lw.assign(arena_, cost_, t.C);
      m.Lr.clear();
      m.last_release = t.E;
      tick(t);
      break;
    }
    case EventKind::kReadAcquire: {
      Lock& m = locks_.at(arena_, e.target);
      if (!precedes(m.last_release, t.C)) take(t, m.Lw);
      break;
    }
    case EventKind::kReadRelease:
      locks_.at(arena_, e.target).Lr.join(arena_, cost_, t.C);
      tick(t);
      break;
    case EventKind::kFork:
      fork(t, e.other_thread());
      break;
    case EventKind::kJoin:
      join(t, thread(e.other_thread()));
      break;
    case EventKind::kFence:
      if (acquires(e.order)) take(t, t.Fa);
      if (releases(e.order)) {
        t.Fr.assign(arena_, cost_, t.C);
        tick(t);
      }
      break;
    case EventKind::kBarrierEnter:
      barriers_.at(arena_, e.target).enter(arena_, e.thread).join(arena_, cost_, t.C);
      tick(t);
      break;
    case EventKind::kBarrierLeave:
      barriers_.at(arena_, e.target)
          .leave(
              arena_, e.thread, [&](const VectorClock& clock) { take(t, clock); },
              [&](VectorClock& clock) { clock.release(arena_); });
      break;
    case EventKind::kPost:
      semaphores_.at(arena_, e.target).join(arena_, cost_, t.C);
      tick(t);
      break;
    case EventKind::kSemaphoreWait:
      take(t, semaphores_.at(arena_, e.target));
      break;
    case EventKind::kSend:
      messages_.at(arena_, e.target).join(arena_, cost_, t.C);
      tick(t);
      break;
    case EventKind::kReceive:
      take(t, messages_.at(arena_, e.target));
      break;
    default:  // begin, end, wait, notify, alloc and free order nothing
      break;
  }
}

// ---- Atomics ------------------------------------------------------------------------------------------------------

void HappensBefore::acquire_part(const Event& e) {
  if (e.kind == EventKind::kAtomicStore || e.kind == EventKind::kVolatileWrite) return;
  const VectorClock* S = atomics_.find(atomic_key(e));
  if (S == nullptr || S->empty()) return;
  Thread& t = thread(e.thread);
  if (e.kind == EventKind::kVolatileRead || acquires(e.order)) {
    take(t, *S);
  } else {
    t.Fa.join(arena_, cost_, *S);
  }
}

void HappensBefore::release_part(const Event& e) {
  Thread& t = thread(e.thread);
  switch (e.kind) {
    case EventKind::kAtomicStore:
      if (releases(e.order)) {
        atomics_.at(arena_, atomic_key(e)).assign(arena_, cost_, t.C);
        tick(t);
      } else if (!t.Fr.empty()) {  // a new release sequence, headed by the fence
        atomics_.at(arena_, atomic_key(e)).assign(arena_, cost_, t.Fr);
      } else if (VectorClock* S = atomics_.find(atomic_key(e))) {
        S->clear();
      }
      break;
    case EventKind::kAtomicRmw:
    case EventKind::kCasOk:
      if (releases(e.order)) {
        atomics_.at(arena_, atomic_key(e)).join(arena_, cost_, t.C);
        tick(t);
      } else if (!t.Fr.empty()) {
        atomics_.at(arena_, atomic_key(e)).join(arena_, cost_, t.Fr);
      }
      break;
    case EventKind::kVolatileWrite:
      atomics_.at(arena_, atomic_key(e)).join(arena_, cost_, t.C);
      tick(t);
      break;
    default:  // loads publish nothing
      break;
  }
}

void HappensBefore::forget_atomics(AtomicKey first, uint64_t count) {
  forget_clocks(atomics_, first, count, [this](const AtomicKey& key, VectorClock& S) {
    S.release(arena_);
    atomics_.erase(key);
  });
}

void HappensBefore::count(CounterSink& sink) const {
  sink.add("vector clocks/allocated", cost_.allocated, CounterSink::kPerSync);
  sink.add("vector clocks/operations", cost_.operations, CounterSink::kPerSync);
}

}  // namespace deadheat
