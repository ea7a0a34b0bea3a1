// Which events may come next: the rules that a trace must keep to be the trace of a run.
//
// The enumeration, the generator and the shrinking of failing traces all ask this one state machine, and every trace
// it lets through must be accepted by the engine's own validator: that is tested each time a detector runs on one.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "support/test_trace.h"

namespace deadheat::test {

class WellFormed {
 public:
  // Whether the event may follow what was accepted so far; if so, it now belongs to it.
  bool accept(const Event& event);
  // The same without accepting it.
  bool would_accept(const Event& event) const;

 private:
  struct Lock {
    std::optional<ThreadId> writer;  // holds it as a writer
    std::map<ThreadId, int> depth;   // of each holder's recursion
  };
  enum class Life : uint8_t { kUnknown, kForked, kRunning, kEnded, kJoined };

  Life life(ThreadId thread) const;
  const Lock& lock(uint64_t id) const;
  bool may_run(const Event& event) const;
  bool overlaps_block(uint64_t address, uint64_t bytes) const;
  void apply(const Event& event);

  std::map<ThreadId, Life> life_;
  std::map<uint64_t, Lock> locks_;
  std::set<std::pair<ThreadId, uint64_t>> inside_;  // threads that entered a barrier and did not leave it
  std::map<uint64_t, uint64_t> blocks_;             // live blocks of bytes: address -> size
};

bool is_well_formed(const TestTrace& trace);

}  // namespace deadheat::test
