#include "cli/recorded_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <vector>

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

// What the trace says about one event.
struct EventFacts {
  uint64_t address = 0, bytes = 0;
  std::vector<SideLock> locks;
  bool in_block = false;
  uint64_t block = 0, block_bytes = 0;
  std::string block_thread, block_location;
};

// Reads the trace once more and notes the facts of the events asked for.
void find_facts(TraceReader& reader, std::map<uint64_t, EventFacts>& wanted) {
  struct Block {
    uint64_t bytes;
    ThreadId thread;
    LocationId location;
  };
  std::map<uint64_t, Block> blocks;
  std::map<ThreadId, std::vector<SideLock>> held;
  auto next = wanted.begin();
  const auto lock_of = [&reader](const Event& e) { return number_in(reader.names().locks[e.lock()], 2, 16); };
  for (Batch batch; next != wanted.end() && reader.next(batch);) {
    for (size_t i = 0; i < batch.events.size() && next != wanted.end(); ++i) {
      const Event& e = batch.events[i];
      const uint64_t number = batch.first_event + i;
      if (number == next->first) {
        EventFacts& facts = next->second;
        facts.address = e.target;
        facts.bytes = e.size;
        facts.locks = held[e.thread];
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

class Completion {
 public:
  Completion(const RunInfo& run, const std::map<uint64_t, EventFacts>& facts) : run_(run), facts_(facts) {}

  void complete(Findings& findings) {
    store_ = findings.store.get();
    stacks_.clear();
    findings.process = static_cast<int>(run_.process);
    for (Finding& finding : findings.races) complete(finding);
  }

 private:
  symbolize::Module* module(uint32_t number) {
    const auto [at, is_new] = modules_.try_emplace(number);
    if (is_new) {
      auto opened = std::make_unique<symbolize::Module>(run_.modules[number].path);
      if (opened->build_id() == run_.modules[number].build_id) at->second = std::move(opened);
    }
    return at->second.get();
  }

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
      if (symbolize::Module* const opened = module(node.module - 1)) known = opened->code(node.offset - 1);
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
    const uint64_t begin = number_in(finding.memory.name, 2, 16);
    const size_t colon = finding.memory.name.find(':');
    const uint64_t bytes = colon == std::string_view::npos ? 1 : number_in(finding.memory.name, colon + 1, 10);
    finding.both_begin = begin;
    finding.both_end = begin + bytes;
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
      for (const SideLock& lock : side.locks)
        if (std::none_of(locks.begin(), locks.end(), [&](const FindingLock& l) { return l.address == lock.address; }))
          locks.push_back({.address = lock.address});
    }
    if (sides.size() > 1 && sides[1].kind == AccessKind::kFree) finding.kind = FindingKind::kFreeRace;
    finding.sides = store_->copy<Side>(sides);
    finding.locks = store_->copy<FindingLock>(locks);
    describe_memory(finding, latest, threads);
    describe_threads(finding, threads);
  }

  void describe_memory(Finding& finding, const EventFacts* facts, std::vector<uint32_t>& threads) {
    const uint64_t address = finding.both_begin;
    Memory memory;
    if (facts != nullptr && facts->in_block) {
      memory.kind = Memory::kHeap;
      memory.begin = facts->block;
      memory.bytes = facts->block_bytes;
      memory.thread = thread_number(facts->block_thread);
      memory.stack = stack_of(facts->block_location);
      threads.push_back(memory.thread);
    } else {
      for (size_t i = run_.modules.size(); i-- > 0;) {
        const RunInfo::Module& recorded = run_.modules[i];
        if (address - recorded.begin >= recorded.bytes) continue;
        symbolize::Module* const opened = module(static_cast<uint32_t>(i));
        memory.module = store_->text(recorded.path);
        memory.offset = address - recorded.bias;
        if (const auto found = opened == nullptr ? std::nullopt : opened->data(memory.offset);
            found && !found->name.empty()) {
          memory.kind = Memory::kGlobal;
          memory.name = store_->text(found->name);
          memory.begin = found->start + recorded.bias;
          memory.bytes = found->size;
        }
        break;
      }
    }
    finding.memory = memory;
  }

  void describe_threads(Finding& finding, std::vector<uint32_t> numbers) {
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
  FindingStore* store_ = nullptr;
  std::map<uint32_t, std::unique_ptr<symbolize::Module>> modules_;
  std::map<uint32_t, StackView> stacks_;
};

}  // namespace

void tell_in_full(std::span<Findings* const> findings, const RunInfo& run, const Reopen& reopen) {
  std::map<uint64_t, EventFacts> facts;
  for (const Findings* const found : findings)
    for (const Finding& finding : found->races)
      for (const Side& side : finding.sides)
        if (side.kind != AccessKind::kNone) facts[side.event];
  if (facts.empty()) return;
  if (const std::unique_ptr<TraceReader> again = reopen()) find_facts(*again, facts);
  Completion completion(run, facts);
  for (Findings* const found : findings) completion.complete(*found);
}

}  // namespace deadheat::cli
