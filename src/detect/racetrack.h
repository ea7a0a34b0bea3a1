// RaceTrack: lockset and threadset, with more effort for suspicious variables.      Yu, Rodeheffer and Chen, SOSP 2005
//
// Idea     Two copies of one state machine (racetrack_machine.h): first an object is watched as a whole; when that ends
//          in a race, its variables get states of their own and begin as Virgin (adaptive granularity).
// State    object or heap block: its state and length; variable: RaceTrackState
// Promises See racetrack_machine.h. A warning gets rank by level and by state (rank, detect/detector.h), and an access
//          for each of the first three threads that came by.
// Cost     8 bytes an object; a variable costs nothing before its object is refined.
// Guarded  A state is replaced by compare-and-swap. The tables of objects, blocks, sets and clocks are not guarded: the
//          owner lets one thread at a time into `sync` and `access`.
// Tested by test/rules/racetrack_test.cpp, test/differential/racetrack_test.cpp
//
// Where the paper speaks of .NET, or not at all:
//   - An object is what stands before `.` or `[` in a name, or a block that the trace allocates: heap memory, or a
//     global. Bytes in no block (stacks) have no object and are watched as variables from the start. An access that
//     reaches from one block into another, or out of one, is an access to each.
//   - A plain name is an object with one variable, and goes through both copies like any other.
//   - The elements of a heap block are its words of 8 bytes: their type is not known. An array whose allocation was not
//     seen has no middle and no end: all of it is watched.
//   - Atomic and volatile accesses are not watched (section 3.4), and order nothing.
//   - A free is a write of the whole object; an allocation makes it Virgin.
#pragma once

#include <optional>

#include "detect/block_table.h"
#include "detect/racetrack_machine.h"

namespace deadheat {

class RaceTrack {
 public:
  using Var = RaceTrackState;
  using Edge = RaceTrackMachine::Edge;
  static constexpr bool kWholeObjects = true;

  explicit RaceTrack(Arena& arena) : arena_(arena), machine_(arena), blocks_(arena) {}
  void configure(const DetectorOptions& options);

  void sync(const Event& e);
  void acquire_part(const Event&) {}
  void release_part(const Event&) {}
  void forget_atomics(AtomicKey, uint64_t) {}

  // How many of the bytes, from the first one on, are of one block, or of none.
  uint64_t bytes_of_one_object(uint64_t address, uint64_t bytes) const;
  std::optional<Outcome> object_access(const Access& a, Place& place);
  Outcome access(const Access& a, const Place& place, Var& x);
  Conflict conflict() const { return {}; }  // the accesses of before were not kept: others come by later
  Var clone(const Var& x) { return machine_.clone(x); }
  void forget(Var& x) { machine_.forget(x); }
  void count(CounterSink& sink) const;

  RaceTrackMachine& machine() { return machine_; }
  RaceTrackState object(ObjectId id) { return objects_.at(arena_, index(id)).state; }
  RaceTrackState block(uint64_t address) const { return blocks_.find(address)->value; }

 private:
  struct Object {
    RaceTrackState state;
    uint64_t elements = 0;  // 0: its allocation was not seen
  };

  // Whether any of the elements from `first` to `last` is watched, of an array of so many.
  bool is_watched(uint64_t first, uint64_t last, uint64_t elements) const;
  bool is_watched(const Place& place) const;
  // The state of the object, unless it has none or was refined; `place` is then that of the object.
  RaceTrackState* whole_object(Place& place);
  Outcome outcome(const Access& a, Edge edge, bool is_object);

  Arena& arena_;
  RaceTrackOptions options_;
  RaceTrackMachine machine_;
  IdTable<Object> objects_;
  BlockTable<RaceTrackState> blocks_;

  // Table 3, and how often each edge was taken.
  uint64_t allocated_ = 0;
  uint64_t refined_ = 0;
  uint64_t accesses_ = 0;
  uint64_t at_object_level_ = 0;
  uint64_t objects_in_exclusive0_ = 0;
  uint64_t taken_[RaceTrackMachine::kEdgeCount] = {};
};

}  // namespace deadheat
