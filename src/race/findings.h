// All that one analysis of a trace found, in the order in which the races completed.
#pragma once

#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/stats.h"
#include "race/finding.h"

namespace deadheat {

// Keeps the texts and lists of findings.
class FindingStore {
 public:
  // Equal texts are kept once.
  std::string_view text(std::string_view text) {
    if (text.empty()) return {};
    if (const auto known = texts_.find(text); known != texts_.end()) return *known;
    return *texts_.emplace(copy<char>(text).data(), text.size()).first;
  }
  template <class T>
  std::span<const T> copy(std::span<const T> list) {
    if (list.empty()) return {};
    T* const to = static_cast<T*>(memory_.allocate(list.size_bytes(), alignof(T)));
    std::uninitialized_copy(list.begin(), list.end(), to);
    return {to, list.size()};
  }
  // The stack of an access that has a location and nothing else.
  StackView location(std::string_view location) {
    if (location.empty()) return {};
    const StackFrame frame = {.file = text(location)};
    return copy<StackFrame>({&frame, 1});
  }

 private:
  std::pmr::monotonic_buffer_resource memory_;
  std::unordered_set<std::string_view> texts_;
};

struct TraceCounts {
  uint64_t events = 0;
  uint64_t threads = 0;
  uint64_t variables = 0;
  uint64_t locks = 0;
};

struct Findings {
  std::string detector;
  bool precise = true;  // else the races are warnings
  std::string filter;   // empty for none
  TraceCounts trace;
  std::vector<Finding> races;
  uint64_t variables = 0;   // that race; only where races were folded, else it is for the reader to count
  uint64_t suppressed = 0;  // races that are not among them, because the user does not want to hear of them
  Stats stats;              // empty unless asked for
  int process = 0;          // of a recorded program: its id
  std::shared_ptr<FindingStore> store = std::make_shared<FindingStore>();
};

}  // namespace deadheat
