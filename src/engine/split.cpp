#include "engine/split.h"

namespace deadheat {

void Split::select(const Batch& batch, Selection& selection) {
  if (unit_ != ShareUnit::kVariables)
    for (const VariableInfo& variable : batch.new_variables)
      object_units_.push_back(static_cast<uint32_t>(Share::unit_of(variable.object, unit_)));

  selection.resize(workers_);
  ends_.clear();
  for (std::vector<uint32_t>& positions : selection) {
    positions.resize(batch.events.size());
    ends_.push_back(positions.data());
  }
  ThreadId last{UINT32_MAX};
  bool is_new = false;
  for (uint32_t i = 0; i < batch.events.size(); ++i) {
    const Event& e = batch.events[i];
    if (e.kind == EventKind::kNothing) continue;
    if (e.thread != last) {
      last = e.thread;
      if (index(last) >= seen_.size()) seen_.resize(index(last) + 1);
      is_new = !seen_[index(last)];
      seen_[index(last)] = true;
    }
    if (is_plain_access(e.kind) && !e.is_range && !is_new) [[likely]] {
      *ends_[Share::owner(unit_of(e.target), workers_)]++ = i;
    } else {
      for (uint32_t*& end : ends_) *end++ = i;
      is_new = false;
    }
  }
  for (unsigned w = 0; w < workers_; ++w) selection[w].resize(static_cast<size_t>(ends_[w] - selection[w].data()));
}

}  // namespace deadheat
