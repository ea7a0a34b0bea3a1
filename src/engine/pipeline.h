// A ring of decoded batches between one reader and several workers.
//
// Every worker asks for the batches in order; whoever asks first for one that is not there yet decodes it, so no thread
// does nothing but decode, and every batch is decoded once. A slot of the ring is used again when all have let it go.
#pragma once

#include <array>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>

#include "event/trace.h"

namespace deadheat {

class Pipeline {
 public:
  // `decode` fills a batch and says whether there was one; it is called by one thread at a time.
  Pipeline(unsigned workers, std::function<bool(Batch&)> decode) : workers_(workers), decode_(std::move(decode)) {}

  // Batch `number`, counted from 0, or null at the end. Rethrows what `decode` threw, in every worker.
  const Batch* get(uint64_t number);
  void let_go(uint64_t number);

 private:
  static constexpr size_t kSlots = 16;
  struct Slot {
    Batch batch;
    unsigned users = 0;
  };

  const unsigned workers_;
  const std::function<bool(Batch&)> decode_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // All below is guarded by mutex_, but for the batch of a slot that has users (read only) or is being decoded.
  std::array<Slot, kSlots> slots_;
  uint64_t decoded_ = 0;  // batches 0 .. decoded_ - 1 are there or were
  bool decoding_ = false;
  bool at_end_ = false;
  std::exception_ptr error_;
};

}  // namespace deadheat
