#include "engine/pipeline.h"

#include <algorithm>

namespace deadheat {

const SplitBatch* Pipeline::get(unsigned worker, uint64_t number) {
  std::unique_lock lock(mutex_);
  wanted_[worker] = number;
  while (true) {
    if (error_) std::rethrow_exception(error_);
    const bool is_ahead = number == *std::max_element(wanted_.begin(), wanted_.end());
    if (is_ahead && !decoding_ && !at_end_ && has_room()) decode_group(lock);
    if (error_) continue;
    if (number < decoded_) return &slots_[number % kSlots].batch;
    if (at_end_) return nullptr;
    if (decoding_ || !has_room()) changed_.wait(lock);
  }
}

bool Pipeline::has_room() const {
  for (uint64_t i = 0; i < kGroup; ++i)
    if (slots_[(decoded_ + i) % kSlots].users > 0) return false;
  return true;
}

void Pipeline::decode_group(std::unique_lock<std::mutex>& lock) {
  decoding_ = true;
  const uint64_t first = decoded_;
  lock.unlock();
  uint64_t end = first;
  std::exception_ptr error;
  try {
    while (end < first + kGroup && decode_(slots_[end % kSlots].batch)) ++end;
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  for (uint64_t i = first; i < end; ++i) slots_[i % kSlots].users = workers_;
  decoded_ = end;
  at_end_ = end < first + kGroup;
  error_ = error;
  decoding_ = false;
  changed_.notify_all();
}

void Pipeline::let_go(uint64_t number) {
  const std::lock_guard lock(mutex_);
  if (--slots_[number % kSlots].users == 0) changed_.notify_all();
}

}  // namespace deadheat
