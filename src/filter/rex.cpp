#include "filter/rex.h"

namespace deadheat {

namespace {

constexpr uint64_t kLine = 64, kPage = 4096;
// Blocks from here on are told apart by pages, by lines below; beyond the second limit all histories of bytes end.
constexpr uint64_t kLargeBlock = kPage, kHugeBlock = uint64_t{1} << 30;
// Accesses that are larger always pass.
constexpr uint64_t kLargestAccess = kPage;

uint64_t mixed(uint64_t a, uint64_t b) {
  a = (a ^ b) * 0x9E3779B97F4A7C15u;
  return a ^ a >> 29;
}

uint64_t find_or_zero(const HashTable<uint64_t>& table, uint64_t key) {
  const uint64_t* found = table.find(key);
  return found == nullptr ? 0 : *found;
}

}  // namespace

// ---- Contexts -----------------------------------------------------------------------------------------------------

ContextId Rex::fresh_context() {
  if (last_context_ == UINT32_MAX) start_again();
  return static_cast<ContextId>(++last_context_);
}

ContextId Rex::child(ContextId parent, uint32_t step) {
  const uint64_t edge = uint64_t{static_cast<uint32_t>(parent)} << 32 | step;
  if (const ContextId* known = children_.find(edge)) return *known;
  const ContextId made = fresh_context();
  children_.at(arena_, edge) = made;
  return made;
}

uint32_t Rex::step(const SpacedKey& key) {
  uint32_t& number = steps_.at(arena_, key);
  if (number == 0) number = steps_.size();
  return number;
}

// Gamma := Gamma, and what was published to.
void Rex::publish(const Event& e, const SpacedKey& to) {
  Thread& t = thread(e.thread);
  if (!keeps_trie()) {
    t.context = t.published = fresh_context();
    return;
  }
  if (children_.size() >= limit_) start_again();
  t.published = child(t.published, step(to));
  settle(t);
}

// The lockset variant: the locks held come last, in the order of their numbers, so that a set is one path. A lock that
// is held more than once counts once.
void Rex::hold(const Event& e, bool acquires) {
  const bool as_reader = e.kind == EventKind::kReadAcquire || e.kind == EventKind::kReadRelease;
  const uint32_t lock = step(step_key(Operand::kLock, 2 * e.target + as_reader));
  Thread& t = thread(e.thread);
  if (children_.size() >= limit_) start_again();
  uint32_t at = 0;
  while (at < t.held.size() && t.held[at].step < lock) ++at;
  const bool is_held = at < t.held.size() && t.held[at].step == lock;
  if (acquires) {
    if (is_held) {
      ++t.held[at].depth;
    } else {
      t.held.insert(arena_, at, {lock, 1});
    }
  } else if (is_held && --t.held[at].depth == 0) {
    t.held.erase(at);
  }
  settle(t);
}

void Rex::settle(Thread& t) {
  t.context = t.published;
  for (const HeldLock& lock : t.held) t.context = child(t.context, lock.step);
}

// Forgets all contexts and all history; every thread goes on in a context where nobody was before.
void Rex::start_again() {
  children_.release(arena_);
  history_.rebuild(arena_, history_.capacity(), [](const Entry&) { return false; });
  last_context_ = 0;
  threads_.for_each([&](Thread& t) {
    t.published = static_cast<ContextId>(++last_context_);
    t.context = t.published;
  });
  threads_.for_each([&](Thread& t) { settle(t); });
}

void Rex::sync(const Event& e) {
  switch (e.kind) {
    case EventKind::kAcquire:
    case EventKind::kReadAcquire:
      if (by_lockset_) hold(e, /*acquires=*/true);
      return;
    case EventKind::kRelease:
    case EventKind::kReadRelease:
      if (by_lockset_) {
        hold(e, /*acquires=*/false);
      } else {
        publish(e, step_key(Operand::kLock, 2 * e.target + (e.kind == EventKind::kReadRelease)));
      }
      return;
    case EventKind::kFork:
    case EventKind::kBarrierEnter:
    case EventKind::kPost:
    case EventKind::kSend:
      return publish(e, step_key(info(e.kind).operand, e.target));
    case EventKind::kFence:
      if (releases(e.order)) publish(e, step_key(Operand::kNone, 0));
      return;
    case EventKind::kVolatileWrite:
      return publish(e, atomic_key(e));
    case EventKind::kAtomicStore:
    case EventKind::kAtomicRmw:
    case EventKind::kCasOk:
      if (releases(e.order)) publish(e, atomic_key(e));
      return;
    case EventKind::kAlloc:
    case EventKind::kFree:
      return end_life(e);
    default:
      return;
  }
}

// ---- Blocks -------------------------------------------------------------------------------------------------------

void Rex::end_life(const Event& e) {
  if (!e.is_range) {
    ++object_lives_.at(arena_, e.target);
  } else if (e.size >= kHugeBlock) {
    ++huge_lives_;
  } else {
    const bool is_large = e.size >= kLargeBlock;
    const uint64_t unit = is_large ? kPage : kLine;
    for (uint64_t at = e.target / unit; at * unit < e.target + e.size; ++at)
      ++(is_large ? page_lives_ : line_lives_).at(arena_, at);
  }
}

// Lives only ever grow, so the sum over all that the access touches is another one as soon as one of them is.
uint64_t Rex::life_of(const Place& place) const {
  if (!place.is_range) return find_or_zero(object_lives_, index(place.object));
  uint64_t life = huge_lives_;
  const uint64_t end = place.target + place.bytes;
  if (line_lives_.size() > 0)
    for (uint64_t at = place.target / kLine; at * kLine < end; ++at) life += find_or_zero(line_lives_, at);
  if (page_lives_.size() > 0)
    for (uint64_t at = place.target / kPage; at * kPage < end; ++at) life += find_or_zero(page_lives_, at);
  return life;
}

// ---- Accesses -----------------------------------------------------------------------------------------------------

Rex::Key Rex::key_of(const Access& a, const Place& place, ContextId context) const {
  return {.target = place.target,
          .life = life_of(place),
          .size = static_cast<uint32_t>(place.bytes),
          .location = static_cast<uint32_t>(a.location),
          .context = static_cast<uint32_t>(context),
          .kind = 1u + (a.kind == AccessKind::kWrite ? 1u : 0u) + (place.is_range ? 2u : 0u)};
}

// The paper's Algorithm 2. Its last case, a third thread in the same context, is not sound: what two others did in this
// context may be ordered before what they race with while the third's is not.
bool Rex::is_redundant(const Access& a, const Place& place) {
  Tally& tally = place.is_range ? ranges_ : named_;
  ++tally.seen;
  if (place.bytes > kLargestAccess) return false;
  const Thread& t = thread(a.thread);
  const Key key = key_of(a, place, t.context);
  const uint32_t me = static_cast<uint32_t>(a.thread) + 1;
  Entry* entry = history_.find(key);
  if (entry == nullptr) {
    if (history_.is_full()) make_room();
    history_.insert({key, {{me, 0}}});
    return false;
  }
  uint32_t(&stack)[2] = entry->stack.threads;
  // Threads meet in a context only under the third-thread rule (shares_trie), and there a full stack is enough.
  if (stack[0] == me || stack[1] != 0) {
    ++tally.redundant;
    return true;
  }
  stack[1] = stack[0];
  stack[0] = me;
  return false;
}

const Rex::Stack* Rex::history(const Access& a, const Place& place, ContextId context) const {
  const Entry* entry = history_.find(key_of(a, place, context));
  return entry == nullptr ? nullptr : &entry->stack;
}

// A context that its threads have left will not match again, unless contexts can be entered a second time.
void Rex::make_room() {
  const uint64_t capacity = std::max<uint64_t>(history_.capacity(), 1024);
  if (!keeps_trie()) {
    history_.rebuild(arena_, capacity, [this](const Entry& entry) {
      return static_cast<uint32_t>(threads_.find(entry.stack.threads[0] - 1)->context) == entry.key.context;
    });
    if (2 * uint64_t{history_.size()} <= capacity) return;
  }
  const bool may_grow = capacity < limit_;
  history_.rebuild(arena_, may_grow ? 2 * capacity : capacity, [&](const Entry&) { return may_grow; });
}

Rex::Entry& Rex::History::place_of(const Key& key) const {
  uint64_t hash = mixed(key.target, key.life << 40);
  hash = mixed(hash, uint64_t{key.location} << 32 | key.context);
  hash = mixed(hash, uint64_t{key.size} << 32 | key.kind);
  for (uint64_t i = hash >> 16;; ++i) {
    Entry& entry = entries_[i & (capacity_ - 1)];
    if (entry.key.kind == 0 || entry.key == key) return entry;
  }
}

template <class Wanted>
void Rex::History::rebuild(Arena& arena, uint64_t capacity, Wanted wanted) {
  const Entry* old = entries_;
  const uint64_t old_capacity = capacity_;
  capacity_ = capacity;
  used_ = 0;
  entries_ = capacity == 0 ? nullptr : static_cast<Entry*>(arena.allocate(capacity * sizeof(Entry)));
  for (uint64_t i = 0; i < capacity; ++i) new (entries_ + i) Entry{};
  for (uint64_t i = 0; i < old_capacity; ++i) {
    if (old[i].key.kind == 0 || !wanted(old[i])) continue;
    insert(old[i]);
  }
  if (old != nullptr) arena.free(const_cast<Entry*>(old), old_capacity * sizeof(Entry));
}

// Every worker of an analysis sees all accesses to bytes, but only its own share of those to names.
void Rex::count(CounterSink& sink) const {
  sink.add("filter/redundant accesses", named_.redundant, CounterSink::kPerAccess, named_.seen);
  sink.add("filter/redundant accesses", ranges_.redundant, CounterSink::kPerSync, ranges_.seen);
}

}  // namespace deadheat
