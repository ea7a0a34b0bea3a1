// What an access races with, from the words where it is found to the report.
//
// The room finds; it does not know what a report is. report_race is declared here and defined by live/report, or by a
// test.
#pragma once

#include <cstddef>
#include <cstdint>

#include "live/order/thread.h"

namespace deadheat::live {

// The other side of a race, as found under the stripe's lock; told to the reporter after it is left.
struct PastRace {
  PastRace() = default;
  // `bytes` of the word lie together.
  PastRace(AccessKind past, EpochId when, OriginId where, uintptr_t word, unsigned bytes)
      : kind(past),
        thread(owner_of(when)),
        epoch(epoch_of(when)),
        origin(where),
        begin(word + static_cast<unsigned>(__builtin_ctz(bytes))),
        end(word + 32 - static_cast<unsigned>(__builtin_clz(bytes))) {}

  AccessKind kind;
  ThreadUid thread;
  Epoch epoch;  // not its id, which may be collected before the race is told
  OriginId origin;
  uintptr_t begin, end;  // what both touched

  // Takes further bytes of the same access in, if there is no gap between: what lies in one did not race.
  bool extend(const PastRace& more) {
    if (more.begin > end || more.end < begin) return false;
    if (more.begin < begin) begin = more.begin;
    if (more.end > end) end = more.end;
    return true;
  }
};

// What one access races with: the words it touches may have raced with different ones. The first few have their place
// here, more are on the run time's heap.
class RaceFound {
 public:
  static constexpr unsigned kFew = 4, kMost = 1024;

  RaceFound() = default;
  RaceFound(const RaceFound&) = delete;
  RaceFound& operator=(const RaceFound&) = delete;
  ~RaceFound() {
    if (__builtin_expect(count_ != 0, 0)) release();
  }

  bool any() const { return count_ != 0; }
  // One access of each origin stands for those of other epochs: there were too many.
  bool is_by_origin() const { return by_origin_; }
  const PastRace* begin() const { return races_; }
  const PastRace* end() const { return races_ + count_; }

  void add(const PastRace& race) __attribute__((cold));
  // An access of some bytes of a word, which need not lie together.
  void add_bytes(AccessKind past, EpochId when, OriginId where, uintptr_t word, unsigned bytes) __attribute__((cold));
  // What a simple cell of the word says about the bytes; they may have different origins (stacks.h).
  void add(AccessKind past, uint32_t cell, OriginId origin, uintptr_t word, unsigned bytes) __attribute__((cold));
  void add(const RaceFound& others) {
    for (const PastRace& race : others) add(race);
  }

 private:
  bool is_same(const PastRace& a, const PastRace& b) const;
  void keep_origins();
  void grow();
  void release() __attribute__((cold));

  unsigned count_ = 0, capacity_ = kFew;
  bool by_origin_ = false, in_hand_ = false;
  PastRace few_[kFew];
  PastRace* races_ = few_;
};

// `address`, `bytes`, `kind` and `pc` are the access of `t` that completed the race; `race` is the other side. Called
// outside of the run time, with no lock held.
void report_race(Thread& t, uintptr_t address, size_t bytes, AccessKind kind, uintptr_t pc, const RaceFound& race)
    __attribute__((cold));

}  // namespace deadheat::live
