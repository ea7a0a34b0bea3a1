// A ring of decoded batches between one reader and several workers.
//
// Every worker asks for the batches in order. The worker that is ahead of the others decodes, a group of batches at a
// time. The others catch up meanwhile, so another worker is ahead next. So no thread only decodes, and workers hardly
// ever wait for one that decodes. A slot of the ring is used again when all workers have let it go.
#pragma once

#include <array>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>

#include "engine/split.h"

namespace deadheat {

// A batch, and for each analysis and worker the events that are its own.
struct SplitBatch {
  Batch batch;
  std::vector<std::vector<Selection>> selections;
};

class Pipeline {
 public:
  // `decode` fills a batch and says whether there was one; it is called by one thread at a time.
  Pipeline(unsigned workers, std::function<bool(SplitBatch&)> decode)
      : workers_(workers), decode_(std::move(decode)), wanted_(workers) {}

  // Batch `number`, counted from 0, for a worker, or null at the end. Rethrows what `decode` threw, in every worker.
  const SplitBatch* get(unsigned worker, uint64_t number);
  void let_go(uint64_t number);

 private:
  static constexpr size_t kSlots = 16;
  static constexpr uint64_t kGroup = 4;  // batches
  static_assert(kSlots % kGroup == 0);
  struct Slot {
    SplitBatch batch;
    unsigned users = 0;
  };

  bool has_room() const;
  void decode_group(std::unique_lock<std::mutex>& lock);

  const unsigned workers_;
  const std::function<bool(SplitBatch&)> decode_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // All below is guarded by mutex_, but for the batch of a slot that has users (read only) or is being decoded.
  std::array<Slot, kSlots> slots_;
  uint64_t decoded_ = 0;          // batches 0 .. decoded_ - 1 are there or were
  std::vector<uint64_t> wanted_;  // the batch that each worker asked for last
  bool decoding_ = false;
  bool at_end_ = false;
  std::exception_ptr error_;
};

}  // namespace deadheat
