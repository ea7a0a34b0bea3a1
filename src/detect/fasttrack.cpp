#include "detect/fasttrack.h"

namespace deadheat {

namespace {

struct RuleName {
  std::string_view name;
  AccessKind kind;
};
constexpr RuleName kRuleNames[] = {
    {"read same epoch", AccessKind::kRead},     {"read shared", AccessKind::kRead},
    {"read exclusive", AccessKind::kRead},      {"read share", AccessKind::kRead},
    {"write same epoch", AccessKind::kWrite},   {"write exclusive", AccessKind::kWrite},
    {"write shared", AccessKind::kWrite},       {"atomic read", AccessKind::kAtomicRead},
    {"atomic write", AccessKind::kAtomicWrite},
};
static_assert(std::size(kRuleNames) == fasttrack::kRuleCount);

}  // namespace

Outcome FastTrack::read_slow(const HappensBefore::Thread& t, const Access& a, Var& x) {
  const fasttrack::Decision d = fasttrack::read(t.E, t.C, x);
  ++fired_[static_cast<int>(d.rule)];
  std::optional<AccessSet::Entry> atomic;
  const Epoch W = x.W_;
  switch (d.rule) {
    case Rule::kReadSameEpoch:
      return fired(d.rule);
    case Rule::kReadExclusive:
      x.R_ = t.E.bits();
      x.R_origin_ = Origin(a);
      break;
    case Rule::kReadShare:
      share(x).R.put(arena_, {t.E, Origin(a)});
      break;
    default:  // kReadShared
      // Once in an epoch is enough here too, as for an epoch R.
      if (x.shared()->R.contains(t.E)) return fired(d.rule);
      atomic = x.shared()->A.race_with_plain(/*is_write=*/false, t.C);
      x.shared()->R.put(arena_, {t.E, Origin(a)});
      break;
  }
  if (d.races_with_write) [[unlikely]]
    return race(d.rule, W, x.W_origin_);
  if (atomic.has_value()) [[unlikely]]
    return race(d.rule, atomic->epoch, atomic->origin);
  return fired(d.rule);
}

Outcome FastTrack::write_slow(const HappensBefore::Thread& t, const Access& a, Var& x) {
  const fasttrack::Decision d = fasttrack::write(t.E, t.C, x);
  fired_[static_cast<int>(d.rule)] += a.kind == AccessKind::kWrite;  // a free is no write of the program's
  if (d.rule == Rule::kWriteSameEpoch) return fired(d.rule);

  AccessSet::Entry other{x.W_, x.W_origin_};
  bool races = d.races_with_write;
  if (d.rule == Rule::kWriteShared) {
    ++cost_.operations;
    const Shared& shared = *x.shared();
    if (!races && d.races_with_read) other = *shared.R.not_before(t.C);
    const std::optional<AccessSet::Entry> atomic = shared.A.race_with_plain(/*is_write=*/true, t.C);
    if (!races && !d.races_with_read && atomic.has_value()) other = *atomic;
    races |= d.races_with_read || atomic.has_value();
    unshare(x);
  } else if (d.races_with_read) {
    if (!races) other = {x.R(), x.R_origin_};
    races = true;
  }
  x.W_ = t.E;
  x.W_origin_ = Origin(a);
  if (races) [[unlikely]]
    return race(d.rule, other.epoch, other.origin);
  return fired(d.rule);
}

// An atomic access races with plain ones only: a read with W, a write with R too.
Outcome FastTrack::atomic_slow(const HappensBefore::Thread& t, const Access& a, Var& x) {
  const Rule rule = a.kind == AccessKind::kAtomicRead ? Rule::kAtomicRead : Rule::kAtomicWrite;
  ++fired_[static_cast<int>(rule)];
  Shared& shared = share(x);
  std::optional<AccessSet::Entry> read;
  if (rule == Rule::kAtomicWrite) {
    ++cost_.operations;
    read = shared.R.not_before(t.C);
  }
  shared.A.put(arena_, a.kind, {t.E, Origin(a)});
  if (!precedes(x.W_, t.C)) return race(rule, x.W_, x.W_origin_);
  if (read.has_value()) return race(rule, read->epoch, read->origin);
  return fired(rule);
}

Outcome FastTrack::race(Rule rule, Epoch epoch, const Origin& origin) {
  first_ = {order_.owner(epoch), origin.kind(), origin.location(), origin.event()};
  return {static_cast<uint8_t>(rule), true};
}

// R becomes a set, if it is none yet.
FastTrack::Shared& FastTrack::share(Var& x) {
  if (x.R_is_clock()) return *x.shared();
  Shared* shared = arena_.make<Shared>();
  ++cost_.allocated;
  if (!x.R().is_never()) shared->R.put(arena_, {x.R(), x.R_origin_});
  x.R_ = reinterpret_cast<uint64_t>(shared) | Var::kSharedTag;
  return *shared;
}

// R := never, and what was behind it is given back.
void FastTrack::unshare(Var& x) {
  Shared* shared = x.shared();
  shared->R.release(arena_);
  shared->A.release(arena_);
  arena_.destroy(shared);
  x.R_ = 0;
}

FastTrack::Var FastTrack::clone(const Var& x) {
  Var copy = x;
  if (x.R_is_clock()) {
    Shared* shared = arena_.make<Shared>(Shared{x.shared()->R.clone(arena_), x.shared()->A.clone(arena_)});
    copy.R_ = reinterpret_cast<uint64_t>(shared) | Var::kSharedTag;
  }
  return copy;
}

void FastTrack::forget(Var& x) {
  if (x.R_is_clock()) unshare(x);
  x = Var{};
}

void FastTrack::count(CounterSink& sink) const {
  for (int i = 0; i < fasttrack::kRuleCount; ++i) sink.add_rule(kRuleNames[i].name, kRuleNames[i].kind, fired_[i]);
  order_.count(sink);
  sink.add("vector clocks/allocated for variables", cost_.allocated, CounterSink::kPerAccess);
  sink.add("vector clocks/operations for variables", cost_.operations, CounterSink::kPerAccess);
}

}  // namespace deadheat
