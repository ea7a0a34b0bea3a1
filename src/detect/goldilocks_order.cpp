#include "detect/goldilocks_order.h"

#include "detect/order_rules.h"

namespace deadheat {

void GoldilocksOrder::configure(const DetectorOptions& options) {
  seed_ = options.seed;
  list_.set_limit(options.list_limit);
}

// ---- Clocks as elements -------------------------------------------------------------------------------------------

using order::How;

// A thread as the rules of order see it, at one event.
struct GoldilocksOrder::Party {
  GoldilocksOrder& order;
  ThreadId id;
  Thread& t;

  Clock& Fr() const { return t.Fr; }
  Clock& Fa() const { return t.Fa; }

  // Most of the cells that would change nothing are never made: those of a thread that takes its own lock again.
  void take(Clock& X) const {
    if (X.is_empty || X.known_to == plus_one(id)) return;
    order.list_.join(t.element, X.element);
    t.learnt = order.list_.tail();
    X.known_to = plus_one(id);
  }
  void take(AtomicObject object) const {
    if (Clock* S = order.atomics_.find(object.key)) take(*S);
  }

  void publish(Clock& Y, How how) const {
    put(Y, t.element, how);
    if (how == How::kAssign)
      Y.known_to = plus_one(id);
    else if (Y.known_to != plus_one(id))
      Y.known_to = Y.is_empty ? plus_one(id) : 0;
    Y.is_empty = false;
    t.published = order.list_.tail();
  }
  void publish(AtomicObject object, How how) const { publish(order.atomics_.at(order.arena_, object.key), how); }

  void pass_on(Clock& Y, const Clock& X, How how) const {
    if (X.is_empty) {
      if (how == How::kAssign) order.clear(Y);
      return;
    }
    put(Y, X.element, how);
    Y.known_to = 0;
    Y.is_empty = false;
  }
  void pass_on(Clock& Y, AtomicObject object, How how) const {
    if (const Clock* S = order.atomics_.find(object.key)) pass_on(Y, *S, how);
  }
  void pass_on(AtomicObject object, const Clock& X, How how) const {
    if (!X.is_empty)
      pass_on(order.atomics_.at(order.arena_, object.key), X, how);
    else if (how == How::kAssign)
      clear(object);
  }
  void clear(Clock& Y) const { order.clear(Y); }
  void clear(AtomicObject object) const {
    if (Clock* S = order.atomics_.find(object.key)) order.clear(*S);
  }

 private:
  void put(Clock& Y, Element X, How how) const {
    if (Y.element == kNoElement) Y.element = order.list_.new_element();
    if (how == How::kAssign)
      order.list_.assign(Y.element, X);
    else
      order.list_.join(Y.element, X);
  }
};

void GoldilocksOrder::clear(Clock& X) {
  if (X.is_empty) return;
  list_.clear(X.element);
  X.is_empty = true;
  X.known_to = 0;
}

void GoldilocksOrder::retire(Clock& X) {
  if (X.element != kNoElement) list_.retire(X.element);
  X = Clock{};
}

// ---- Threads ------------------------------------------------------------------------------------------------------

void GoldilocksOrder::begin(Thread& t) {
  t.element = list_.new_thread();
  t.published = t.learnt = list_.tail();
}

// Rule 6.
void GoldilocksOrder::fork(const Event& e, Thread& parent) {
  Thread& child = thread(e.other_thread());
  if (parent.told != nullptr && child.told == nullptr) {  // what is ordered before the parent is before the child
    for (const Told* told = parent.told; told != parent.told + kTold; ++told)
      if (told->owner != 0) tell(child, static_cast<ThreadId>(told->owner - 1), told->yes);
  }
  tell(child, e.thread, list_.tail());
  list_.join(child.element, parent.element);
  parent.published = child.learnt = list_.tail();
}

// Rule 7.
void GoldilocksOrder::join(const Event& e, Thread& joiner) {
  Thread& ended = thread(e.other_thread());
  tell(joiner, e.other_thread(), list_.tail());
  list_.join(joiner.element, ended.element);
  joiner.learnt = list_.tail();
  list_.retire(ended.element);
  retire(ended.Fr);
  retire(ended.Fa);
  ended.writer_of.release(arena_);
  ended.reader_of.release(arena_);
  if (ended.told != nullptr) arena_.free(ended.told, kTold * sizeof(Told));
  ended.told = nullptr;
}

// ---- Locks --------------------------------------------------------------------------------------------------------

namespace {

// The hold that began last.
template <class Holds>
auto* find(Holds& holds, uint64_t lock) {
  for (uint32_t i = holds.size(); i-- > 0;)
    if (holds[i].lock == lock) return &holds[i];
  return static_cast<decltype(&holds[0])>(nullptr);
}

template <class Holds>
void remove(Holds& from, uint64_t lock) {
  if (const auto* hold = find(from, lock)) from.erase(static_cast<uint32_t>(hold - from.begin()));
}

}  // namespace

// Rule 4.
void GoldilocksOrder::lock(const Event& e, Thread& t) {
  Lock& m = locks_.at(arena_, e.target);
  const bool is_writer = e.kind == EventKind::kAcquire;
  if (m.writer != 0 || (is_writer && m.readers > 0)) {
    // In a lenient run somebody's release may be missing: then holding the lock orders nothing that happened before.
    if (m.writer != 0) remove(thread(static_cast<ThreadId>(m.writer - 1)).writer_of, e.target);
    list_.nothing();
    m.valid_from = list_.tail();
    m.writer = m.readers = 0;
  }
  const Party party{*this, e.thread, t};
  if (is_writer) {
    order::lock(party, m.Lw, m.Lr);
    m.writer = plus_one(e.thread);
    t.writer_of.push_back(arena_, {static_cast<uint32_t>(e.target), list_.tail()});
  } else {
    order::lock_shared(party, m.Lw);
    ++m.readers;
    t.reader_of.push_back(arena_, {static_cast<uint32_t>(e.target), list_.tail()});
  }
}

// Rule 5.
void GoldilocksOrder::unlock(const Event& e, Thread& t) {
  Lock& m = locks_.at(arena_, e.target);
  const Party party{*this, e.thread, t};
  if (e.kind == EventKind::kRelease) {
    order::unlock(party, m.Lw, m.Lr);
    if (m.writer == plus_one(e.thread)) m.writer = 0;
    remove(t.writer_of, e.target);
  } else {
    order::unlock_shared(party, m.Lr);
    if (m.readers > 0) --m.readers;
    remove(t.reader_of, e.target);
  }
}

bool GoldilocksOrder::holds_lock_of(const RememberedAccess& earlier, ThreadId id, const Thread& t) const {
  if (earlier.alock == 0) return false;
  const Lock& m = *locks_.find(earlier.alock - 1);
  if (earlier.position < m.valid_from) return false;
  if (m.writer == plus_one(id)) return true;
  if (m.readers == 0) return false;
  const Held* hold = find(t.reader_of, earlier.alock - 1);
  return hold != nullptr && hold->since >= m.valid_from;
}

// The former choice if it is held now too, else any: by the seed and the event, so that a share of the variables gets
// the same choices as the whole.
uint32_t GoldilocksOrder::choose_lock(const Access& a, const Thread& t, uint32_t former) const {
  const uint32_t held = t.writer_of.size();
  if (held == 0) return 0;
  if (former != 0 && locks_.find(former - 1)->writer == plus_one(a.thread)) return former;
  if (held == 1) return 1 + t.writer_of[0].lock;
  uint64_t random = (seed_ ^ a.event) * 0x9E3779B97F4A7C15u;
  random = (random ^ random >> 32) * 0xD6E8FEB86659FD93u;
  return 1 + t.writer_of[(random >> 32) % held].lock;
}

// ---- Everything that is not an access -----------------------------------------------------------------------------

void GoldilocksOrder::sync(const Event& e) {
  Thread& t = thread(e.thread);
  const Party party{*this, e.thread, t};
  switch (e.kind) {
    case EventKind::kAcquire:
    case EventKind::kReadAcquire:
      return lock(e, t);
    case EventKind::kRelease:
    case EventKind::kReadRelease:
      return unlock(e, t);
    case EventKind::kFork:
      return fork(e, t);
    case EventKind::kJoin:
      return join(e, t);
    case EventKind::kFence:
      return order::fence(party, e.order);
    case EventKind::kBarrierEnter:
      return order::post(party, barriers_.at(arena_, e.target).enter(arena_, e.thread));
    case EventKind::kBarrierLeave:
      return barriers_.at(arena_, e.target)
          .leave(
              arena_, e.thread, [&](Clock& clock) { order::wait(party, clock); }, [&](Clock& clock) { retire(clock); });
    case EventKind::kPost:
      return order::post(party, semaphores_.at(arena_, e.target));
    case EventKind::kSemaphoreWait:
      return order::wait(party, semaphores_.at(arena_, e.target));
    case EventKind::kSend:
      return order::post(party, messages_.at(arena_, e.target));
    case EventKind::kReceive:
      return order::wait(party, messages_.at(arena_, e.target));
    default:  // begin, end, wait, notify, alloc and free order nothing
      return;
  }
}

// Rule 2, and what it became in C++20.
void GoldilocksOrder::acquire_part(const Event& e) {
  const Party party{*this, e.thread, thread(e.thread)};
  const AtomicObject object{atomic_key(e)};
  if (e.kind == EventKind::kVolatileRead) return order::wait(party, object);
  if (e.kind == EventKind::kAtomicStore || e.kind == EventKind::kVolatileWrite) return;
  if (!has_value(e) && !acquires(e.order)) return;
  order::atomic_read(party, object, e.order);
}

// Rule 3, and what it became in C++20.
void GoldilocksOrder::release_part(const Event& e) {
  const Party party{*this, e.thread, thread(e.thread)};
  const AtomicObject object{atomic_key(e)};
  switch (e.kind) {
    case EventKind::kAtomicStore:
      if (!has_value(e) && !releases(e.order)) return party.clear(object);
      return order::atomic_store(party, object, e.order);
    case EventKind::kAtomicRmw:
    case EventKind::kCasOk:
      if (!has_value(e) && !releases(e.order)) return;
      return order::atomic_modify(party, object, e.order);
    case EventKind::kVolatileWrite:
      return order::post(party, object);
    default:  // loads publish nothing
      return;
  }
}

void GoldilocksOrder::forget_atomics(AtomicKey first, uint64_t count) {
  atomics_.forget(first, count, [this](Clock& S) { retire(S); });
}

// ---- Accesses -----------------------------------------------------------------------------------------------------

void GoldilocksOrder::remember(const Access& a, const Thread& t, RememberedAccess& former) {
  const uint32_t alock = choose_lock(a, t, former.alock);
  if (!former.exists() || former.owner != a.thread || !list_.counted_together(former.position, list_.tail())) {
    forget(former);
    list_.hold(t.element, list_.tail());
  }
  former = {list_.tail(), a.thread, alock, Origin(a)};
}

void GoldilocksOrder::copy(const RememberedAccess& access) {
  if (access.exists()) list_.hold(thread(access.owner).element, access.position);
}

void GoldilocksOrder::forget(const RememberedAccess& access) {
  if (access.exists()) list_.let_go(thread(access.owner).element, access.position);
}

void GoldilocksOrder::keep_up_slow(RememberedAccess& access) {
  const Element element = thread(access.owner).element;
  list_.let_go(element, access.position);
  access.position = list_.tail();
  list_.hold(element, access.position);
}

bool GoldilocksOrder::is_ordered(const RememberedAccess& earlier, ThreadId id, Thread& t) {
  if (earlier.owner == id) return answered(Answer::kSameThread, true);
  if (holds_lock_of(earlier, id, t)) return answered(Answer::kLockHeld, true);
  return answered(Answer::kLockset, is_told_ordered(earlier, t));
}

GoldilocksOrder::Told& GoldilocksOrder::told_about(ThreadId owner, Thread& t) {
  if (t.told == nullptr) {
    t.told = static_cast<Told*>(arena_.allocate(kTold * sizeof(Told)));
    for (uint32_t i = 0; i < kTold; ++i) new (t.told + i) Told;
  }
  Told& told = t.told[index(owner) % kTold];
  if (told.owner != plus_one(owner)) told = Told{plus_one(owner)};
  return told;
}

// The owner's accesses up to the position are ordered before t: a fork and a join say so themselves, and need no walk.
void GoldilocksOrder::tell(Thread& t, ThreadId owner, Position up_to) { told_about(owner, t).yes = up_to; }

bool GoldilocksOrder::is_told_ordered(const RememberedAccess& earlier, Thread& t) {
  ++asked_;
  Told& told = told_about(earlier.owner, t);
  if (told.as_of != t.learnt) told.no = UINT64_MAX;
  if (earlier.position <= told.yes) return true;
  if (earlier.position >= told.no) return false;
  ++walks_;
  const UpdateList::Reach reach = list_.reach(thread(earlier.owner).element, earlier.position, t.element);
  if (reach.ordered) told.yes = reach.up_to;
  if (reach.is_exact || !reach.ordered) {
    told.no = reach.ordered ? reach.up_to + 1 : earlier.position;
    told.as_of = t.learnt;
  }
  return reach.ordered;
}

// How much work the list was depends on which variables share it, that is, on the number of workers: so it is told as a
// cost, beside the time.
void GoldilocksOrder::count(CounterSink& sink) const {
  sink.add("list/cells", list_.cells(), CounterSink::kPerSync);
  sink.add("time/questions to the list", asked_, CounterSink::kPerAccess);
  sink.add("time/walks over the list", walks_, CounterSink::kPerAccess);
  sink.add("time/cells walked", list_.cells_walked(), CounterSink::kPerAccess);
  sink.add("time/cells brought forward", list_.cells_brought_forward(), CounterSink::kPerAccess);
}

}  // namespace deadheat
