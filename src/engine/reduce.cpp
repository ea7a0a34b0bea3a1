#include "engine/reduce.h"

#include <algorithm>

#include "engine/registry.h"
#include "replay/validator.h"

namespace deadheat {

// ---- The first reading --------------------------------------------------------------------------------------------

RacyPlaces RacyPlaces::find(TraceReader& reader, bool lenient, Losses& losses) {
  const std::unique_ptr<Worker> worker = make_worker({}, {});
  Validator validator(reader, lenient, losses);
  Batch batch;
  while (reader.next(batch)) {
    validator.check(batch);
    worker->consume(batch, nullptr);
  }
  worker->finish();
  RacyPlaces racy;
  for (const FoundRace& race : worker->races()) {
    if (race.what == FoundRace::What::kRange) {
      racy.add(race.target, race.bytes);
    } else {
      racy.add(static_cast<VariableId>(race.target));
    }
  }
  return racy;
}

void RacyPlaces::add(VariableId variable) {
  if (index(variable) >= variables_.size()) variables_.resize(index(variable) + 1);
  variables_[index(variable)] = true;
}

void RacyPlaces::add(uint64_t address, uint64_t bytes) {
  uint64_t begin = address, end = address + bytes;
  auto at = ranges_.upper_bound(begin);
  if (at != ranges_.begin() && std::prev(at)->second >= begin) --at;
  for (; at != ranges_.end() && at->first <= end; at = ranges_.erase(at)) {
    begin = std::min(begin, at->first);
    end = std::max(end, at->second);
  }
  ranges_.emplace(begin, end);
}

bool RacyPlaces::has(uint64_t address, uint64_t bytes) const {
  const auto after = ranges_.lower_bound(address + bytes);
  return after != ranges_.begin() && std::prev(after)->second > address;
}

// ---- The second reading -------------------------------------------------------------------------------------------

bool RacyReader::is_kept(const Event& e) const {
  if (!is_plain_access(e.kind)) return e.kind != EventKind::kNothing;
  return e.is_range ? racy_.has(e.target, e.size) : racy_.has(e.variable());
}

bool RacyReader::next(Batch& batch) {
  const size_t known_variables = names_.variable_info.size();
  batch.clear();
  origins_.clear();
  batch.first_event = written_;
  while (batch.events.empty()) {
    if (!whole_->next(read_)) return false;
    const RunInfo* const run = whole_->run();
    if (run != nullptr && run->loads.size() + run->moves.size() + run->benign.size() != 0) {
      RunInfo renumbered = *run;
      renumbered.loads = run_ ? std::move(run_->loads) : decltype(run_->loads)();
      renumbered.moves = run_ ? std::move(run_->moves) : decltype(run_->moves)();
      renumbered.benign = run_ ? std::move(run_->benign) : decltype(run_->benign)();
      run_ = std::move(renumbered);
    }
    for (size_t i = 0; i < read_.events.size(); ++i) {
      Event e = read_.events[i];
      const bool keep = is_kept(e);
      renumber_run(read_.first_event + i, written_ + batch.events.size());
      if (e.kind == EventKind::kNothing) continue;
      if (index(e.thread) >= seen_.size()) seen_.resize(index(e.thread) + 1);
      const bool begins = !seen_[index(e.thread)];
      seen_[index(e.thread)] = true;
      if (!keep && !begins) continue;
      if (!keep) {
        Event begin;
        begin.kind = EventKind::kBegin;
        begin.thread = e.thread;
        e = begin;
      }
      origins_.push_back(i);
      add(batch, e);
    }
  }
  batch.offset = read_.offset;
  batch.new_variables.assign(names_.variable_info.begin() + static_cast<ptrdiff_t>(known_variables),
                             names_.variable_info.end());
  written_ += batch.events.size();
  losses_ = whole_->losses();
  return true;
}

void RacyReader::renumber_run(uint64_t event, uint64_t number) {
  const auto take_over = [&](const auto& whole, auto& ours) {
    while (ours.size() < whole.size() && whole[ours.size()].event <= event) {
      ours.push_back(whole[ours.size()]);
      ours.back().event = number;
    }
  };
  if (!run_) return;
  const RunInfo& whole = *whole_->run();
  take_over(whole.loads, run_->loads);
  take_over(whole.moves, run_->moves);
  take_over(whole.benign, run_->benign);
}

void RacyReader::add(Batch& batch, Event e) {
  e.thread = static_cast<ThreadId>(renamed(Operand::kThread, index(e.thread)));
  if (e.location != kNoLocation) {
    e.location = static_cast<LocationId>(known(locations_, index(e.location), [&] {
      return index(names_.locations.intern(whole_->names().location(e.location)));
    }));
  }
  if (!e.is_range) e.target = renamed(info(e.kind).operand, e.target);
  batch.events.push_back(e);
}

template <class Intern>
uint64_t RacyReader::known(std::vector<uint32_t>& ids, uint64_t id, Intern intern) {
  constexpr uint32_t kUnknown = UINT32_MAX;
  if (id >= ids.size()) ids.resize(id + 1, kUnknown);
  if (ids[id] == kUnknown) ids[id] = static_cast<uint32_t>(intern());
  return ids[id];
}

uint64_t RacyReader::renamed(Operand operand, uint64_t id) {
  const Names& old = whole_->names();
  return known(renamed_[static_cast<size_t>(operand)], id, [&]() -> uint64_t {
    switch (operand) {
      case Operand::kNone:
        break;
      case Operand::kVariable:
        return index(names_.intern_variable(old.variables[static_cast<VariableId>(id)]));
      case Operand::kObject:
        return index(names_.objects.intern(old.objects[static_cast<ObjectId>(id)]));
      case Operand::kLock:
        return index(names_.locks.intern(old.locks[static_cast<LockId>(id)]));
      case Operand::kThread:
        return index(names_.threads.intern(old.threads[static_cast<ThreadId>(id)]));
      case Operand::kMessage:
        return index(names_.messages.intern(old.messages[static_cast<MessageId>(id)]));
      case Operand::kBarrier:
        return index(names_.barriers.intern(old.barriers[static_cast<BarrierId>(id)]));
      case Operand::kSemaphore:
        return index(names_.semaphores.intern(old.semaphores[static_cast<SemaphoreId>(id)]));
      case Operand::kCondition:
        return index(names_.conditions.intern(old.conditions[static_cast<ConditionId>(id)]));
    }
    return id;
  });
}

}  // namespace deadheat
