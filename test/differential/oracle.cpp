#include "differential/oracle.h"

#include <algorithm>
#include <optional>

#include "event/names.h"

namespace deadheat::test {
namespace {

using Nodes = std::set<size_t>;  // events whose past (and themselves) a clock stands for

void add(Nodes& to, const Nodes& from) { to.insert(from.begin(), from.end()); }

// An atomic or volatile object: a name, or the address of a range.
using AtomicKey = std::pair<bool, uint64_t>;

struct LockState {
  Nodes Lw, Lr;
  std::optional<ThreadId> writer;
  std::map<ThreadId, size_t> depth;  // of each holder's recursion: only the outermost pair counts
};

struct Generation {
  Nodes entered;
  bool left = false;  // somebody left: nobody enters it any more
};

struct BarrierState {
  std::vector<Generation> generations;
  std::map<ThreadId, size_t> inside;  // the generation that a thread entered
};

struct ThreadState {
  std::optional<size_t> last;  // its last event; the fork that made it before it has one
  Nodes Fr, Fa;
};

// Walks the trace once and says for each event which events it comes directly after.
class EdgeBuilder {
 public:
  explicit EdgeBuilder(const TestTrace& trace) : trace_(trace) {}

  Nodes before(size_t number) {
    const Event& event = trace_.events[number];
    ThreadState& thread = threads_[event.thread];
    taken_.clear();
    if (thread.last) taken_.insert(*thread.last);
    thread.last = number;
    apply(number, event, thread);
    return taken_;
  }

 private:
  void take(const Nodes& nodes) { add(taken_, nodes); }

  void apply(size_t number, const Event& event, ThreadState& thread) {
    switch (event.kind) {
      case EventKind::kAcquire:
      case EventKind::kRelease:
      case EventKind::kReadAcquire:
      case EventKind::kReadRelease:
        return apply_lock(number, event);
      case EventKind::kVolatileRead:
      case EventKind::kVolatileWrite:
      case EventKind::kAtomicLoad:
      case EventKind::kAtomicStore:
      case EventKind::kAtomicRmw:
      case EventKind::kCasOk:
      case EventKind::kCasFail:
        return apply_atomic(number, event, thread);
      case EventKind::kFence:
        if (acquires(event.order)) take(thread.Fa);
        if (releases(event.order)) thread.Fr = {number};
        return;
      case EventKind::kFork:
        threads_[event.other_thread()].last = number;
        return;
      case EventKind::kJoin:
        if (const ThreadState& ended = threads_[event.other_thread()]; ended.last) taken_.insert(*ended.last);
        return;
      case EventKind::kBarrierEnter:
      case EventKind::kBarrierLeave:
        return apply_barrier(number, event);
      case EventKind::kPost:
        semaphores_[event.target].insert(number);
        return;
      case EventKind::kSemaphoreWait:
        return take(semaphores_[event.target]);
      case EventKind::kSend:
        messages_[event.target].insert(number);
        return;
      case EventKind::kReceive:
        return take(messages_[event.target]);
      case EventKind::kAlloc:
        if (event.is_range) blocks_[event.target] = event.size;
        return forget_atomics(event);
      case EventKind::kFree:
        return forget_atomics(event);
      case EventKind::kNothing:
      case EventKind::kRead:
      case EventKind::kWrite:
      case EventKind::kBegin:
      case EventKind::kEnd:
      case EventKind::kWait:
      case EventKind::kNotify:
      case EventKind::kSeenEnded:
        return;
    }
  }

  void apply_lock(size_t number, const Event& event) {
    LockState& lock = locks_[event.target];
    size_t& depth = lock.depth[event.thread];
    if (event.kind == EventKind::kAcquire || event.kind == EventKind::kReadAcquire) {
      if (depth++ > 0) return;
      take(lock.Lw);
      if (event.kind == EventKind::kReadAcquire) return;
      take(lock.Lr);
      lock.writer = event.thread;
    } else {
      if (--depth > 0) return;
      if (lock.writer == event.thread) {
        lock.Lw = {number};
        lock.Lr.clear();
        lock.writer.reset();
      } else {
        lock.Lr.insert(number);
      }
    }
  }

  void apply_barrier(size_t number, const Event& event) {
    BarrierState& barrier = barriers_[event.target];
    if (event.kind == EventKind::kBarrierEnter) {
      if (barrier.generations.empty() || barrier.generations.back().left) barrier.generations.emplace_back();
      barrier.generations.back().entered.insert(number);
      barrier.inside[event.thread] = barrier.generations.size() - 1;
    } else {
      Generation& generation = barrier.generations[barrier.inside.at(event.thread)];
      generation.left = true;
      take(generation.entered);
    }
  }

  void apply_atomic(size_t number, const Event& event, ThreadState& thread) {
    const AtomicKey key{event.is_range, event.target};
    if (event.kind == EventKind::kVolatileWrite) {
      volatiles_[key].insert(number);
      return;
    }
    if (event.kind == EventKind::kVolatileRead) return take(volatiles_[key]);

    Nodes& S = releases_[key];
    const bool has_value = !event.is_range || event.size != 0;
    if (event.kind != EventKind::kAtomicStore) {
      if (acquires(event.order)) {
        take(S);
      } else if (has_value) {
        add(thread.Fa, S);
      }
    }
    Nodes released;
    if (releases(event.order))
      released = {number};
    else if (has_value)
      released = thread.Fr;
    if (event.kind == EventKind::kAtomicStore) S = released;
    if (event.kind == EventKind::kAtomicRmw || event.kind == EventKind::kCasOk) add(S, released);
  }

  // Fresh or freed memory: no atomic object in it has been released to yet.
  void forget_atomics(const Event& event) {
    const auto within = [&](const AtomicKey& key) {
      if (key.first != event.is_range) return false;
      if (!event.is_range) return trace_.object_of(key.second) == event.target;
      return key.second >= event.target && key.second - event.target < blocks_[event.target];
    };
    std::erase_if(releases_, [&](const auto& entry) { return within(entry.first); });
    std::erase_if(volatiles_, [&](const auto& entry) { return within(entry.first); });
  }

  const TestTrace& trace_;
  Nodes taken_;
  std::map<ThreadId, ThreadState> threads_;
  std::map<uint64_t, LockState> locks_;
  std::map<uint64_t, BarrierState> barriers_;
  std::map<uint64_t, Nodes> semaphores_, messages_;
  std::map<AtomicKey, Nodes> releases_, volatiles_;
  std::map<uint64_t, uint64_t> blocks_;  // address of a block of bytes -> its size
};

bool writes(AccessKind kind) {
  return kind == AccessKind::kWrite || kind == AccessKind::kAtomicWrite || kind == AccessKind::kFree;
}
bool atomically(AccessKind kind) { return kind == AccessKind::kAtomicRead || kind == AccessKind::kAtomicWrite; }

}  // namespace

EventGraph::EventGraph(const TestTrace& trace)
    : words_((trace.events.size() + 63) / 64), past_(words_ * trace.events.size()) {
  EdgeBuilder edges(trace);
  for (size_t event = 0; event < trace.events.size(); ++event) {
    uint64_t* row = &past_[event * words_];
    for (const size_t before : edges.before(event))
      for (size_t i = 0; i < words_; ++i) row[i] |= past_[before * words_ + i];
    row[event / 64] |= uint64_t{1} << event % 64;
  }
}

Oracle::Oracle(const TestTrace& trace, bool coarse) : trace_(trace), coarse_(coarse), graph_(trace) {
  collect_accesses();
}

void Oracle::collect_accesses() {
  // The place of each variable, and those of each object, also those that are accessed only later: a free is a write
  // of all of them. A coarse object is a place even if nothing in it is ever accessed.
  std::vector<uint64_t> place_of_variable;
  std::map<uint64_t, std::set<Place>> places_of_object;
  const std::vector<std::string>& variables = trace_.names[static_cast<size_t>(Operand::kVariable)];
  if (coarse_) names_ = trace_.names[static_cast<size_t>(Operand::kObject)];
  for (uint64_t object = 0; object < names_.size(); ++object) places_of_object[object].insert({false, object});
  for (uint64_t variable = 0; variable < variables.size(); ++variable) {
    const std::string name(coarse_ ? split_variable_name(variables[variable]).object : variables[variable]);
    const auto known = coarse_ ? std::find(names_.begin(), names_.end(), name) : names_.end();
    place_of_variable.push_back(static_cast<uint64_t>(known - names_.begin()));
    if (known == names_.end()) names_.push_back(name);
  }
  std::set<Place> accessed;
  for (const Event& event : trace_.events) {
    if (info(event.kind).operand != Operand::kVariable) continue;
    if (event.is_range) {
      for (uint64_t i = 0; i < event.size; ++i) accessed.insert({true, event.target + i});
    } else {
      const Place place{false, place_of_variable[event.target]};
      if (accessed.insert(place).second) places_of_object[trace_.object_of(event.target)].insert(place);
    }
  }
  accessed_ = accessed.size();

  std::map<uint64_t, uint64_t> blocks;
  const auto places_of = [&](const Event& event) {
    std::set<Place> places;
    const bool is_block = event.kind == EventKind::kAlloc || event.kind == EventKind::kFree;
    if (event.is_range) {
      const uint64_t bytes = is_block ? blocks[event.target] : event.size;
      for (uint64_t i = 0; i < bytes; ++i) places.insert({true, event.target + i});
    } else if (is_block) {
      places = places_of_object[event.target];
    } else {
      places.insert({false, place_of_variable[event.target]});
    }
    return places;
  };
  for (size_t number = 0; number < trace_.events.size(); ++number) {
    const Event& event = trace_.events[number];
    const AccessKind kind = info(event.kind).access;
    if (event.kind == EventKind::kAlloc) {
      if (event.is_range) blocks[event.target] = event.size;
      for (const Place place : places_of(event)) histories_[place].emplace_back();
    } else if (kind != AccessKind::kNone) {
      for (const Place place : places_of(event)) {
        History& history = histories_[place];
        if (history.empty()) history.emplace_back();
        history.back().push_back({number, kind});
      }
    }
  }
}

bool Oracle::race(const Access& a, const Access& b) const {
  return trace_.events[a.event].thread != trace_.events[b.event].thread && (writes(a.kind) || writes(b.kind)) &&
         !(atomically(a.kind) && atomically(b.kind)) && !graph_.ordered(a.event, b.event);
}

std::map<Place, FirstRace> Oracle::first_races() const {
  std::map<Place, FirstRace> races;
  for (const auto& [place, history] : histories_) {
    FirstRace found;
    for (const std::vector<Access>& accesses : history) {
      for (size_t b = 0; b < accesses.size() && found.firsts.empty(); ++b)
        for (size_t a = 0; a < b; ++a)
          if (race(accesses[a], accesses[b])) {
            found.second = accesses[b].event;
            found.firsts.push_back(accesses[a].event);
          }
      if (!found.firsts.empty()) break;
    }
    if (!found.firsts.empty()) races.emplace(place, std::move(found));
  }
  return races;
}

bool Oracle::is_race(Place place, size_t a, size_t b) const {
  const auto history = histories_.find(place);
  if (history == histories_.end()) return false;
  for (const std::vector<Access>& accesses : history->second) {
    const auto find = [&](size_t event) {
      return std::find_if(accesses.begin(), accesses.end(), [&](const Access& x) { return x.event == event; });
    };
    const auto first = find(a), second = find(b);
    if (first != accesses.end() && second != accesses.end()) return a < b && race(*first, *second);
  }
  return false;
}

std::set<std::pair<std::string, std::string>> Oracle::location_pairs() const {
  std::set<std::pair<std::string, std::string>> pairs;
  for (const auto& [place, history] : histories_)
    for (const std::vector<Access>& accesses : history)
      for (size_t b = 0; b < accesses.size(); ++b)
        for (size_t a = 0; a < b; ++a)
          if (race(accesses[a], accesses[b])) {
            const std::string first = trace_.location_name(trace_.events[accesses[a].event].location);
            const std::string second = trace_.location_name(trace_.events[accesses[b].event].location);
            pairs.insert(std::minmax(first, second));
          }
  return pairs;
}

std::string_view operation_name(AccessKind kind) {
  switch (kind) {
    case AccessKind::kNone:
      return "";
    case AccessKind::kRead:
      return "read";
    case AccessKind::kWrite:
      return "write";
    case AccessKind::kAtomicRead:
      return "atomic-read";
    case AccessKind::kAtomicWrite:
      return "atomic-write";
    case AccessKind::kFree:
      return "free";
  }
  return "";
}

}  // namespace deadheat::test
