#include "detect/goldilocks.h"

namespace deadheat {

namespace {

Goldilocks::Shared* shared_of(const Goldilocks::Var& x) { return reinterpret_cast<Goldilocks::Shared*>(x.shared); }

uint32_t place_of(const Goldilocks::Accesses& accesses, ThreadId owner) {
  uint32_t low = 0, high = accesses.entries.size();
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (accesses.entries[middle].owner < owner) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

RememberedAccess* find(Goldilocks::Accesses& accesses, ThreadId owner) {
  const uint32_t at = place_of(accesses, owner);
  return at < accesses.entries.size() && accesses.entries[at].owner == owner ? &accesses.entries[at] : nullptr;
}

}  // namespace

// ---- Rule 1, for reads and for writes -----------------------------------------------------------------------------

Outcome Goldilocks::read(GoldilocksOrder::Thread& t, const Access& a, Var& x) {
  Shared* shared = shared_of(x);
  RememberedAccess* mine =
      shared == nullptr ? (x.R.exists() && x.R.owner == a.thread ? &x.R : nullptr) : find(shared->R, a.thread);
  if (mine != nullptr && order_.is_in_same_epoch(*mine, a.thread, t)) {
    order_.keep_up(*mine);
    return fired(Rule::kReadSameThread, a);
  }
  const RememberedAccess* other = nullptr;
  RememberedAccess W = x.W;
  // If this thread has read x since the last write, the write was looked at then.
  if (mine == nullptr && races(W, a, t)) other = &W;
  if (other == nullptr && shared != nullptr) other = not_before(shared->atomic_writes, a, t);
  const RememberedAccess found = other == nullptr ? RememberedAccess{} : *other;
  const bool was_accessed = x.W.exists() || x.R.exists() || shared != nullptr;
  if (shared == nullptr && (!x.R.exists() || order_.is_plainly_ordered(x.R, a.thread, t))) {
    order_.remember(a, t, x.R);
  } else {
    put(share(x).R, a, t);
  }
  return conclude(Rule::kReadFirst, a, x, was_accessed, other == nullptr ? nullptr : &found);
}

Outcome Goldilocks::write(GoldilocksOrder::Thread& t, const Access& a, Var& x) {
  Shared* shared = shared_of(x);
  const RememberedAccess* other = nullptr;
  if (races(x.W, a, t)) other = &x.W;
  if (other == nullptr && races(x.R, a, t)) other = &x.R;
  if (other == nullptr && shared != nullptr) {
    other = not_before(shared->R, a, t);
    if (other == nullptr) other = not_before(shared->atomic_writes, a, t);
    if (other == nullptr) other = not_before(shared->atomic_reads, a, t);
  }
  const RememberedAccess found = other == nullptr ? RememberedAccess{} : *other;
  const bool was_accessed = x.W.exists() || x.R.exists() || shared != nullptr;
  // Whatever races with what was there before and not with this write has been reported.
  if (shared != nullptr) unshare(x);
  order_.forget(x.R);
  x.R = RememberedAccess{};
  order_.remember(a, t, x.W);
  return conclude(Rule::kWriteFirst, a, x, was_accessed, other == nullptr ? nullptr : &found);
}

// An atomic access races with plain ones only. All that are unordered are kept: each can race with a later plain one.
Outcome Goldilocks::atomic(GoldilocksOrder::Thread& t, const Access& a, Var& x) {
  const bool is_write = a.kind == AccessKind::kAtomicWrite;
  Shared& shared = share(x);
  const bool came_by =
      find(shared.atomic_writes, a.thread) != nullptr || find(shared.atomic_reads, a.thread) != nullptr;
  const RememberedAccess* other = nullptr;
  if (!came_by && races(x.W, a, t)) other = &x.W;
  if (other == nullptr && is_write) other = not_before(shared.R, a, t);
  const RememberedAccess found = other == nullptr ? RememberedAccess{} : *other;
  put(is_write ? shared.atomic_writes : shared.atomic_reads, a, t);
  return conclude(is_write ? Rule::kAtomicWrite : Rule::kAtomicRead, a, x, true, other == nullptr ? nullptr : &found);
}

Outcome Goldilocks::conclude(Rule first_rule, const Access& a, Var& x, bool was_accessed,
                             const RememberedAccess* other) {
  const auto answer = static_cast<uint8_t>(order_.take_answer());
  const bool is_atomic = first_rule == Rule::kAtomicRead || first_rule == Rule::kAtomicWrite;
  const uint8_t steps = is_atomic || !was_accessed ? 0 : static_cast<uint8_t>(1 + answer);
  Outcome outcome = fired(static_cast<Rule>(static_cast<uint8_t>(first_rule) + steps), a);
  if (other == nullptr) return outcome;
  first_ = {other->owner, other->origin.kind(), other->origin.location(), other->origin.event()};
  outcome.is_race = true;
  if (stop_after_first_) {
    forget(x);
    x.shared = Var::kStopped;
  }
  return outcome;
}

// ---- Accesses of several threads ----------------------------------------------------------------------------------

const RememberedAccess* Goldilocks::not_before(const Accesses& accesses, const Access& a, GoldilocksOrder::Thread& t) {
  for (const RememberedAccess& earlier : accesses.entries)
    if (!order_.is_ordered(earlier, a.thread, t)) return &earlier;
  return nullptr;
}

void Goldilocks::put(Accesses& accesses, const Access& a, GoldilocksOrder::Thread& t) {
  uint32_t at = place_of(accesses, a.thread);
  if (at == accesses.entries.size() || accesses.entries[at].owner != a.thread) {
    if (accesses.entries.size() >= accesses.prune_at) {
      prune(accesses, a, t);
      at = place_of(accesses, a.thread);
    }
    accesses.entries.insert(arena_, at, RememberedAccess{});
  }
  order_.remember(a, t, accesses.entries[at]);
}

// Drops what is ordered before the access that is about to be put: what is ordered after this one is ordered after
// those. So a set does not grow with the number of threads that ever came by, only with those that are not plainly
// ordered. Of threads that run side by side none is, and to make sure of that would be a walk for each of them.
void Goldilocks::prune(Accesses& accesses, const Access& a, GoldilocksOrder::Thread& t) {
  uint32_t kept = 0;
  for (const RememberedAccess& earlier : accesses.entries) {
    if (order_.is_plainly_ordered(earlier, a.thread, t)) {
      order_.forget(earlier);
    } else {
      accesses.entries[kept++] = earlier;
    }
  }
  accesses.entries.resize(arena_, kept);
  accesses.prune_at = std::max(8u, 2 * kept);
}

Goldilocks::Shared& Goldilocks::share(Var& x) {
  if (x.shared == 0) {
    Shared* shared = arena_.make<Shared>();
    if (x.R.exists()) shared->R.entries.push_back(arena_, x.R);
    x.R = RememberedAccess{};
    x.shared = reinterpret_cast<uint64_t>(shared);
  }
  return *shared_of(x);
}

void Goldilocks::unshare(Var& x) {
  Shared* shared = shared_of(x);
  for (Accesses* accesses : {&shared->R, &shared->atomic_reads, &shared->atomic_writes}) release(*accesses);
  arena_.destroy(shared);
  x.shared = 0;
}

void Goldilocks::release(Accesses& accesses) {
  for (const RememberedAccess& access : accesses.entries) order_.forget(access);
  accesses.entries.release(arena_);
}

Goldilocks::Accesses Goldilocks::clone(const Accesses& accesses) {
  for (const RememberedAccess& access : accesses.entries) order_.copy(access);
  Accesses copy;
  copy.entries.assign(arena_, accesses.entries);
  copy.prune_at = accesses.prune_at;
  return copy;
}

Goldilocks::Var Goldilocks::clone(const Var& x) {
  Var copy = x;
  order_.copy(x.W);
  order_.copy(x.R);
  if (x.shared > Var::kStopped) {
    const Shared& old = *shared_of(x);
    Shared* shared = arena_.make<Shared>();
    shared->R = clone(old.R);
    shared->atomic_reads = clone(old.atomic_reads);
    shared->atomic_writes = clone(old.atomic_writes);
    copy.shared = reinterpret_cast<uint64_t>(shared);
  }
  return copy;
}

// Rule 8.
void Goldilocks::forget(Var& x) {
  order_.forget(x.W);
  order_.forget(x.R);
  if (x.shared > Var::kStopped) unshare(x);
  x = Var{};
}

// ---- Counters -----------------------------------------------------------------------------------------------------

void Goldilocks::count(CounterSink& sink) const {
  struct RuleName {
    std::string_view name;
    AccessKind kind;
  };
  constexpr RuleName kNames[] = {
      {"read first", AccessKind::kRead},           {"read same thread", AccessKind::kRead},
      {"read lock held", AccessKind::kRead},       {"read lockset", AccessKind::kRead},
      {"write first", AccessKind::kWrite},         {"write same thread", AccessKind::kWrite},
      {"write lock held", AccessKind::kWrite},     {"write lockset", AccessKind::kWrite},
      {"atomic read", AccessKind::kAtomicRead},    {"atomic write", AccessKind::kAtomicWrite},
      {"not checked any more", AccessKind::kNone},
  };
  static_assert(std::size(kNames) == kRuleCount);
  for (int i = 0; i < kRuleCount; ++i) sink.add_rule(kNames[i].name, kNames[i].kind, fired_[i]);
  order_.count(sink);
}

}  // namespace deadheat
