// Eraser's state machine and lockset, as `eraser` and `multirace` use them.     Savage et al., ACM TOCS 15(4), 1997
//
// Idea     C(x) is what the locks held at all accesses of x have in common. While only one thread knows x, and while x
//          is only read, no lock is needed; so C(x) begins with the second thread, and counts only once x is written.
//
//             Virgin -- first access --> Exclusive(t) --- read by another ---> Shared
//                                             |                                  | write
//                                             +------ write by another ---> Shared-Modified
//
// State    of a variable, in one word, as in Eraser:
//    31 30 29                                  0
//   +-----+------------------------------------+
//   |state| owner (Exclusive) or index of C    |
//   +-----+------------------------------------+
// Cost     O(1) if the intersection was seen lately, else O(locks held).
// Tested by test/rules/eraser_test.cpp
//
// Where the paper is silent: an atomic access counts as made under one more lock, `kAtomicLock`, held as a writer. So
// atomic accesses need no lock against each other, but one in common with every plain access. A free is a write.
#pragma once

#include "detect/detector.h"
#include "detect/held_locks.h"

namespace deadheat {

class EraserMachine {
 public:
  enum class State : uint8_t { kVirgin, kExclusive, kShared, kSharedModified };

  // The edges of the machine.
  enum class Edge : uint8_t {
    kFirstAccess,     // Virgin -> Exclusive
    kSameThread,      // Exclusive, its owner
    kShare,           // Exclusive -> Shared: another thread reads
    kShareModified,   // Exclusive -> Shared-Modified: another thread writes
    kReadShared,      // Shared, a read
    kModify,          // Shared -> Shared-Modified: a write
    kSharedModified,  // Shared-Modified, any access
  };
  static constexpr int kEdgeCount = 7;
  static constexpr std::string_view kEdgeNames[kEdgeCount] = {
      "first access", "same thread", "share", "share modified", "read shared", "modify", "shared modified"};

  class Var {
   public:
    State state() const { return static_cast<State>(bits_ >> 30); }
    ThreadId owner() const { return static_cast<ThreadId>(value()); }  // in Exclusive
    LocksetId C() const { return static_cast<LocksetId>(value()); }    // in Shared and Shared-Modified
    bool has_lockset() const { return state() >= State::kShared; }
    // Shared and written, and no lock protected all of it.
    bool is_suspicious() const { return state() == State::kSharedModified && C() == kNoLocks; }

   private:
    friend class EraserMachine;
    static constexpr uint32_t kValue = (1u << 30) - 1;
    uint32_t value() const { return bits_ & kValue; }
    uint32_t bits_ = 0;
  };
  static_assert(sizeof(Var) == 4);
  static_assert(InternedSets<LockId, LocksetId>::kMaxIndex <= Var::kValue);

  explicit EraserMachine(Arena& arena) : locksets_(arena), held_(arena, locksets_) {}

  void sync(const Event& e) {
    locksets_.sweep_if_due();
    follow(held_, e);
  }

  Edge access(const Access& a, Var& x) {
    switch (x.state()) {
      case State::kVirgin:
        set(x, State::kExclusive, static_cast<uint32_t>(a.thread));
        return Edge::kFirstAccess;
      case State::kExclusive: {
        if (x.owner() == a.thread) return Edge::kSameThread;
        // C begins here, with the locks of the second thread: the owner's were not looked at.
        const LocksetId locks = protecting(a);
        locksets_.retain(locks);
        set(x, is_write(a.kind) ? State::kSharedModified : State::kShared, static_cast<uint32_t>(locks));
        return is_write(a.kind) ? Edge::kShareModified : Edge::kShare;
      }
      case State::kShared:
        refine(x, is_write(a.kind) ? State::kSharedModified : State::kShared, a);
        return is_write(a.kind) ? Edge::kModify : Edge::kReadShared;
      case State::kSharedModified:
        break;
    }
    refine(x, State::kSharedModified, a);
    return Edge::kSharedModified;
  }

  Var clone(const Var& x) {
    if (x.has_lockset()) locksets_.retain(x.C());
    return x;
  }
  void forget(Var& x) {
    if (x.has_lockset()) locksets_.release(x.C());
    x = Var{};
  }
  const LocksetTable& locksets() const { return locksets_; }

 private:
  static void set(Var& x, State state, uint32_t value) {
    x.bits_ = uint32_t{static_cast<uint8_t>(state)} << 30 | value;
  }
  LocksetId protecting(const Access& a) {
    locksets_.sweep_if_due();  // every set in use here is retained
    return held_.protecting(a.thread, is_write(a.kind), is_atomic(a.kind));
  }
  // C := C and the locks of this access.
  void refine(Var& x, State state, const Access& a) {
    const LocksetId before = x.C();
    if (before != kNoLocks) {
      const LocksetId after = locksets_.intersection(before, protecting(a));
      if (after != before) {
        locksets_.retain(after);
        locksets_.release(before);
      }
      set(x, state, static_cast<uint32_t>(after));
    } else {
      set(x, state, 0);
    }
  }

  LocksetTable locksets_;
  HeldLocks held_;
};

}  // namespace deadheat
