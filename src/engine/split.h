// Which events of a batch concern which worker.
//
// Idea     A plain access of a named variable is the business of one worker; all other events are everybody's. The
// split
//          is made once, by whoever decodes the batch, and without a branch on the owner: a worker that had to look at
//          every event would spend most of its time mispredicting whether it is its own.
// Promises A worker gets its events in the order of the trace, and the first event of every thread, so that threads
// take
//          their slots in the same order everywhere.
// Tested by test/unit/split_test.cpp, and by every test that compares `--jobs`
#pragma once

#include <vector>

#include "engine/worker.h"

namespace deadheat {

// For each worker the positions of its events in the batch.
using Selection = std::vector<std::vector<uint32_t>>;

class Split {
 public:
  Split(unsigned workers, ShareUnit unit) : workers_(workers), unit_(unit) {}

  void select(const Batch& batch, Selection& selection);

 private:
  uint64_t unit_of(uint64_t variable) const {
    return unit_ == ShareUnit::kVariables ? variable / Share::kChunk : object_units_[variable];
  }

  const unsigned workers_;
  const ShareUnit unit_;
  std::vector<uint32_t> object_units_;  // by variable; empty if the unit is not made of objects
  std::vector<bool> seen_;              // by thread
  std::vector<uint32_t*> ends_;         // of the workers' positions
};

}  // namespace deadheat
