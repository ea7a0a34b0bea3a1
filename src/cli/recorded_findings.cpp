#include "cli/recorded_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/arena.h"
#include "cli/record_input.h"
#include "cli/recorded_names.h"
#include "engine/order_chain.h"
#include "race/suppressions.h"
#include "report/finding_report.h"
#include "symbolize/module.h"

namespace deadheat::cli {

namespace {

// The number in a name such as T12 or 0x7f10; 0 if there is none.
uint64_t number_in(std::string_view name, size_t skipped, int base) {
  uint64_t number = 0;
  if (name.size() > skipped) std::from_chars(name.data() + skipped, name.data() + name.size(), number, base);
  return number;
}
uint32_t thread_number(std::string_view name) { return static_cast<uint32_t>(number_in(name, 1, 10)); }

// Something that can order threads.
struct SyncEvent {
  Event event;
  uint64_t number = 0;
};
constexpr size_t kStepsBefore = 3, kStepsAfter = 2;  // of a thread, around an access

// What the accesses of the bytes of one finding had in common.
struct BytesFacts {
  uint64_t begin = 0, end = 0;
  uint64_t accesses = 0;
  std::map<uint64_t, uint64_t> held = {};  // lock -> accesses
};

// What the trace says about one event.
struct EventFacts {
  ThreadId thread{};
  uint64_t address = 0, bytes = 0;
  std::vector<SideLock> locks;
  bool in_block = false;
  uint64_t block = 0, block_bytes = 0;
  std::string block_thread, block_location;
  std::vector<SyncEvent> before, after;  // the last ones of its thread before it, the first ones after it
};

// Reads the trace once more and notes the facts of the events asked for.
void find_facts(TraceReader& reader, std::map<uint64_t, EventFacts>& wanted, std::vector<BytesFacts>& bytes,
                std::map<uint64_t, LocationId>& locks_made) {
  struct Block {
    uint64_t bytes;
    ThreadId thread;
    LocationId location;
  };
  std::map<uint64_t, Block> blocks;
  std::map<ThreadId, std::vector<SideLock>> held;
  std::map<ThreadId, std::vector<SyncEvent>> last_syncs;
  std::multimap<ThreadId, EventFacts*> waiting;  // for what comes after them
  auto next = wanted.begin();
  const auto count = [&](const Event& e) {
    const uint64_t end = e.target + std::max<uint64_t>(e.size, 1);
    for (BytesFacts& facts : bytes) {
      if (e.target >= facts.end || facts.begin >= end) continue;
      ++facts.accesses;
      std::set<uint64_t> told;
      for (const SideLock& lock : held[e.thread])
        if (told.insert(lock.address).second) ++facts.held[lock.address];
    }
  };
  const auto lock_of = [&reader](const Event& e) { return number_in(reader.names().locks[e.lock()], 2, 16); };
  for (Batch batch; (next != wanted.end() || !waiting.empty() || !bytes.empty()) && reader.next(batch);) {
    for (size_t i = 0; i < batch.events.size(); ++i) {
      const Event& e = batch.events[i];
      const uint64_t number = batch.first_event + i;
      if (e.is_range && info(e.kind).access != AccessKind::kNone && !bytes.empty()) count(e);
      if (e.kind == EventKind::kAcquire || e.kind == EventKind::kReadAcquire)
        locks_made.emplace(lock_of(e), e.location);
      if (can_order(e) && e.kind != EventKind::kBegin) {
        for (auto [at, end] = waiting.equal_range(e.thread); at != end;) {
          at->second->after.push_back({e, number});
          at = at->second->after.size() < kStepsAfter ? std::next(at) : waiting.erase(at);
        }
        std::vector<SyncEvent>& syncs = last_syncs[e.thread];
        if (next == wanted.end() || number != next->first) syncs.push_back({e, number});
        if (syncs.size() > kStepsBefore) syncs.erase(syncs.begin());
      }
      if (next != wanted.end() && number == next->first) {
        EventFacts& facts = next->second;
        facts.thread = e.thread;
        facts.address = e.target;
        facts.bytes = e.size;
        facts.locks = held[e.thread];
        facts.before = last_syncs[e.thread];
        waiting.emplace(e.thread, &facts);
        auto at = blocks.upper_bound(e.target);
        if (at != blocks.begin() && e.target - std::prev(at)->first < std::prev(at)->second.bytes) {
          const auto& [begin, block] = *std::prev(at);
          facts.in_block = true;
          facts.block = begin;
          facts.block_bytes = block.bytes;
          facts.block_thread = reader.names().threads[block.thread];
          facts.block_location = reader.names().location(block.location);
          if (e.kind == EventKind::kFree) facts.bytes = block.bytes;
        }
        ++next;
      }
      switch (e.kind) {
        case EventKind::kAcquire:
        case EventKind::kReadAcquire:
          held[e.thread].push_back({lock_of(e), e.kind == EventKind::kReadAcquire});
          break;
        case EventKind::kRelease:
        case EventKind::kReadRelease: {
          std::vector<SideLock>& locks = held[e.thread];
          const auto found = std::find_if(locks.rbegin(), locks.rend(),
                                          [lock = lock_of(e)](const SideLock& l) { return l.address == lock; });
          if (found != locks.rend()) locks.erase(std::next(found).base());
          break;
        }
        case EventKind::kAlloc: {
          auto at = blocks.lower_bound(e.target);
          while (at != blocks.begin() && e.target - std::prev(at)->first < std::prev(at)->second.bytes) --at;
          while (at != blocks.end() && (at->first < e.target || at->first - e.target < e.size)) at = blocks.erase(at);
          // Without a place in the code it is memory that became fresh, and nobody's block.
          if (e.location != kNoLocation) blocks[e.target] = {e.size, e.thread, e.location};
          break;
        }
        default:  // a freed block stays until its memory is handed out again
          break;
      }
    }
  }
}

// The bytes that the name of a variable of a recording means.
BytesFacts bytes_of(const Finding& finding) {
  const std::string_view name = finding.memory.name;
  const uint64_t begin = number_in(name, 2, 16);
  const size_t colon = name.find(':');
  return {.begin = begin, .end = begin + (colon == std::string_view::npos ? 1 : number_in(name, colon + 1, 10))};
}

// Where the threads of two accesses last met before the later one: the step of the earlier thread up to which the later
// one knew it, and the step by which it came to know.
struct Meetings {
  std::map<std::pair<uint64_t, uint64_t>, OrderEdge> of;  // the events of the earlier and the later access
  std::map<uint64_t, SyncEvent> steps;
};

// Of the first so many findings. Reads the trace twice more.
Meetings meetings_of(const Reopen& reopen, std::span<Findings* const> findings,
                     const std::map<uint64_t, EventFacts>& facts, size_t most) {
  std::vector<OrderQuestion> questions;
  for (const Findings* const found : findings)
    for (const Finding& finding : found->races) {
      const Side* const earlier = finding.earlier();
      const auto known = earlier == nullptr ? facts.end() : facts.find(earlier->event);
      if (known != facts.end() && questions.size() < most)
        questions.push_back({known->second.thread, earlier->event, finding.sides[0].event});
    }
  Meetings meetings;
  const std::unique_ptr<TraceReader> reader = reopen();
  if (reader == nullptr) return meetings;
  const std::vector<OrderAnswer> answers = orders_between(*reader, questions);
  for (size_t i = 0; i < answers.size(); ++i) {
    if (answers[i].ordered || answers[i].chain.empty()) continue;
    const OrderEdge met = {answers[i].chain.front().from, answers[i].chain.back().to};
    meetings.of[{questions[i].first, questions[i].second}] = met;
    meetings.steps[met.from];
    meetings.steps[met.to];
  }
  if (const std::unique_ptr<TraceReader> again = meetings.steps.empty() ? nullptr : reopen()) {
    auto next = meetings.steps.begin();
    for (Batch batch; next != meetings.steps.end() && again->next(batch);)
      for (; next != meetings.steps.end() && next->first < batch.first_event + batch.events.size(); ++next)
        next->second = {batch.events[next->first - batch.first_event], next->first};
  }
  return meetings;
}

class Completion {
 public:
  Completion(const RunInfo& run, const std::map<uint64_t, EventFacts>& facts, const std::vector<BytesFacts>& bytes,
             const std::map<uint64_t, LocationId>& locks_made, const Meetings& meetings, const Names& names)
      : run_(run),
        facts_(facts),
        bytes_(bytes),
        locks_made_(locks_made),
        meetings_(meetings),
        names_(names),
        modules_(run) {}

  void complete(Findings& findings) {
    store_ = findings.store.get();
    stacks_.clear();
    findings.process = static_cast<int>(run_.process);
    for (Finding& finding : findings.races) complete(finding);
  }

 private:
  void add_frames(uint32_t path, std::vector<StackFrame>& frames) {
    const RunInfo::PathNode& node = run_.paths[path];
    if (const std::string_view called = called_function(node.called); !called.empty())
      frames.push_back({.function = called, .ours = true});
    StackFrame place;
    place.offset = node.offset;
    place.pc = node.offset;
    std::vector<symbolize::Frame> known;
    if (node.module != 0) {
      const RunInfo::Module& recorded = run_.modules[node.module - 1];
      place.module = store_->text(recorded.path);
      place.pc = node.offset + recorded.bias;
      place.ours = recorded.is_run_time();
      // The byte before a return address is the call's.
      if (symbolize::Module* const opened = modules_.of(node.module - 1)) known = opened->code(node.offset - 1);
    }
    for (size_t i = 0; i < known.size(); ++i) {
      StackFrame frame = place;
      frame.function = store_->text(known[i].function);
      frame.file = store_->text(known[i].file);
      frame.line = known[i].line;
      frame.column = known[i].column;
      frame.inlined = i + 1 < known.size();
      frames.push_back(frame);
    }
    if (known.empty()) frames.push_back(place);
  }

  StackView stack(uint32_t path) {
    const auto [at, is_new] = stacks_.try_emplace(path);
    if (!is_new) return at->second;
    std::vector<StackFrame> frames;
    for (uint32_t node = path; node != 0 && node < run_.paths.size(); node = run_.paths[node].parent)
      add_frames(node, frames);
    while (frames.size() > 1 && frames.back().ours) frames.pop_back();  // threads begin in the run time
    return at->second = store_->copy<StackFrame>(frames);
  }
  StackView stack_of(std::string_view location) {
    const std::optional<uint32_t> path = RunInfo::path_in(location);
    return path && *path < run_.paths.size() ? stack(*path) : StackView{};
  }

  void complete(Finding& finding) {
    const BytesFacts named = bytes_of(finding);
    const uint64_t begin = named.begin, bytes = named.end - named.begin;
    finding.both_begin = named.begin;
    finding.both_end = named.end;
    std::vector<Side> sides(finding.sides.begin(), finding.sides.end());
    std::vector<uint32_t> threads;
    std::vector<FindingLock> locks;
    const EventFacts* latest = nullptr;
    for (Side& side : sides) {
      if (side.kind == AccessKind::kNone) continue;
      side.thread = thread_number(side.thread_name);
      if (const RunInfo::Thread* const known = run_.thread(side.thread)) side.thread_name = store_->text(known->name);
      threads.push_back(side.thread);
      side.stack = stack_of(side.location());
      side.address = begin;
      side.bytes = bytes;
      const auto facts = facts_.find(side.event);
      if (facts == facts_.end()) continue;
      if (latest == nullptr) latest = &facts->second;
      side.address = facts->second.address;
      side.bytes = facts->second.bytes;
      side.locks = store_->copy<SideLock>(facts->second.locks);
      for (const SideLock& lock : side.locks) add_lock(lock.address, locks);
    }
    if (sides.size() > 1 && sides[1].kind == AccessKind::kFree) finding.kind = FindingKind::kFreeRace;
    finding.sides = store_->copy<Side>(sides);
    explain(finding);
    if (finding.explanation != nullptr) add_locks_of(*finding.explanation, locks);
    finding.locks = store_->copy<FindingLock>(locks);
    find_places(finding, sides);
    describe_memory(finding, latest, threads);
    describe_threads(finding, threads);
  }

  void add_locks_of(const Explanation& why, std::vector<FindingLock>& locks) {
    for (const LockUse& use : why.lock_uses) add_lock(use.lock, locks);
    const auto add = [&](const SyncStep& step) {
      if (step.op == "acq" || step.op == "rel" || step.op == "racq" || step.op == "rrel") add_lock(step.address, locks);
    };
    for (const TimelineStep& shown : why.timeline) add(shown.step);
    add(why.met_from);
    add(why.met_to);
  }

  // As in live reports a lock is made where it is first taken, if nothing else is known.
  void add_lock(uint64_t address, std::vector<FindingLock>& locks) {
    if (std::any_of(locks.begin(), locks.end(), [&](const FindingLock& l) { return l.address == address; })) return;
    const auto made = locks_made_.find(address);
    locks.push_back({.address = address,
                     .created_at = made == locks_made_.end() ? StackView{} : stack_of(names_.location(made->second))});
  }

  // What moved is shown where it was at the later access, as a live report shows it.
  void find_places(Finding& finding, std::vector<Side>& sides) {
    if (run_.moves.empty()) return;
    const auto place = [this, event = sides[0].event](uint64_t& name) { name = run_.address_of(name, event); };
    std::vector<FindingLock> locks(finding.locks.begin(), finding.locks.end());
    for (Side& side : sides) {
      std::vector<SideLock> held(side.locks.begin(), side.locks.end());
      for (SideLock& lock : held) place(lock.address);
      side.locks = store_->copy<SideLock>(held);
      place(side.address);
    }
    for (FindingLock& lock : locks) place(lock.address);
    if (finding.explanation != nullptr) {
      Explanation why = *finding.explanation;
      std::vector<LockUse> uses(why.lock_uses.begin(), why.lock_uses.end());
      for (LockUse& use : uses) place(use.lock);
      why.lock_uses = store_->copy<LockUse>(uses);
      finding.explanation = store_->copy<Explanation>({&why, 1}).data();
    }
    const uint64_t bytes = finding.both_end - finding.both_begin;
    place(finding.both_begin);
    finding.both_end = finding.both_begin + bytes;
    finding.sides = store_->copy<Side>(sides);
    finding.locks = store_->copy<FindingLock>(locks);
  }

  SyncStep step(const SyncEvent& sync) {
    const Event& e = sync.event;
    SyncStep step;
    step.op = info(e.kind).notation;
    step.event = sync.number;
    step.stack = stack_of(names_.location(e.location));
    if (info(e.kind).operand == Operand::kLock) {
      step.object = store_->text(names_.locks[e.lock()]);
      step.address = number_in(step.object, 2, 16);
    } else if (info(e.kind).operand == Operand::kThread) {
      step.object = store_->text(names_.threads[e.other_thread()]);
    } else if (e.is_range) {
      step.object = store_->text(fmt::format("{:#x}", e.target));
      step.address = e.target;
    }
    return step;
  }

  // Why the two are not ordered, as far as what was noted of them says.
  void explain(Finding& finding) {
    const Side* const earlier = finding.earlier();
    if (earlier == nullptr) return;
    const Side* const sides[2] = {&finding.sides[0], earlier};
    Explanation why;
    std::vector<TimelineStep> timeline;
    for (unsigned i = 0; i < 2; ++i) {
      const auto facts = facts_.find(sides[i]->event);
      if (facts == facts_.end()) return;
      const auto add = [&](const SyncEvent& sync) { timeline.push_back({.side = i, .step = step(sync)}); };
      std::for_each(facts->second.before.begin(), facts->second.before.end(), add);
      std::for_each(facts->second.after.begin(), facts->second.after.end(), add);
      if (!facts->second.before.empty()) why.before[i] = step(facts->second.before.back());
      if (!facts->second.after.empty()) why.after[i] = step(facts->second.after.front());
      timeline.push_back({.side = i,
                          .is_access = true,
                          .step = {.op = op_name(sides[i]->kind), .event = sides[i]->event, .stack = sides[i]->stack}});
    }
    std::sort(timeline.begin(), timeline.end(),
              [](const TimelineStep& a, const TimelineStep& b) { return a.step.event < b.step.event; });
    join_releases(timeline);
    why.timeline = store_->copy<TimelineStep>(timeline);
    if (const auto met = meetings_.of.find({sides[1]->event, sides[0]->event}); met != meetings_.of.end()) {
      why.met_from = step(meetings_.steps.at(met->second.from));
      why.met_to = step(meetings_.steps.at(met->second.to));
    }
    add_lock_uses(finding, sides, why);
    finding.explanation = store_->copy<Explanation>({&why, 1}).data();
  }

  // A release of a lock, and the next time that the other thread takes it.
  static void join_releases(std::vector<TimelineStep>& timeline) {
    for (size_t i = 0; i < timeline.size(); ++i) {
      if (timeline[i].step.op != "rel" && timeline[i].step.op != "rrel") continue;
      for (size_t j = i + 1; j < timeline.size(); ++j) {
        const SyncStep& later = timeline[j].step;
        if (timeline[j].side == timeline[i].side || later.object != timeline[i].step.object) continue;
        if (later.op != "acq" && (timeline[i].step.op != "rel" || later.op != "racq")) continue;
        timeline[i].orders = static_cast<int>(j);
        break;
      }
    }
  }

  void add_lock_uses(const Finding& finding, const Side* const (&sides)[2], Explanation& why) {
    const auto found = std::find_if(bytes_.begin(), bytes_.end(), [&](const BytesFacts& b) {
      return b.begin == finding.both_begin && b.end == finding.both_end;
    });
    if (found == bytes_.end()) return;
    why.other_accesses = found->accesses < 2 ? 0 : found->accesses - 2;
    std::vector<LockUse> uses;
    for (const auto& [lock, accesses] : found->held) {
      LockUse use{.lock = lock, .accesses = accesses};
      for (unsigned i = 0; i < 2; ++i) {
        use.held[i] = std::any_of(sides[i]->locks.begin(), sides[i]->locks.end(),
                                  [held = lock](const SideLock& l) { return l.address == held; });
        if (use.held[i] && use.accesses > 0) --use.accesses;
      }
      if (use.accesses != 0) uses.push_back(use);
    }
    std::stable_sort(uses.begin(), uses.end(),
                     [](const LockUse& a, const LockUse& b) { return a.accesses > b.accesses; });
    why.lock_uses = store_->copy<LockUse>(uses);
  }

  void describe_memory(Finding& finding, const EventFacts* facts, std::vector<uint32_t>& threads) {
    const uint64_t address = finding.both_begin;
    Memory memory;
    if (facts != nullptr && facts->in_block) {
      memory.kind = Memory::kHeap;
      memory.begin = run_.address_of(facts->block, finding.sides[0].event);
      memory.bytes = facts->block_bytes;
      memory.thread = thread_number(facts->block_thread);
      memory.stack = stack_of(facts->block_location);
      threads.push_back(memory.thread);
    } else {
      if (const RunInfo::Module* const recorded = run_.module_at(address, finding.sides[0].event)) {
        symbolize::Module* const opened = modules_.of(static_cast<uint32_t>(recorded - run_.modules.data()));
        memory.module = store_->text(recorded->path);
        memory.offset = address - recorded->bias;
        if (const auto found = opened == nullptr ? std::nullopt : opened->data(memory.offset);
            found && !found->name.empty()) {
          memory.kind = Memory::kGlobal;
          memory.name = store_->text(found->name);
          memory.begin = found->start + recorded->bias;
          memory.bytes = found->size;
        }
      }
    }
    finding.memory = memory;
  }

  void describe_threads(Finding& finding, const std::vector<uint32_t>& numbers) {
    std::vector<FindingThread> threads;
    std::set<uint32_t> told;
    for (const uint32_t number : numbers) {
      if (number == 0 || !told.insert(number).second) continue;
      FindingThread thread{.number = number};
      if (const RunInfo::Thread* const known = run_.thread(number)) {
        thread.name = store_->text(known->name);
        thread.creation_known = known->created_by != 0;
        thread.parent = known->created_by == 0 ? 0 : known->created_by - 1;
        thread.created_at = stack(known->created_at);
      }
      threads.push_back(thread);
    }
    finding.threads = store_->copy<FindingThread>(threads);
  }

  const RunInfo& run_;
  const std::map<uint64_t, EventFacts>& facts_;
  const std::vector<BytesFacts>& bytes_;
  const std::map<uint64_t, LocationId>& locks_made_;
  const Meetings& meetings_;
  const Names& names_;
  FindingStore* store_ = nullptr;
  RecordedModules modules_;
  std::map<uint32_t, StackView> stacks_;
};

}  // namespace

namespace {

// By annotations of memory, and by suppressions that are built into it; both as they are in a live run.
void leave_out_what_program_hides(Findings& found, const RunInfo& run) {
  std::erase_if(found.races, [&run](const Finding& race) {
    return run.is_benign(race.both_begin, race.both_end, race.sides[0].event);
  });
  if (run.suppressions.empty()) return;
  Arena arena;
  Suppressions rules(arena);
  rules.parse(run.suppressions, [](void*, uint32_t, std::string_view, const char*) {}, nullptr);
  leave_out_suppressed(found, rules);
}

}  // namespace

void tell_in_full(std::span<Findings* const> findings, const RunInfo& run, const Reopen& reopen) {
  std::map<uint64_t, EventFacts> facts;
  for (const Findings* const found : findings)
    for (const Finding& finding : found->races)
      for (const Side& side : finding.sides)
        if (side.kind != AccessKind::kNone) facts[side.event];
  if (facts.empty()) return;
  // Few findings are explained by all accesses of their bytes: each access is compared with each of them.
  constexpr size_t kMostExplained = 32;
  std::vector<BytesFacts> bytes;
  for (const Findings* const found : findings)
    for (const Finding& finding : found->races) {
      const BytesFacts wanted = bytes_of(finding);
      const bool known = std::any_of(bytes.begin(), bytes.end(), [&](const BytesFacts& b) {
        return b.begin == wanted.begin && b.end == wanted.end;
      });
      if (!known && bytes.size() < kMostExplained) bytes.push_back(wanted);
    }
  const std::unique_ptr<TraceReader> again = reopen();
  const Names none;
  std::map<uint64_t, LocationId> locks_made;
  if (again != nullptr) find_facts(*again, facts, bytes, locks_made);
  const Meetings meetings = meetings_of(reopen, findings, facts, kMostExplained);
  Completion completion(run, facts, bytes, locks_made, meetings, again == nullptr ? none : again->names());
  for (Findings* const found : findings) {
    completion.complete(*found);
    leave_out_what_program_hides(*found, run);
  }
}

}  // namespace deadheat::cli
