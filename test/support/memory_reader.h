// Feeds a TestTrace to the engine as a file would be fed: in batches, with ids in the order of first appearance.
#pragma once

#include <algorithm>
#include <string>

#include "event/trace.h"
#include "support/test_trace.h"

namespace deadheat::test {

class MemoryReader : public TraceReader {
 public:
  explicit MemoryReader(const TestTrace& trace, size_t batch_size = 4096) : trace_(trace), batch_size_(batch_size) {}

  bool next(Batch& batch) override {
    batch.clear();
    batch.first_event = done_;
    const size_t end = std::min(done_ + batch_size_, trace_.events.size());
    for (; done_ < end; ++done_) {
      batch.events.push_back(renumbered(trace_.events[done_]));
      batch.lines.push_back(done_ + 1);
    }
    while (known_variables_ < names_.variable_info.size())
      batch.new_variables.push_back(names_.variable_info[known_variables_++]);
    return !batch.events.empty();
  }
  std::string position(const Batch& batch, size_t i) const override {
    return "memory:" + std::to_string(batch.lines[i]);
  }
  double progress() const override { return -1; }

 private:
  template <class Id>
  static uint64_t intern(NameTable<Id>& table, const std::string& name) {
    return index(table.intern(name));
  }

  Event renumbered(Event event) {
    event.thread = names_.threads.intern(trace_.thread_name(event.thread));
    if (event.location != kNoLocation) event.location = names_.locations.intern(trace_.location_name(event.location));
    if (event.is_range) return event;
    const Operand operand = info(event.kind).operand;
    if (operand == Operand::kNone) return event;
    const std::string& name = trace_.name(operand, event.target);
    switch (operand) {
      case Operand::kNone:
        break;
      case Operand::kVariable:
        event.target = index(names_.intern_variable(name));
        break;
      case Operand::kObject:
        event.target = intern(names_.objects, name);
        break;
      case Operand::kLock:
        event.target = intern(names_.locks, name);
        break;
      case Operand::kThread:
        event.target = intern(names_.threads, name);
        break;
      case Operand::kMessage:
        event.target = intern(names_.messages, name);
        break;
      case Operand::kBarrier:
        event.target = intern(names_.barriers, name);
        break;
      case Operand::kSemaphore:
        event.target = intern(names_.semaphores, name);
        break;
      case Operand::kCondition:
        event.target = intern(names_.conditions, name);
        break;
    }
    return event;
  }

  const TestTrace& trace_;
  const size_t batch_size_;
  size_t done_ = 0;
  size_t known_variables_ = 0;
};

}  // namespace deadheat::test
