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

#include "base/prefetch.h"
#include "detect/access_set.h"
#include "detect/fasttrack_rules.h"
#include "detect/happens_before.h"
#include "detect/read_set.h"

namespace deadheat {

class FastTrack {
 public:
  using Rule = fasttrack::Rule;

  // Behind R, once a variable is also used atomically.
  struct Mixed {
    ReadSet R;
    AtomicSets A;
  };

  class Var {
   public:
    Epoch W() const { return W_; }
    bool R_is_clock() const { return (R_ & kSetTag) != 0; }
    Epoch R() const { return Epoch::from_bits(R_); }
    bool R_precedes(const SharedClock& C) const { return !reads().not_before(C).has_value(); }
    // The set that R is: empty while R is an epoch.
    ReadSet reads() const {
      if (!R_is_clock()) return {};
      return has_atomics() ? mixed()->R : ReadSet::from_bits(R_ & ~ReadSet::kOwnerBits);
    }
    bool has_atomics() const { return (R_ & ReadSet::kOwnerBits) == (kSetTag | kMixedTag); }
    Mixed* mixed() const { return reinterpret_cast<Mixed*>(R_ & ~ReadSet::kOwnerBits); }
    const Origin& W_origin() const { return W_origin_; }
    const Origin& R_origin() const { return R_origin_; }
    // Of the states whose R is an epoch: whether they are the same.
    friend bool operator==(const Var& x, const Var& y) {
      return x.W_ == y.W_ && x.R_ == y.R_ && x.W_origin_ == y.W_origin_ && x.R_origin_ == y.R_origin_;
    }

   private:
    friend class FastTrack;
    static constexpr uint64_t kSetTag = uint64_t{1} << 63;
    static constexpr uint64_t kMixedTag = uint64_t{1} << 62;

    Epoch W_;
    uint64_t R_ = 0;  // an epoch; or kSetTag and a ReadSet; or both tags and the address of a Mixed
    Origin W_origin_, R_origin_;
  };
  static_assert(sizeof(Var) == 40);

  explicit FastTrack(Arena& arena) : arena_(arena), order_(arena) {}

  void sync(const Event& e) { order_.sync(e); }
  void acquire_part(const Event& e) { order_.acquire_part(e); }
  void release_part(const Event& e) { order_.release_part(e); }
  void forget_atomics(AtomicKey first, uint64_t count) { order_.forget_atomics(first, count); }

  // What most accesses are: the thread did the same before in this epoch.
  [[gnu::always_inline]] bool is_same_epoch(ThreadId thread, AccessKind kind, const Var& x) {
    if (thread != current_id_) [[unlikely]]
      switch_to(thread);
    const Epoch E = current_->E;
    const bool is_read = kind == AccessKind::kRead;
    // One branch for both short cuts: whether an access reads or writes is hard to predict.
    const bool is_same = is_read ? fasttrack::is_read_same_epoch(E, x) : fasttrack::is_write_same_epoch(E, x);
    fired_[static_cast<int>(is_read ? Rule::kReadSameEpoch : Rule::kWriteSameEpoch)] += is_same;
    if (is_same) return true;
    // The same for a variable that several threads read: the thread's own entry has this epoch already.
    if (!is_read || !x.R_is_clock() || x.has_atomics() || !x.reads().likely_has(E)) return false;
    ++fired_[static_cast<int>(Rule::kReadShared)];
    return true;
  }
  [[gnu::always_inline]] Outcome access(const Access& a, Var& x) {
    const bool is_read = a.kind == AccessKind::kRead;
    if (is_read || a.kind == AccessKind::kWrite) {
      if (is_same_epoch(a.thread, a.kind, x)) [[likely]]
        return fired(!is_read ? Rule::kWriteSameEpoch : x.R_is_clock() ? Rule::kReadShared : Rule::kReadSameEpoch);
    }
    return access_slow(a, x);
  }
  Outcome access_slow(const Access& a, Var& x) {
    if (a.thread != current_id_) [[unlikely]]
      switch_to(a.thread);
    if (a.kind == AccessKind::kRead) return read_slow(*current_, a, x);
    return is_atomic(a.kind) ? atomic_slow(*current_, a, x) : write_slow(*current_, a, x);
  }
  // A read-shared variable has the thread's entry elsewhere.
  void prefetch_behind(const Var& x, ThreadId thread) const {
    if (!x.R_is_clock() || x.has_atomics()) return;
    if (const HappensBefore::Thread* t = order_.find(thread)) deadheat::prefetch(x.reads().likely_place(t->E.slot()));
  }
  Conflict conflict() const { return {true, first_}; }
  Var clone(const Var& x);
  void forget(Var& x);
  // R := never, if R is an epoch. Exact after a write that did not race: whatever is not ordered after one of the reads
  // is not ordered after that write either.
  void forget_read(Var& x) {
    if (!x.R_is_clock()) x.R_ = 0;
  }
  // Calls change(access) for every origin of x: it may give the access another event number and another location.
  template <class Change>
  void change_origins(Var& x, Change change);
  void count(CounterSink& sink) const;

  HappensBefore& order() { return order_; }

 private:
  Outcome read_slow(const HappensBefore::Thread& t, const Access& a, Var& x);
  Outcome write_slow(const HappensBefore::Thread& t, const Access& a, Var& x);
  Outcome atomic_slow(const HappensBefore::Thread& t, const Access& a, Var& x);
  void switch_to(ThreadId id) {
    current_ = &order_.thread(id);
    current_id_ = id;
  }
  // The access raced with W, or with what is behind R: names the other side.
  Outcome race(Rule rule, Epoch epoch, const Origin& origin);
  Outcome fired(Rule rule) { return {static_cast<uint8_t>(rule), false}; }
  Outcome read_shared(const HappensBefore::Thread& t, const Access& a, Var& x);
  void share(Var& x);
  void put_read(Var& x, Epoch E, const Access& a);
  Mixed& mix(Var& x);
  void unshare(Var& x);

  Arena& arena_;
  HappensBefore order_;
  ThreadId current_id_{UINT32_MAX};  // the thread of the last access, and its clocks
  const HappensBefore::Thread* current_ = nullptr;
  Access first_;
  uint64_t fired_[fasttrack::kRuleCount] = {};
  VectorClockCost cost_;  // of accesses; that of synchronisation is in order_
};

template <class Change>
void FastTrack::change_origins(Var& x, Change change) {
  const auto change_one = [&](Origin& origin) {
    Access a{ThreadId{}, origin.kind(), origin.location(), origin.event()};
    change(a);
    origin = Origin(a);
  };
  if (!x.W_.is_never()) change_one(x.W_origin_);
  if (!x.R_is_clock()) {
    if (!x.R().is_never()) change_one(x.R_origin_);
    return;
  }
  const auto change_of = [&](Epoch, Origin& origin) { change_one(origin); };
  x.reads().for_each(change_of);
  if (!x.has_atomics()) return;
  x.mixed()->A.reads.for_each(change_of);
  x.mixed()->A.writes.for_each(change_of);
}

}  // namespace deadheat
