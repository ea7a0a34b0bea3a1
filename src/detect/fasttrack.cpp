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
  if (x.R_is_clock()) return read_shared(t, a, x);
  const fasttrack::Decision d = fasttrack::read(t.E, t.C, x);
  ++fired_[static_cast<int>(d.rule)];
  if (d.rule == Rule::kReadExclusive) {
    x.R_ = t.E.bits();
    x.R_origin_ = Origin(a);
  } else if (d.rule == Rule::kReadShare) {
    share(x);
    put_read(x, t.E, a);
  }
  if (d.races_with_write) [[unlikely]]
    return race(d.rule, x.W_, x.W_origin_);
  return fired(d.rule);
}

Outcome FastTrack::read_shared(const HappensBefore::Thread& t, const Access& a, Var& x) {
  const fasttrack::Decision d = fasttrack::read(t.E, t.C, x);
  ++fired_[static_cast<int>(d.rule)];
  if (ReadSet::Entry* mine = x.reads().find(t.E.slot())) {
    // Once in an epoch is enough here too, as for an epoch R.
    if (mine->epoch() == t.E) return fired(d.rule);
    *mine = {t.E.bits(), Origin(a)};
  } else {
    put_read(x, t.E, a);
  }
  if (d.races_with_write) [[unlikely]]
    return race(d.rule, x.W_, x.W_origin_);
  if (x.has_atomics()) {
    if (const auto atomic = x.mixed()->A.race_with(a.kind, t.C)) return race(d.rule, atomic->epoch, atomic->origin);
  }
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
    if (!races && d.races_with_read) other = *x.reads().not_before(t.C);
    std::optional<AccessSet::Entry> atomic;
    if (x.has_atomics()) atomic = x.mixed()->A.race_with(a.kind, t.C);
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
  Mixed& mixed = mix(x);
  std::optional<AccessSet::Entry> read;
  if (word::conflict(a.kind, AccessKind::kRead)) {
    ++cost_.operations;
    read = mixed.R.not_before(t.C);
  }
  mixed.A.put(arena_, a.kind, {t.E, Origin(a)});
  if (!precedes(x.W_, t.C)) return race(rule, x.W_, x.W_origin_);
  if (read.has_value()) return race(rule, read->epoch, read->origin);
  return fired(rule);
}

Outcome FastTrack::race(Rule rule, Epoch epoch, const Origin& origin) {
  first_ = {order_.owner(epoch), origin.kind(), origin.location(), origin.event()};
  return {static_cast<uint8_t>(rule), true};
}

// R, an epoch, becomes a set.
void FastTrack::share(Var& x) {
  ReadSet reads;
  ++cost_.allocated;
  if (!x.R().is_never()) reads.put(arena_, x.R(), x.R_origin_);
  x.R_ = reads.bits() | Var::kSetTag;
}

// R(t) := E
void FastTrack::put_read(Var& x, Epoch E, const Access& a) {
  ReadSet reads = x.reads();
  reads.put(arena_, E, Origin(a));
  if (x.has_atomics()) {
    x.mixed()->R = reads;
  } else {
    x.R_ = reads.bits() | Var::kSetTag;
  }
}

// R becomes a set with atomic accesses beside it, if it is none yet.
FastTrack::Mixed& FastTrack::mix(Var& x) {
  if (x.has_atomics()) return *x.mixed();
  if (!x.R_is_clock()) share(x);
  x.R_ = reinterpret_cast<uint64_t>(arena_.make<Mixed>(Mixed{x.reads(), {}})) | Var::kSetTag | Var::kMixedTag;
  return *x.mixed();
}

// R := never, and what was behind it is given back.
void FastTrack::unshare(Var& x) {
  x.reads().release(arena_);
  if (x.has_atomics()) {
    x.mixed()->A.release(arena_);
    arena_.destroy(x.mixed());
  }
  x.R_ = 0;
}

FastTrack::Var FastTrack::clone(const Var& x) {
  Var copy = x;
  if (!x.R_is_clock()) return copy;
  const ReadSet reads = x.reads().clone(arena_);
  if (x.has_atomics()) {
    Mixed* mixed = arena_.make<Mixed>(Mixed{reads, x.mixed()->A.clone(arena_)});
    copy.R_ = reinterpret_cast<uint64_t>(mixed) | Var::kSetTag | Var::kMixedTag;
  } else {
    copy.R_ = reads.bits() | Var::kSetTag;
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
