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
    bool R_precedes(const VectorClock& C) const { return !shared()->R.not_before(C).has_value(); }
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

  // In line is what most accesses are: the same thread as last time, in an epoch in which it did the same before.
  [[gnu::always_inline]] Outcome access(const Access& a, Var& x) {
    if (a.thread != current_id_) [[unlikely]]
      switch_to(a.thread);
    const HappensBefore::Thread& t = *current_;
    if (a.kind == AccessKind::kRead) {
      if (fasttrack::is_read_same_epoch(t.E, x)) [[likely]] {
        ++fired_[static_cast<int>(Rule::kReadSameEpoch)];
        return {static_cast<uint8_t>(Rule::kReadSameEpoch)};
      }
      return read_slow(t, a, x);
    }
    if (a.kind == AccessKind::kWrite && fasttrack::is_write_same_epoch(t.E, x)) [[likely]] {
      ++fired_[static_cast<int>(Rule::kWriteSameEpoch)];
      return {static_cast<uint8_t>(Rule::kWriteSameEpoch)};
    }
    return is_atomic(a.kind) ? atomic_slow(t, a, x) : write_slow(t, a, x);
  }
  // A read-shared variable is two steps away: the sets, then the thread's entry.
  void prefetch_behind(const Var& x, ThreadId thread, int step) const {
    if (!x.R_is_clock()) return;
    if (step == 0) {
      __builtin_prefetch(x.shared(), 1);
    } else if (const HappensBefore::Thread* t = order_.find(thread)) {
      __builtin_prefetch(x.shared()->R.likely_place(t->E.slot()), 1);
    }
  }
  Conflict conflict() const { return {true, first_}; }
  Var clone(const Var& x);
  void forget(Var& x);
  // R := never, if R is an epoch. Exact after a write that did not race: whatever is not ordered after one of the reads
  // is not ordered after that write either.
  void forget_read(Var& x) {
    if (!x.R_is_clock()) x.R_ = 0;
  }
  // Every origin x has gets the event number that `number` makes of its old one.
  template <class Number>
  void renumber(Var& x, Number number);
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
  Shared& share(Var& x);
  void unshare(Var& x);

  Arena& arena_;
  HappensBefore order_;
  ThreadId current_id_{UINT32_MAX};  // the thread of the last access, and its clocks
  const HappensBefore::Thread* current_ = nullptr;
  Access first_;
  uint64_t fired_[fasttrack::kRuleCount] = {};
  VectorClockCost cost_;  // of accesses; that of synchronisation is in order_
};

template <class Number>
void FastTrack::renumber(Var& x, Number number) {
  const auto change = [&](Origin& origin) { origin.set_event(number(origin.event())); };
  if (!x.W_.is_never()) change(x.W_origin_);
  if (!x.R_is_clock()) {
    if (!x.R().is_never()) change(x.R_origin_);
    return;
  }
  for (AccessSet* set : {&x.shared()->R, &x.shared()->A.reads, &x.shared()->A.writes})
    set->for_each([&](Epoch, Origin& origin) { change(origin); });
}

}  // namespace deadheat
