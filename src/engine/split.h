// Which events of a batch concern which worker.
//
// Idea     A plain access of a named variable concerns one worker; all other events concern every worker. The worker
//          that decodes a batch splits it, once and without a branch on the owner. A worker that had to look at every
//          event would spend most of its time mispredicting whether the event is its own.
// Promises A worker gets its events in the order of the trace, and the first event of every thread, so that threads
//          take their slots in the same order everywhere.
// Tested by test/unit/split_test.cpp, and by every test that compares `--jobs`
#pragma once

#include <vector>

#include "engine/worker.h"

namespace deadheat {

// The events of one worker: copies, since another core may have decoded the batch and gaps would be read along.
struct Selection {
  size_t count = 0;  // the vectors may be longer
  std::vector<Event> events;
  std::vector<uint32_t> positions;  // in the batch
};

class Split {
 public:
  Split(unsigned workers, ShareUnit unit) : workers_(workers), unit_(unit) {}

  // Fills one selection for each worker.
  void select(const Batch& batch, std::vector<Selection>& selections);

 private:
  template <bool kVariables>
  void select(const Batch& batch, Selection* selections);

  const unsigned workers_;
  const ShareUnit unit_;
  std::vector<uint32_t> object_units_;  // by variable; empty if the unit is not made of objects
  std::vector<bool> seen_;              // by thread
  std::vector<uint32_t> counts_;        // of the workers' events so far
};

}  // namespace deadheat
