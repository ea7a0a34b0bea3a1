// FastTrack: happens-before race detection with epochs.                        Flanagan and Freund, PLDI 2009
//
// Idea     Writes to a race-free variable are totally ordered: the last one is an epoch W. Reads are, too, unless the
//          variable is read-shared; only then R becomes a set.
// State    thread C, E (HappensBefore); variable W : Epoch, R : Epoch or set of reads; with an origin for each
// Promises Reports x iff this run has a race on x, and names the first access that completes one.
// Cost     O(1), but write-shared is O(threads). 40 bytes a variable that is never read-shared nor used atomically.
// Tested by test/rules/fasttrack_test.cpp, test/differential
//
// Beyond the paper: atomic accesses are remembered beside R, all that are unordered, because each of them can race
// with a later plain access. A plain write that is ordered after them makes them superfluous, as it does R.
#pragma once

#include "detect/access_set.h"
#include "detect/fasttrack_rules.h"
#include "detect/happens_before.h"

namespace deadheat {

class FastTrack {
 public:
  using Rule = fasttrack::Rule;

  // Behind R, once a variable is read-shared or used atomically.
  struct Shared {
    AccessSet R;
    AtomicSets A;
  };

  class Var {
   public:
    Epoch W() const { return W_; }
    bool R_is_clock() const { return (R_ & kSharedTag) != 0; }
    Epoch R() const { return Epoch::from_bits(R_); }
    bool R_precedes(const VectorClock& C) const { return shared()->R.not_before(C) == nullptr; }
    Shared* shared() const { return reinterpret_cast<Shared*>(R_ & ~kSharedTag); }
    const Origin& W_origin() const { return W_origin_; }
    const Origin& R_origin() const { return R_origin_; }

   private:
    friend class FastTrack;
    static constexpr uint64_t kSharedTag = uint64_t{1} << 63;

    Epoch W_;
    uint64_t R_ = 0;  // an epoch, or kSharedTag and the address of a Shared
    Origin W_origin_, R_origin_;
  };
  static_assert(sizeof(Var) == 40);

  explicit FastTrack(Arena& arena) : arena_(arena), order_(arena) {}

  void sync(const Event& e) { order_.sync(e); }
  void acquire_part(const Event& e) { order_.acquire_part(e); }
  void release_part(const Event& e) { order_.release_part(e); }
  void forget_atomics(uint64_t first_key, uint64_t count) { order_.forget_atomics(first_key, count); }

  Outcome access(const Access& a, Var& x) {
    const HappensBefore::Thread& t = order_.thread(a.thread);
    switch (a.kind) {
      case AccessKind::kRead:
        return read(t, a, x);
      case AccessKind::kAtomicRead:
      case AccessKind::kAtomicWrite:
        return atomic(t, a, x);
      default:
        return write(t, a, x);
    }
  }
  Conflict conflict() const { return {true, first_}; }
  Var clone(const Var& x);
  void forget(Var& x);
  void count(CounterSink& sink) const;

  HappensBefore& order() { return order_; }

 private:
  Outcome read(const HappensBefore::Thread& t, const Access& a, Var& x);
  Outcome write(const HappensBefore::Thread& t, const Access& a, Var& x);
  Outcome atomic(const HappensBefore::Thread& t, const Access& a, Var& x);
  // The access raced with W, or with what is behind R: names the other side.
  Outcome race(Rule rule, Epoch epoch, const Origin& origin);
  Outcome fired(Rule rule) { return {static_cast<uint8_t>(rule), false}; }
  Shared& share(Var& x);
  void unshare(Var& x);

  Arena& arena_;
  HappensBefore order_;
  Access first_;
  uint64_t fired_[fasttrack::kRuleCount] = {};
  VectorClockCost cost_;  // of accesses; that of synchronisation is in order_
};

inline Outcome FastTrack::read(const HappensBefore::Thread& t, const Access& a, Var& x) {
  const fasttrack::Decision d = fasttrack::read(t.E, t.C, x);
  ++fired_[static_cast<int>(d.rule)];
  const AccessSet::Entry* atomic = nullptr;
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
      atomic = x.shared()->A.race_with_plain(/*is_write=*/false, t.C);
      x.shared()->R.put(arena_, {t.E, Origin(a)});
      break;
  }
  if (d.races_with_write) [[unlikely]]
    return race(d.rule, W, x.W_origin_);
  if (atomic != nullptr) [[unlikely]]
    return race(d.rule, atomic->epoch, atomic->origin);
  return fired(d.rule);
}

inline Outcome FastTrack::write(const HappensBefore::Thread& t, const Access& a, Var& x) {
  const fasttrack::Decision d = fasttrack::write(t.E, t.C, x);
  fired_[static_cast<int>(d.rule)] += a.kind == AccessKind::kWrite;  // a free is no write of the program's
  if (d.rule == Rule::kWriteSameEpoch) return fired(d.rule);

  AccessSet::Entry other{x.W_, x.W_origin_};
  bool races = d.races_with_write;
  if (d.rule == Rule::kWriteShared) {
    ++cost_.operations;
    const Shared& shared = *x.shared();
    if (!races && d.races_with_read) other = *shared.R.not_before(t.C);
    const AccessSet::Entry* atomic = shared.A.race_with_plain(/*is_write=*/true, t.C);
    if (!races && !d.races_with_read && atomic != nullptr) other = *atomic;
    races |= d.races_with_read || atomic != nullptr;
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

}  // namespace deadheat
