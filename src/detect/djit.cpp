#include "detect/djit.h"

namespace deadheat {

template <bool kShortCut>
Outcome VectorClockDetector<kShortCut>::conclude(Rule rule, AccessSet& set, const HappensBefore::Thread& t,
                                                 const Access& a, const std::optional<AccessSet::Entry>& other) {
  fired_[static_cast<int>(rule)] += a.kind != AccessKind::kFree;  // a free is no write of the program's
  if (other.has_value())
    first_ = {order_.owner(other->epoch), other->origin.kind(), other->origin.location(), other->origin.event()};
  if (set.empty() && a.kind != AccessKind::kFree) ++cost_.allocated;
  set.put(arena_, {t.E, Origin(a)});
  return {static_cast<uint8_t>(rule), other.has_value()};
}

template <bool kShortCut>
Outcome VectorClockDetector<kShortCut>::read(const HappensBefore::Thread& t, const Access& a, Var& x) {
  if (kShortCut && x.R.contains(t.E)) {
    ++fired_[static_cast<int>(Rule::kReadSameEpoch)];
    return {static_cast<uint8_t>(Rule::kReadSameEpoch)};
  }
  std::optional<AccessSet::Entry> other = x.W.not_before(t.C);
  ++cost_.operations;
  if (!other && x.A != nullptr) other = x.A->race_with(a.kind, t.C);
  return conclude(Rule::kRead, x.R, t, a, other);
}

template <bool kShortCut>
Outcome VectorClockDetector<kShortCut>::write(const HappensBefore::Thread& t, const Access& a, Var& x) {
  if (kShortCut && x.W.contains(t.E)) {
    fired_[static_cast<int>(Rule::kWriteSameEpoch)] += a.kind == AccessKind::kWrite;
    return {static_cast<uint8_t>(Rule::kWriteSameEpoch)};
  }
  std::optional<AccessSet::Entry> other = x.W.not_before(t.C);
  if (!other) other = x.R.not_before(t.C);
  if (a.kind == AccessKind::kWrite) cost_.operations += 2;
  if (!other && x.A != nullptr) other = x.A->race_with(a.kind, t.C);
  return conclude(Rule::kWrite, x.W, t, a, other);
}

template <bool kShortCut>
Outcome VectorClockDetector<kShortCut>::atomic(const HappensBefore::Thread& t, const Access& a, Var& x) {
  const bool is_write = a.kind == AccessKind::kAtomicWrite;
  std::optional<AccessSet::Entry> other = x.W.not_before(t.C);
  if (!other && is_write) other = x.R.not_before(t.C);
  cost_.operations += is_write ? 2 : 1;
  if (x.A == nullptr) x.A = arena_.make<AtomicSets>();
  return is_write ? conclude(Rule::kAtomicWrite, x.A->writes, t, a, other)
                  : conclude(Rule::kAtomicRead, x.A->reads, t, a, other);
}

template <bool kShortCut>
void VectorClockDetector<kShortCut>::record(const Access& a, Var& x) {
  const HappensBefore::Thread& t = order_.thread(a.thread);
  switch (a.kind) {
    case AccessKind::kRead:
      conclude(Rule::kRead, x.R, t, a, std::nullopt);
      break;
    case AccessKind::kAtomicRead:
    case AccessKind::kAtomicWrite: {
      if (x.A == nullptr) x.A = arena_.make<AtomicSets>();
      const bool is_write = a.kind == AccessKind::kAtomicWrite;
      conclude(is_write ? Rule::kAtomicWrite : Rule::kAtomicRead, is_write ? x.A->writes : x.A->reads, t, a,
               std::nullopt);
      break;
    }
    default:
      conclude(Rule::kWrite, x.W, t, a, std::nullopt);
      break;
  }
}

template <bool kShortCut>
typename VectorClockDetector<kShortCut>::Var VectorClockDetector<kShortCut>::clone(const Var& x) {
  Var copy{x.R.clone(arena_), x.W.clone(arena_)};
  if (x.A != nullptr) copy.A = arena_.make<AtomicSets>(x.A->clone(arena_));
  return copy;
}

template <bool kShortCut>
void VectorClockDetector<kShortCut>::forget(Var& x) {
  x.R.release(arena_);
  x.W.release(arena_);
  if (x.A != nullptr) {
    x.A->release(arena_);
    arena_.destroy(x.A);
  }
  x = Var{};
}

template <bool kShortCut>
void VectorClockDetector<kShortCut>::count(CounterSink& sink) const {
  const auto rule = [&](std::string_view name, AccessKind kind, Rule which) {
    sink.add_rule(name, kind, fired_[static_cast<int>(which)]);
  };
  if (kShortCut) rule("read same epoch", AccessKind::kRead, Rule::kReadSameEpoch);
  rule("read", AccessKind::kRead, Rule::kRead);
  if (kShortCut) rule("write same epoch", AccessKind::kWrite, Rule::kWriteSameEpoch);
  rule("write", AccessKind::kWrite, Rule::kWrite);
  rule("atomic read", AccessKind::kAtomicRead, Rule::kAtomicRead);
  rule("atomic write", AccessKind::kAtomicWrite, Rule::kAtomicWrite);
  count_clocks(sink);
}

template <bool kShortCut>
void VectorClockDetector<kShortCut>::count_clocks(CounterSink& sink) const {
  order_.count(sink);
  sink.add("vector clocks/allocated for variables", cost_.allocated, CounterSink::kPerAccess);
  sink.add("vector clocks/operations for variables", cost_.operations, CounterSink::kPerAccess);
}

template class VectorClockDetector<false>;
template class VectorClockDetector<true>;

}  // namespace deadheat
