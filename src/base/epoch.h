// An epoch c@t: clock c of the thread in slot t, in one word.
//
//   63  62      39 38                  0
//  +---+----------+---------------------+
//  | 0 |   slot   |        clock        |      bit 63 is never set: owners of a state use it as a tag
//  +---+----------+---------------------+
//
// Clocks of threads begin at 1, so the word 0 is the epoch before everything: "never". 2^39 ticks of one thread are
// five hours of nothing but releases at 30 million events a second; `ThreadClock::tick` stops the program beyond it
// rather than wrap.
#pragma once

#include <compare>
#include <cstdint>

#include "base/ids.h"

namespace deadheat {

using Clock = uint64_t;

class Epoch {
 public:
  static constexpr int kClockBits = 39;
  static constexpr int kSlotBits = 24;
  static constexpr Clock kMaxClock = (Clock{1} << kClockBits) - 1;
  static constexpr uint32_t kMaxSlot = (1u << kSlotBits) - 1;

  constexpr Epoch() = default;
  constexpr Epoch(Slot slot, Clock clock) : bits_(uint64_t{static_cast<uint32_t>(slot)} << kClockBits | clock) {}
  static constexpr Epoch from_bits(uint64_t bits) {
    Epoch e;
    e.bits_ = bits;
    return e;
  }

  constexpr Clock clock() const { return bits_ & kMaxClock; }
  constexpr Slot slot() const { return static_cast<Slot>(bits_ >> kClockBits); }
  constexpr uint64_t bits() const { return bits_; }
  constexpr bool is_never() const { return bits_ == 0; }

  friend constexpr bool operator==(Epoch, Epoch) = default;

 private:
  uint64_t bits_ = 0;
};

static_assert(sizeof(Epoch) == 8);
static_assert(1 + Epoch::kSlotBits + Epoch::kClockBits == 64);

inline constexpr Epoch kNever{};

}  // namespace deadheat
