// RaceTrack's state machine: state of a variable, access -> next state.             Yu, Rodeheffer and Chen, SOSP 2005
//
// Idea     A race needs concurrent accesses without a common lock. C(x) is what the locks of the accesses have in
//          common, S(x) the accesses that are estimated to be concurrent; when only one is left in S, C begins anew.
//          S is kept only where C alone was not enough (adaptive threadset, Figure 4).
// State    thread t: L (HeldLocks), B (RaceTrackOrder); variable: RaceTrackState
// Rules    The enum Edge below has one name for each edge of the machine; racetrack_machine.cpp says what each does.
// Promises No promise about races. Accesses with a lock in common throughout, or all of them ordered by fork, join or
//          notification, are never warned about beyond Exclusive0.
// Cost     O(1) but for Shared-Modify2, which is O(threads in S); 8 bytes a variable.
// Guarded  A state is replaced by compare-and-swap. The tables of sets are the owner's: see base/interned_sets.h.
// Tested by test/rules/racetrack_test.cpp (every edge), test/differential/racetrack_test.cpp (against Figure 2)
#pragma once

#include "detect/held_locks.h"
#include "detect/racetrack_order.h"
#include "detect/racetrack_state.h"

namespace deadheat {

class RaceTrackMachine {
 public:
  using Setting = RaceTrackOptions::Setting;

  enum class Edge : uint8_t {
    kFirstAccess,         // Virgin -> Exclusive0
    kSameThread,          // Exclusive0 stays
    kSecondThread,        // Exclusive0 -> Exclusive1
    kOrdered1,            // Exclusive1 stays
    kShareRead,           // Exclusive1 -> Shared-Read
    kShareModify,         // Exclusive1 -> Shared-Modify1
    kShareUnlocked,       // Exclusive1 -> Exclusive2: a concurrent write that no lock protects; warns
    kReadShared,          // Shared-Read stays
    kModify,              // Shared-Read -> Shared-Modify1
    kModifyUnlocked,      // Shared-Read -> Exclusive2: a write, and C is empty; warns
    kLocked1,             // Shared-Modify1 stays
    kUnlocked1,           // Shared-Modify1 -> Exclusive2: C ran empty; warns
    kOrdered2,            // Exclusive2 stays
    kShareAgain,          // Exclusive2 -> Shared-Modify2
    kShareAgainUnlocked,  // Exclusive2 -> Race-Detected: concurrent, and no lock protects it; warns
    kAlone,               // Shared-Modify2 -> Exclusive2: one left in S
    kLocked2,             // Shared-Modify2 stays
    kRace,                // Shared-Modify2 -> Race-Detected: C ran empty; warns
    kAnotherThread,       // Race-Detected: a second or third thread comes by; its access is added to the warning
    kAfterRace,           // Race-Detected, nothing new
    kBasicAlone,          // setting `basic`: |S| = 1
    kBasicShared,         // setting `basic`: |S| > 1, and C is not empty
    kBasicRace,           // setting `basic`: |S| > 1, and C is empty; warns
    kNotWatched,          // an atomic access, or an element that is not watched
  };
  static constexpr int kEdgeCount = 24;
  static const std::string_view kEdgeNames[kEdgeCount];

  explicit RaceTrackMachine(Arena& arena)
      : order_(arena), locksets_(arena), held_(arena, locksets_), threadsets_(arena) {}
  void choose(Setting setting) { setting_ = setting; }

  void sync(const Event& e);

  // Moves x. With `is_object`, x is an object as a whole, and a race means that it is to be refined.
  Edge access(const Access& a, RaceTrackState& x, bool is_object);

  RaceTrackState clone(const RaceTrackState& x) {
    retain(x);
    return x;
  }
  void forget(RaceTrackState& x) {
    release(x);
    x = {};
  }

  static bool warns(Edge edge) {
    return edge == Edge::kShareUnlocked || edge == Edge::kModifyUnlocked || edge == Edge::kUnlocked1 || is_race(edge) ||
           edge == Edge::kAnotherThread;
  }
  // Found by the whole machine, not by its early half.
  static bool is_race(Edge edge) {
    return edge == Edge::kShareAgainUnlocked || edge == Edge::kRace || edge == Edge::kBasicRace;
  }

  RaceTrackOrder& order() { return order_; }
  const RaceTrackOrder& order() const { return order_; }
  const LocksetTable& locksets() const { return locksets_; }
  const ThreadsetTable& threadsets() const { return threadsets_; }

 private:
  struct Step {
    Edge edge;
    RaceTrackState next;
  };
  // One access with what it needs of its thread.
  struct Mover {
    const Access& a;
    const BoundedClock& B;
    bool is_write;
    bool is_object;

    ThreadLabel label() const { return {a.thread, B[a.thread]}; }
  };

  Step step(const Mover& m, RaceTrackState x);
  Step concurrent(const Mover& m);
  Step suspect(const Mover& m, Edge edge) const;
  Step shared_modify2(const Mover& m, RaceTrackState x);
  Step race(const Mover& m, Edge edge) const;
  Step after_race(const Mover& m, RaceTrackState x) const;
  Step basic(const Mover& m, RaceTrackState x);

  LocksetId L(const Mover& m) { return held_.protecting(m.a.thread, m.is_write, /*is_atomic=*/false); }
  void retain(RaceTrackState x) {
    if (x.has_lockset()) locksets_.retain(x.C());
    if (x.has_threadset()) threadsets_.retain(x.threadset());
  }
  void release(RaceTrackState x) {
    if (x.has_lockset()) locksets_.release(x.C());
    if (x.has_threadset()) threadsets_.release(x.threadset());
  }

  Setting setting_ = Setting::kGranularity;
  RaceTrackOrder order_;
  LocksetTable locksets_;
  HeldLocks held_;
  ThreadsetTable threadsets_;
};

}  // namespace deadheat
