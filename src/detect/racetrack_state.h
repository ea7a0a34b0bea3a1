// The state of a variable, or of an object, in RaceTrack: two 32-bit words.                     Figure 6 of the paper
//
//                   first word, upper 29 bits    code   second word
//                  +---------------------------+------+-----------------------+
//   Virgin         | 0                         |  0   |                       |
//   Exclusive0     | thread + 1                |  0   |                       |
//   Exclusive1     | thread                    |  1   | clock                 |
//   Shared-Read    | lockset                   |  2   |                       |
//   Shared-Modify1 | lockset                   |  3   |                       |
//   Exclusive2     | thread                    |  4   | clock                 |
//   Shared-Modify2 | lockset                   |  5   | threadset             |
//   Race-Detected  | thread                    |  6   | second thread + 1     |
//   Refined        |                           |  7   |                       |
//                  +---------------------------+------+-----------------------+
//
// Refined is Race-Detected at the level of objects: the variables have states of their own by now. The paper keeps the
// address of these states here; ours are found by the shadow. The second thread of Race-Detected is our addition: it
// tells the third thread from the first two. After the third (kEnough) the state does not change any more.
#pragma once

#include <atomic>

#include "base/lockset.h"
#include "detect/threadset.h"

namespace deadheat {

class RaceTrackState {
 public:
  enum class State : uint8_t {
    kVirgin,
    kExclusive0,
    kExclusive1,
    kSharedRead,
    kSharedModify1,
    kExclusive2,
    kSharedModify2,
    kRaceDetected,
    kRefined,
  };
  static constexpr uint32_t kMaxValue = (1u << 29) - 1;
  static constexpr uint32_t kEnough = UINT32_MAX;

  static RaceTrackState exclusive0(ThreadId t) { return {static_cast<uint32_t>(t) + 1, 0, 0}; }
  static RaceTrackState exclusive1(ThreadLabel S) { return {static_cast<uint32_t>(S.thread), 1, S.clock}; }
  static RaceTrackState shared_read(LocksetId C) { return {static_cast<uint32_t>(C), 2, 0}; }
  static RaceTrackState shared_modify1(LocksetId C) { return {static_cast<uint32_t>(C), 3, 0}; }
  static RaceTrackState exclusive2(ThreadLabel S) { return {static_cast<uint32_t>(S.thread), 4, S.clock}; }
  static RaceTrackState shared_modify2(LocksetId C, ThreadsetId S) {
    return {static_cast<uint32_t>(C), 5, static_cast<uint32_t>(S)};
  }
  static RaceTrackState race_detected(ThreadId t, uint32_t second = 0) { return {static_cast<uint32_t>(t), 6, second}; }
  static RaceTrackState refined() { return {0, 7, 0}; }

  constexpr RaceTrackState() = default;
  State state() const {
    const uint32_t code = first() & 7;
    if (code == 0) return value() == 0 ? State::kVirgin : State::kExclusive0;
    return static_cast<State>(code + 1);
  }
  ThreadId owner() const { return static_cast<ThreadId>(value() - 1); }         // Exclusive0
  ThreadLabel S() const { return {static_cast<ThreadId>(value()), second()}; }  // Exclusive1, Exclusive2
  LocksetId C() const { return static_cast<LocksetId>(value()); }               // the Shared states
  ThreadsetId threadset() const { return static_cast<ThreadsetId>(second()); }  // Shared-Modify2
  ThreadId first_thread() const { return static_cast<ThreadId>(value()); }      // Race-Detected
  uint32_t second_thread() const { return second(); }                           // Race-Detected: + 1, or kEnough
  bool has_lockset() const {
    return state() == State::kSharedRead || state() == State::kSharedModify1 || has_threadset();
  }
  bool has_threadset() const { return state() == State::kSharedModify2; }

  RaceTrackState load() const {
    return RaceTrackState(std::atomic_ref<uint64_t>(const_cast<uint64_t&>(bits_)).load(std::memory_order_acquire));
  }
  // Stores both words at once, unless another thread changed them since `old` was loaded. An equal state is not stored.
  bool replace(RaceTrackState old, RaceTrackState next) {
    if (old.bits_ == next.bits_) return true;
    return std::atomic_ref<uint64_t>(bits_).compare_exchange_strong(old.bits_, next.bits_, std::memory_order_acq_rel);
  }

  friend bool operator==(const RaceTrackState&, const RaceTrackState&) = default;

 private:
  constexpr RaceTrackState(uint32_t value, uint32_t code, uint32_t second)
      : bits_(uint64_t{second} << 32 | value << 3 | code) {}
  explicit constexpr RaceTrackState(uint64_t bits) : bits_(bits) {}
  uint32_t first() const { return static_cast<uint32_t>(bits_); }
  uint32_t second() const { return static_cast<uint32_t>(bits_ >> 32); }
  uint32_t value() const { return first() >> 3; }

  alignas(8) uint64_t bits_ = 0;
};
static_assert(sizeof(RaceTrackState) == 8);
static_assert(InternedSets<LockId, LocksetId>::kMaxIndex <= RaceTrackState::kMaxValue);

}  // namespace deadheat
