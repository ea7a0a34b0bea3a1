#include "detect/happens_before.h"

#include "detect/order_rules.h"

namespace deadheat {

// ---- Threads ------------------------------------------------------------------------------------------------------

void HappensBefore::own(Thread& t, ThreadId id, Slot slot, Clock first) {
  slots_[index(slot)].owners.push_back(arena_, {first, id});
  t.E = Epoch(slot, first);
  t.C.set_own(t.E);
  t.learnt = first;
}

void HappensBefore::begin(Thread& t, ThreadId id) {
  if (slots_.size() >= Epoch::kMaxSlot) fatal("more than %u threads whose end nobody waited for", Epoch::kMaxSlot);
  slots_.push_back(arena_, SlotRecord{{}, 0, kNone});
  own(t, id, static_cast<Slot>(slots_.size() - 1), 1);
}

void HappensBefore::tick(Thread& t) {
  const Clock next = t.E.clock() + 1;
  if (next > Epoch::kMaxClock) fatal("a thread published its clock more than 2^39 times");
  t.E = Epoch(t.E.slot(), next);
  t.C.set_own(t.E);
}

// create: the child starts with the parent's clock; the parent ticks.
void HappensBefore::fork(Thread& parent, ThreadId child_id) {
  Thread& child = threads_.at(arena_, index(child_id));
  if (parent.first_retired == kNone) {
    begin(child, child_id);
  } else {
    const Slot slot = static_cast<Slot>(parent.first_retired);
    const SlotRecord record = slots_[index(slot)];
    parent.first_retired = record.next;
    if (record.next == kNone) parent.last_retired = kNone;
    child.C.release(arena_);
    own(child, child_id, slot, record.last + 1);
  }
  learn(child, parent.C);
  tick(parent);
}

// join: the joiner takes the ended thread's clock, and its slots.
void HappensBefore::join(Thread& joiner, Thread& ended) {
  learn(joiner, ended.C);
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

using order::How;

// A thread as the rules of order see it.
struct HappensBefore::Party {
  HappensBefore& order;
  Thread& t;

  SharedClock& Fr() const { return t.Fr; }
  SharedClock& Fa() const { return t.Fa; }

  void take(const SharedClock& X) const { order.learn(t, X); }
  void take(AtomicObject object) const {
    if (const SharedClock* S = find(object)) take(*S);
  }

  void publish(SharedClock& Y, How how) const {
    put(Y, t.C, how);
    order.tick(t);
  }
  void publish(AtomicObject object, How how) const { publish(make(object), how); }

  void pass_on(SharedClock& Y, AtomicObject object, How how) const {
    if (const SharedClock* S = find(object)) put(Y, *S, how);
  }
  void pass_on(AtomicObject object, const SharedClock& X, How how) const {
    if (!X.empty()) return put(make(object), X, how);
    if (how == How::kAssign) clear(object);
  }
  void clear(SharedClock& Y) const { Y.release(order.arena_); }
  void clear(AtomicObject object) const {
    if (SharedClock* S = find(object)) clear(*S);
  }

 private:
  SharedClock* find(AtomicObject object) const { return order.atomics_.find(object.key); }
  SharedClock& make(AtomicObject object) const { return order.atomics_.at(order.arena_, object.key); }
  void put(SharedClock& Y, const SharedClock& X, How how) const {
    if (how == How::kAssign)
      Y.assign(order.arena_, X);
    else if (!X.empty())
      Y.gather(order.arena_, order.cost_, X);
  }
};

void HappensBefore::sync(const Event& e) {
  const Party t{*this, thread(e.thread)};
  switch (e.kind) {
    case EventKind::kAcquire: {
      Lock& m = locks_.at(arena_, e.target);
      return order::lock(t, m.Lw, m.Lr);
    }
    case EventKind::kRelease: {
      Lock& m = locks_.at(arena_, e.target);
      return order::unlock(t, m.Lw, m.Lr);
    }
    case EventKind::kReadAcquire:
      return order::lock_shared(t, locks_.at(arena_, e.target).Lw);
    case EventKind::kReadRelease:
      return order::unlock_shared(t, locks_.at(arena_, e.target).Lr);
    case EventKind::kFork:
      return fork(t.t, e.other_thread());
    case EventKind::kJoin:
      return join(t.t, thread(e.other_thread()));
    case EventKind::kFence:
      return order::fence(t, e.order);
    case EventKind::kBarrierEnter:
      return order::post(t, barriers_.at(arena_, e.target).enter(arena_, e.thread));
    case EventKind::kBarrierLeave:
      return barriers_.at(arena_, e.target)
          .leave(
              arena_, e.thread, [&](const SharedClock& clock) { order::wait(t, clock); },
              [&](SharedClock& clock) { clock.release(arena_); });
    case EventKind::kPost:
      return order::post(t, semaphores_.at(arena_, e.target));
    case EventKind::kSemaphoreWait:
      return order::wait(t, semaphores_.at(arena_, e.target));
    case EventKind::kSend:
      return order::post(t, messages_.at(arena_, e.target));
    case EventKind::kReceive:
      return order::wait(t, messages_.at(arena_, e.target));
    default:  // begin, end, wait, notify, alloc and free order nothing
      return;
  }
}

// ---- Atomics ------------------------------------------------------------------------------------------------------

void HappensBefore::acquire_part(const Event& e) {
  const Party t{*this, thread(e.thread)};
  const AtomicObject object{atomic_key(e)};
  if (e.kind == EventKind::kVolatileRead) return order::wait(t, object);
  if (e.kind == EventKind::kAtomicStore || e.kind == EventKind::kVolatileWrite) return;
  if (!has_value(e) && !acquires(e.order)) return;
  order::atomic_read(t, object, e.order);
}

void HappensBefore::release_part(const Event& e) {
  const Party t{*this, thread(e.thread)};
  const AtomicObject object{atomic_key(e)};
  switch (e.kind) {
    case EventKind::kAtomicStore:
      if (!has_value(e) && !releases(e.order)) return t.clear(object);
      return order::atomic_store(t, object, e.order);
    case EventKind::kAtomicRmw:
    case EventKind::kCasOk:
      if (!has_value(e) && !releases(e.order)) return;
      return order::atomic_modify(t, object, e.order);
    case EventKind::kVolatileWrite:
      return order::post(t, object);
    default:  // loads publish nothing
      return;
  }
}

void HappensBefore::forget_atomics(AtomicKey first, uint64_t count) {
  atomics_.forget(first, count, [this](SharedClock& S) { S.release(arena_); });
}

void HappensBefore::count(CounterSink& sink) const {
  sink.add("vector clocks/allocated", cost_.allocated, CounterSink::kPerSync);
  sink.add("vector clocks/operations", cost_.operations, CounterSink::kPerSync);
}

}  // namespace deadheat
