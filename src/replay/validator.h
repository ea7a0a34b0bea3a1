// Checks that the events of a trace make sense in their order, and resolves what only the order can tell.
//
// After validation
//   - nested operations of a recursive lock are kNothing, so that only the outermost pair counts;
//   - the release of a lock that is held as a reader is a kReadRelease, even if the trace wrote `rel`; the release of a
//     lock that is held as a writer is a kRelease, even if the trace wrote `rrel`;
//   - the `free` of a range knows its size.
// An event that makes no sense is a TraceError, which says where and what was expected. A lenient validator repairs the
// event or makes it kNothing, and counts it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "event/trace.h"

namespace deadheat {

class Validator {
 public:
  Validator(const TraceReader& reader, bool lenient, Losses& losses)
      : reader_(reader), lenient_(lenient), losses_(losses) {}

  void check(Batch& batch);

 private:
  // In one byte, since the loop over accesses looks at nothing else.
  enum class Life : uint8_t { kUnseen, kForked, kRunning, kEnded, kJoined };
  struct LockState {
    static constexpr uint32_t kNobody = UINT32_MAX;
    uint32_t writer = kNobody;
    uint32_t depth = 0;                              // of the writer's recursion
    std::unordered_map<uint32_t, uint32_t> readers;  // thread -> depth
  };
  struct BarrierState {
    std::unordered_map<uint32_t, bool> inside;
  };

  enum class Verdict { kGood, kDrop, kNested };

  Life& life(ThreadId id) { return lives_[index(id)]; }
  LockState& lock(const Event& e) {
    if (e.target >= locks_.size()) locks_.resize(e.target + 1);
    return locks_[e.target];
  }
  void check_slow(Batch& batch, size_t i);
  Verdict acquire(const Event& e);
  Verdict release(Event& e);
  Verdict read_acquire(const Event& e);
  Verdict read_release(Event& e);
  Verdict fork(const Event& e);
  Verdict join(const Event& e);
  Verdict see_ended(const Event& e);
  Verdict allocate(const Event& e);
  Verdict free(Event& e);

  // Throws unless lenient.
  void complain(std::string what);
  std::string name(ThreadId id) const { return std::string(reader_.names().threads[id]); }
  std::string lock_name(const Event& e) const { return std::string(reader_.names().locks[e.lock()]); }

  const TraceReader& reader_;
  const bool lenient_;
  Losses& losses_;
  std::vector<Life> lives_;  // of all threads named so far
  std::vector<LockState> locks_;
  std::vector<BarrierState> barriers_;
  std::map<uint64_t, uint64_t> blocks_;  // live range allocations: address -> size
  const Batch* batch_ = nullptr;         // where `complain` is
  size_t at_ = 0;
};

}  // namespace deadheat
