#include "filter/rex.h"

#include <algorithm>
#include <bit>
#include <utility>

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
  const uint32_t lock = step({2 * e.target + as_reader, kAtomicSpaces + static_cast<uint32_t>(Operand::kLock)});
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
  history_.clear(arena_);
  lines_.clear(arena_);
  ++moves_;
  last_context_ = 0;
  threads_.for_each([&](Thread& t) {
    t.published = static_cast<ContextId>(++last_context_);
    t.context = t.published;
  });
  threads_.for_each([&](Thread& t) { settle(t); });
}

std::optional<SpacedKey> published_to(const Event& e) {
  const auto key = [](Operand operand, uint64_t id) {
    return SpacedKey{id, kAtomicSpaces + static_cast<uint32_t>(operand)};
  };
  switch (e.kind) {
    case EventKind::kRelease:
    case EventKind::kReadRelease:
      return key(Operand::kLock, 2 * e.target + (e.kind == EventKind::kReadRelease));
    case EventKind::kFork:
    case EventKind::kBarrierEnter:
    case EventKind::kPost:
    case EventKind::kSend:
      return key(info(e.kind).operand, e.target);
    case EventKind::kFence:
      return releases(e.order) ? std::optional(key(Operand::kNone, 0)) : std::nullopt;
    case EventKind::kVolatileWrite:
      return atomic_key(e);
    case EventKind::kAtomicStore:
    case EventKind::kAtomicRmw:
    case EventKind::kCasOk:
      return releases(e.order) ? std::optional(atomic_key(e)) : std::nullopt;
    default:
      return std::nullopt;
  }
}

void Rex::sync(const Event& e) {
  const bool acquires = e.kind == EventKind::kAcquire || e.kind == EventKind::kReadAcquire;
  const bool is_release = e.kind == EventKind::kRelease || e.kind == EventKind::kReadRelease;
  if (by_lockset_ && (acquires || is_release)) return hold(e, acquires);
  if (e.kind == EventKind::kAlloc || e.kind == EventKind::kFree) return end_life(e);
  if (const std::optional<SpacedKey> to = published_to(e)) publish(e, *to);
}

// ---- Blocks -------------------------------------------------------------------------------------------------------

void Rex::end_life(const Event& e) {
  ++moves_;
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

uint64_t Rex::Key::hash() const {
  return mixed(mixed(mixed(target, life << 40), uint64_t{location} << 32 | context), uint64_t{size} << 32 | kind);
}

uint64_t Rex::LineKey::hash() const {
  return mixed(mixed(mixed(base, life << 40), uint64_t{location} << 32 | thread), uint64_t{size} << 32 | kind);
}

Rex::LineKey Rex::line_of(const Access& a, const Place& place, uint32_t& slot) {
  const auto bytes = static_cast<uint32_t>(place.bytes);
  const uint32_t is_write = a.kind == AccessKind::kWrite ? 1 : 0;
  LineKey key{place.target, 0, bytes, static_cast<uint32_t>(a.location), static_cast<uint32_t>(a.thread), 1 + is_write};
  slot = 0;
  if (!place.is_range) {
    key.size = static_cast<uint32_t>(index(place.object));
    key.kind += 4;
  } else {
    // Other sizes, and what lies askew, have a line for each.
    if (!is_small_and_aligned(place)) {
      key.kind += 2;
      return key;
    }
    key.base >>= std::countr_zero(bytes);
  }
  slot = key.base % kSlots;
  key.base /= kSlots;
  return key;
}

Rex::Line& Rex::line_slow(LineKey key, const Place& place, Recent& recent) {
  key.life = life_of(place);
  Line* line = lines_.find(key);
  if (line == nullptr) {
    if (lines_.is_full()) make_room_for_line();
    line = &lines_.insert({.key = key, .contexts = {}});
  }
  recent = {line, moves_};
  return *line;
}

// Whether the thread did the same in its present context; from now on it has.
bool Rex::was_here(const Access& a, const Place& place) {
  uint32_t slot;
  const LineKey key = line_of(a, place, slot);
  Recent& recent = recent_[(key.location * 4 + key.kind + key.thread * 61) % kRecent];
  const bool is_recent = recent.as_of == moves_ && recent.line->key.differs_in_life_only(key);
  Line& line = is_recent ? *recent.line : line_slow(key, place, recent);
  const auto context = static_cast<uint32_t>(thread(a.thread).context);
  return std::exchange(line.contexts[slot], context) == context;
}

// The paper's Algorithm 2. Its last case, a third thread in the same context, is not sound: what two others did in this
// context may be ordered before what they race with while the third's is not.
bool Rex::is_redundant(const Access& a, const Place& place) {
  Tally& tally = place.is_range ? ranges_ : named_;
  ++tally.seen;
  if (place.bytes > kLargestAccess) return false;
  if (!keeps_trie()) {
    const bool is_redundant = was_here(a, place);
    tally.redundant += is_redundant;
    return is_redundant;
  }
  const Thread& t = thread(a.thread);
  const Key key = key_of(a, place, t.context);
  const uint32_t me = static_cast<uint32_t>(a.thread) + 1;
  Entry* entry = history_.find(key);
  if (entry == nullptr) {
    if (history_.is_full()) history_.grow_or_clear(arena_, limit_);
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

Rex::Stack Rex::history(const Access& a, const Place& place, ContextId context) const {
  if (keeps_trie()) {
    const Entry* entry = history_.find(key_of(a, place, context));
    return entry == nullptr ? Stack{} : entry->stack;
  }
  uint32_t slot;
  LineKey key = line_of(a, place, slot);
  key.life = life_of(place);
  const Line* line = lines_.find(key);
  if (line == nullptr || line->contexts[slot] != static_cast<uint32_t>(context)) return {};
  return {{key.thread + 1, 0}};
}

// A line whose thread has left all its contexts will not match again.
void Rex::make_room_for_line() {
  ++moves_;
  const uint64_t capacity = lines_.capacity();
  lines_.rebuild(arena_, capacity, [this](const Line& line) {
    const auto now = static_cast<uint32_t>(threads_.find(line.key.thread)->context);
    return std::find(std::begin(line.contexts), std::end(line.contexts), now) != std::end(line.contexts);
  });
  if (capacity == 0 || 2 * uint64_t{lines_.size()} > capacity) lines_.grow_or_clear(arena_, limit_ / 2);
}

template <class E>
E& Rex::Table<E>::place_of(const auto& key) const {
  for (uint64_t i = key.hash() >> 16;; ++i) {
    E& entry = entries_[i & (capacity_ - 1)];
    if (entry.key.kind == 0 || entry.key == key) return entry;
  }
}

template <class E>
template <class Wanted>
void Rex::Table<E>::rebuild(Arena& arena, uint64_t capacity, Wanted wanted) {
  const E* old = entries_;
  const uint64_t old_capacity = capacity_;
  capacity_ = capacity;
  used_ = 0;
  entries_ = capacity == 0 ? nullptr : static_cast<E*>(arena.allocate(capacity * sizeof(E)));
  for (uint64_t i = 0; i < capacity; ++i) new (entries_ + i) E{};
  for (uint64_t i = 0; i < old_capacity; ++i) {
    if (old[i].key.kind == 0 || !wanted(old[i])) continue;
    insert(old[i]);
  }
  if (old != nullptr) arena.free(const_cast<E*>(old), old_capacity * sizeof(E));
}

template <class E>
void Rex::Table<E>::grow_or_clear(Arena& arena, uint64_t limit) {
  if (capacity_ == 0) return rebuild(arena, kFirstCapacity, [](const E&) { return true; });
  const bool may_grow = capacity_ < limit;
  rebuild(arena, may_grow ? 2 * capacity_ : capacity_, [&](const E&) { return may_grow; });
}

// Every worker of an analysis sees all accesses to bytes, but only its own share of those to names.
void Rex::count(CounterSink& sink) const {
  sink.add("filter/redundant accesses", named_.redundant, CounterSink::kPerAccess, named_.seen);
  sink.add("filter/redundant accesses", ranges_.redundant, CounterSink::kPerSync, ranges_.seen);
}

}  // namespace deadheat
