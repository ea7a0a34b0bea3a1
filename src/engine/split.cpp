#include "engine/split.h"

namespace deadheat {

void Split::select(const Batch& batch, std::vector<Selection>& selections) {
  selections.resize(workers_);
  for (Selection& selection : selections) {
    if (selection.events.size() < batch.events.size()) {
      selection.events.resize(batch.events.size());
      selection.positions.resize(batch.events.size());
    }
  }
  counts_.assign(workers_, 0);
  if (unit_ == ShareUnit::kVariables) {
    select<true>(batch, selections.data());
  } else {
    for (const VariableInfo& variable : batch.new_variables)
      object_units_.push_back(static_cast<uint32_t>(Share::unit_of(variable.object, unit_)));
    select<false>(batch, selections.data());
  }
  for (unsigned w = 0; w < workers_; ++w) selections[w].count = counts_[w];
}

template <bool kVariables>
void Split::select(const Batch& batch, Selection* selections) {
  const auto add = [&](unsigned worker, uint32_t i) {
    Selection& selection = selections[worker];
    const uint32_t at = counts_[worker]++;
    selection.events[at] = batch.events[i];
    selection.positions[at] = i;
  };
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
      const uint64_t unit = kVariables ? e.target / Share::kChunk : object_units_[e.target];
      add(Share::owner(unit, workers_), i);
    } else {
      for (unsigned w = 0; w < workers_; ++w) add(w, i);
      is_new = false;
    }
  }
}

}  // namespace deadheat
