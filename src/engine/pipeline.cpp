#include "engine/pipeline.h"

namespace deadheat {

const Batch* Pipeline::get(uint64_t number) {
  std::unique_lock lock(mutex_);
  while (true) {
    if (error_) std::rethrow_exception(error_);
    if (number < decoded_) return &slots_[number % kSlots].batch;
    if (at_end_) return nullptr;
    Slot& next = slots_[decoded_ % kSlots];
    if (decoding_ || next.users > 0) {
      changed_.wait(lock);
      continue;
    }
    decoding_ = true;
    lock.unlock();
    bool more = false;
    std::exception_ptr error;
    try {
      more = decode_(next.batch);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    decoding_ = false;
    error_ = error;
    if (more) {
      next.users = workers_;
      ++decoded_;
    } else {
      at_end_ = true;
    }
    changed_.notify_all();
  }
}

void Pipeline::let_go(uint64_t number) {
  const std::lock_guard lock(mutex_);
  if (--slots_[number % kSlots].users == 0) changed_.notify_all();
}

}  // namespace deadheat
