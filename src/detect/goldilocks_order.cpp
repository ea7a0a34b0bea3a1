#include "detect/goldilocks_order.h"

namespace deadheat {

void GoldilocksOrder::configure(const DetectorOptions& options) {
  seed_ = options.seed;
  list_.set_limit(options.list_limit);
}

// ---- Clocks as elements -------------------------------------------------------------------------------------------

// Y := C (or Y join C), and the thread ticks.
void GoldilocksOrder::publish(Clock& Y, const Event& e, Thread& t, bool assigns) {
  if (Y.element == kNoElement) Y.element = list_.new_element();
  if (assigns) {
    list_.assign(Y.element, t.element);
    Y.known_to = plus_one(e.thread);
  } else {
    list_.join(Y.element, t.element);
    if (Y.known_to != plus_one(e.thread)) Y.known_to = Y.is_empty ? plus_one(e.thread) : 0;
  }
  Y.is_empty = false;
  t.published = list_.tail();
}

// C join X. Most of the cells that would change nothing are never made: those of a thread that takes its own lock
// again.
void GoldilocksOrder::take(const Event& e, Thread& t, Clock& X) {
  if (X.is_empty || X.known_to == plus_one(e.thread)) return;
  list_.join(t.element, X.element);
  t.learnt = list_.tail();
  X.known_to = plus_one(e.thread);
}

// Y := X, or Y join X, between elements that are no threads.
void GoldilocksOrder::pass_on(Clock& Y, const Clock& X, bool assigns) {
  if (X.is_empty) {
    if (assigns) clear(Y);
    return;
  }
  if (Y.element == kNoElement) Y.element = list_.new_element();
  if (assigns) {
    list_.assign(Y.element, X.element);
  } else {
    list_.join(Y.element, X.element);
  }
  Y.known_to = 0;
  Y.is_empty = false;
}

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
  list_.join(child.element, parent.element);
  parent.published = child.learnt = list_.tail();
}

// Rule 7.
void GoldilocksOrder::join(const Event& e, Thread& joiner) {
  Thread& ended = thread(e.other_thread());
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
  take(e, t, m.Lw);
  if (is_writer) {
    take(e, t, m.Lr);
    m.writer = plus_one(e.thread);
    t.writer_of.push_back(arena_, {static_cast<uint32_t>(e.target), list_.tail()});
  } else {
    ++m.readers;
    t.reader_of.push_back(arena_, {static_cast<uint32_t>(e.target), list_.tail()});
  }
}

// Rule 5.
void GoldilocksOrder::unlock(const Event& e, Thread& t) {
  Lock& m = locks_.at(arena_, e.target);
  if (e.kind == EventKind::kRelease) {
    publish(m.Lw, e, t, /*assigns=*/true);
    clear(m.Lr);
    if (m.writer == plus_one(e.thread)) m.writer = 0;
    remove(t.writer_of, e.target);
  } else {
    publish(m.Lr, e, t, /*assigns=*/false);
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
      if (acquires(e.order)) take(e, t, t.Fa);
      if (releases(e.order)) publish(t.Fr, e, t, /*assigns=*/true);
      return;
    case EventKind::kBarrierEnter:
      return publish(barriers_.at(arena_, e.target).enter(arena_, e.thread), e, t, /*assigns=*/false);
    case EventKind::kBarrierLeave:
      return barriers_.at(arena_, e.target)
          .leave(arena_, e.thread, [&](Clock& clock) { take(e, t, clock); }, [&](Clock& clock) { retire(clock); });
    case EventKind::kPost:
      return publish(semaphores_.at(arena_, e.target), e, t, /*assigns=*/false);
    case EventKind::kSemaphoreWait:
      return take(e, t, semaphores_.at(arena_, e.target));
    case EventKind::kSend:
      return publish(messages_.at(arena_, e.target), e, t, /*assigns=*/false);
    case EventKind::kReceive:
      return take(e, t, messages_.at(arena_, e.target));
    default:  // begin, end, wait, notify, alloc and free order nothing
      return;
  }
}

// Rule 2, and what it became in C++20.
void GoldilocksOrder::acquire_part(const Event& e) {
  if (e.kind == EventKind::kAtomicStore || e.kind == EventKind::kVolatileWrite) return;
  Clock* S = atomics_.find(atomic_key(e));
  if (S == nullptr) return;
  Thread& t = thread(e.thread);
  if (e.kind == EventKind::kVolatileRead || acquires(e.order)) {
    take(e, t, *S);
  } else {
    pass_on(t.Fa, *S, /*assigns=*/false);
  }
}

// Rule 3, and what it became in C++20.
void GoldilocksOrder::release_part(const Event& e) {
  const bool is_store = e.kind == EventKind::kAtomicStore;
  const bool is_volatile = e.kind == EventKind::kVolatileWrite;
  if (!is_store && !is_volatile && e.kind != EventKind::kAtomicRmw && e.kind != EventKind::kCasOk) return;
  Thread& t = thread(e.thread);
  if (is_volatile || releases(e.order)) {
    publish(atomics_.at(arena_, atomic_key(e)), e, t, is_store);
  } else if (!t.Fr.is_empty) {
    pass_on(atomics_.at(arena_, atomic_key(e)), t.Fr, is_store);
  } else if (Clock* S = is_store ? atomics_.find(atomic_key(e)) : nullptr) {
    clear(*S);
  }
}

void GoldilocksOrder::forget_atomics(AtomicKey first, uint64_t count) {
  forget_clocks(atomics_, first, count, [this](const AtomicKey& key, Clock& S) {
    retire(S);
    atomics_.erase(key);
  });
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

bool GoldilocksOrder::is_told_ordered(const RememberedAccess& earlier, Thread& t) {
  ++asked_;
  if (t.told == nullptr) {
    t.told = static_cast<Told*>(arena_.allocate(kTold * sizeof(Told)));
    for (uint32_t i = 0; i < kTold; ++i) new (t.told + i) Told;
  }
  Told& told = t.told[index(earlier.owner) % kTold];
  if (told.owner != plus_one(earlier.owner)) told = Told{plus_one(earlier.owner)};
  if (told.as_of != t.learnt) told.no = UINT64_MAX;
  if (earlier.position <= told.yes) return true;
  if (earlier.position >= told.no) return false;
  ++walks_;
  const bool ordered = list_.reaches(thread(earlier.owner).element, earlier.position, t.element);
  if (ordered) {
    told.yes = earlier.position;
  } else {
    told.no = earlier.position;
    told.as_of = t.learnt;
  }
  return ordered;
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
