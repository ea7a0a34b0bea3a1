#include "report/record_reader.h"

#include <xxhash.h>

#include <cstdio>
#include <cstring>
#include <iterator>
#include <unordered_map>

#include "report/finding_report.h"
#include "report/json_cursor.h"

namespace deadheat {

namespace {

constexpr std::string_view kHead = R"({"tool":"deadheat",)";

AccessKind op_of(std::string_view name) {
  for (unsigned i = 0; i < kAccessKinds; ++i)
    if (op_name(static_cast<AccessKind>(i)) == name) return static_cast<AccessKind>(i);
  return AccessKind::kNone;
}

Memory::Kind memory_of(std::string_view name) {
  for (unsigned i = 0; i <= Memory::kVariable; ++i)
    if (memory_name(static_cast<Memory::Kind>(i)) == name) return static_cast<Memory::Kind>(i);
  return Memory::kUnknown;
}

// Several kinds have one name; the title tells them apart.
bool kind_of(std::string_view name, std::string_view title, FindingKind& kind) {
  constexpr FindingKind kAll[] = {
#define DEADHEAT_KIND(kind, title, name, type) FindingKind::k##kind,
      DEADHEAT_FINDINGS(DEADHEAT_KIND)
#undef DEADHEAT_KIND
  };
  bool known = false;
  for (const FindingKind candidate : kAll) {
    if (finding_name(candidate) != name) continue;
    if (!known || title == finding_title(candidate)) kind = candidate;
    known = true;
  }
  return known;
}

struct RawKey {
  uint64_t low, high;
  bool operator==(const RawKey&) const = default;
};
struct RawKeyHash {
  size_t operator()(const RawKey& key) const { return key.low; }
};
RawKey raw_key(std::string_view text, uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(text.data(), text.size(), seed);
  return {hash.low64, hash.high64};
}

}  // namespace

class RecordReader::Parser {
 public:
  Parser(FindingStore& store, Resolve resolve) : store_(store), resolve_(std::move(resolve)) {}

  // 1 read, 0 damaged, -1 of another version
  int parse(std::string_view text, Handler& handler, unsigned& version) {
    JsonCursor json(text);
    clear();
    json.object([&](std::string_view key) { member(key, json); });
    if (json.failed() || !json.at_end() || bad_) return 0;
    if (version_ != kRecordVersion) {
      version = version_;
      return version_ == 0 ? 0 : -1;
    }
    if (run_.id.empty()) return 0;
    if (type_ == "run") {
      handler.run(run_);
    } else if (type_ == "end") {
      handler.end(run_.id, end_);
    } else {
      if (!complete()) return 0;
      handler.finding(finding_, run_.id, run_.process);
    }
    return 1;
  }

 private:
  struct RecordModule {
    std::string_view path, build_id;
    bool foreign = false;
  };

  void clear() {
    bad_ = false;
    version_ = 0;
    type_ = kind_ = title_ = {};
    run_ = {};
    end_ = {};
    finding_ = {};
    sides_.clear();
    further_.clear();
    locks_.clear();
    threads_.clear();
    modules_.clear();
    side_locks_.clear();
    modules_key_ = 0;
    has_explanation_ = false;
  }

  // A finding is made of its lists, which have stopped moving.
  bool complete() {
    if (!kind_of(kind_.empty() ? "data-race" : kind_, title_, finding_.kind)) return false;
    for (size_t i = 0; i < sides_.size(); ++i) {
      const auto [first, count] = side_locks_of_[i];
      sides_[i].locks = {side_locks_.data() + first, count};
    }
    finding_.sides = sides_;
    finding_.stacks = further_;
    finding_.locks = locks_;
    finding_.threads = threads_;
    if (finding_.cycle_length > locks_.size()) return false;
    if (type_ == "race" && sides_.empty()) return false;
    if (has_explanation_) {
      explanation_.lock_uses = uses_;
      explanation_.timeline = timeline_;
      for (const TimelineStep& step : timeline_)
        if (step.side > 1 || step.orders >= static_cast<int>(timeline_.size())) return false;
      finding_.explanation = &explanation_;
    }
    return true;
  }

  std::string_view kept(JsonCursor& json) { return store_.text(json.text_or_null()); }
  int small(JsonCursor& json) {
    const uint64_t number = json.number();
    if (number > INT32_MAX) bad_ = true;
    return bad_ ? 0 : static_cast<int>(number);
  }

  void member(std::string_view key, JsonCursor& json) {
    if (key == "record")
      version_ = static_cast<unsigned>(small(json));
    else if (key == "type")
      type_ = kept(json);
    else if (key == "run")
      run_.id = kept(json);
    else if (key == "pid")
      run_.process = small(json);
    else if (type_ == "run")
      run_member(key, json);
    else if (type_ == "end")
      end_member(key, json);
    else
      finding_member(key, json);
  }

  void run_member(std::string_view key, JsonCursor& json) {
    if (key == "version")
      run_.version = kept(json);
    else if (key == "started")
      run_.started = json.number();
    else if (key == "host")
      run_.host = kept(json);
    else if (key == "program")
      run_.program = kept(json);
    else if (key == "label")
      run_.label = kept(json);
    else if (key == "detector")
      run_.detector = kept(json);
    else if (key == "arguments") {
      std::string all;
      json.array([&] {
        all += json.text();
        all += '\0';
      });
      run_.arguments = store_.text(all);
    } else {
      json.skip();
    }
  }

  void end_member(std::string_view key, JsonCursor& json) {
    if (key == "reports")
      end_.reports = json.number();
    else if (key == "suppressed")
      end_.suppressed = json.number();
    else if (key == "repeated")
      end_.repeated = json.number();
    else
      json.skip();
  }

  void finding_member(std::string_view key, JsonCursor& json) {
    if (key == "kind")
      kind_ = kept(json);
    else if (key == "title")
      title_ = kept(json);
    else if (key == "modules")
      modules(json);
    else if (key == "external_type")
      finding_.external_type = kept(json);
    else if (key == "address")
      finding_.both_begin = json.number(), finding_.both_end += finding_.both_begin;
    else if (key == "size")
      finding_.both_end = finding_.both_begin + json.number();
    else if (key == "accesses")
      json.array([&] { side(json); });
    else if (key == "sleep")
      finding_.sleep = stack(json);
    else if (key == "stacks")
      json.array([&] { further(json); });
    else if (key == "locks")
      json.array([&] { lock(json); });
    else if (key == "cycle_length")
      finding_.cycle_length = static_cast<unsigned>(small(json));
    else if (key == "threads")
      json.array([&] { thread(json); });
    else if (key == "repeated")
      finding_.repeated = static_cast<unsigned>(small(json));
    else if (key == "races")
      finding_.races = json.number();
    else if (key == "variables")
      finding_.variables = json.number();
    else if (key == "rank")
      finding_.rank = static_cast<int>(json.signed_number());
    else if (key == "explanation")
      explanation(json);
    else if (key == "location")
      memory(json);
    else
      json.skip();
  }

  void modules(JsonCursor& json) {
    const std::string_view text = json.raw();
    modules_key_ = XXH3_64bits(text.data(), text.size());
    JsonCursor list(text);
    list.array([&] {
      RecordModule& module = modules_.emplace_back();
      list.object([&](std::string_view key) {
        if (key == "path")
          module.path = kept(list);
        else if (key == "build_id")
          module.build_id = kept(list);
        else if (key == "instrumented")
          module.foreign = !list.boolean();
        else
          list.skip();
      });
    });
    bad_ |= list.failed();
  }

  // The module by its number in the record, or by its path.
  void module_of(JsonCursor& json, std::string_view& path, std::string_view& build_id, bool* foreign) {
    if (json.is_text()) {
      path = kept(json);
      return;
    }
    const uint64_t number = json.number();
    if (number >= modules_.size()) {
      bad_ = true;
      return;
    }
    path = modules_[number].path;
    build_id = modules_[number].build_id;
    if (foreign != nullptr) *foreign = modules_[number].foreign;
  }

  StackView stack(JsonCursor& json) {
    const std::string_view text = json.raw();
    const RawKey key = raw_key(text, modules_key_);
    if (const auto known = stacks_.find(key); known != stacks_.end()) return known->second;
    frames_.clear();
    JsonCursor list(text);
    list.array([&] {
      StackFrame& frame = frames_.emplace_back();
      list.object([&](std::string_view name) { frame_member(name, list, frame); });
      frame.pc = frame.offset;
    });
    bad_ |= list.failed();
    if (bad_) return {};
    if (resolve_) resolve_(frames_, store_);
    return stacks_[key] = store_.copy<StackFrame>(frames_);
  }

  void frame_member(std::string_view key, JsonCursor& json, StackFrame& frame) {
    if (key == "offset")
      frame.offset = json.number();
    else if (key == "module")
      module_of(json, frame.module, frame.build_id, &frame.foreign);
    else if (key == "build_id")
      frame.build_id = kept(json);
    else if (key == "function")
      frame.function = kept(json);
    else if (key == "file")
      frame.file = kept(json);
    else if (key == "line")
      frame.line = small(json);
    else if (key == "column")
      frame.column = small(json);
    else if (key == "inlined")
      frame.inlined = json.boolean();
    else if (key == "ours")
      frame.ours = json.boolean();
    else
      json.skip();
  }

  void side(JsonCursor& json) {
    Side side;
    const size_t first = side_locks_.size();
    json.object([&](std::string_view key) {
      if (key == "op")
        side.kind = op_of(json.text());
      else if (key == "address")
        side.address = json.number();
      else if (key == "size")
        side.bytes = json.number();
      else if (key == "thread")
        side.thread = static_cast<uint32_t>(small(json));
      else if (key == "thread_name")
        side.thread_name = kept(json);
      else if (key == "event")
        side.event = json.number();
      else if (key == "stack")
        side.stack = stack(json);
      else if (key == "locks")
        json.array([&] { side_lock(json); });
      else
        json.skip();
    });
    std::reverse(side_locks_.begin() + static_cast<ptrdiff_t>(first), side_locks_.end());
    if (sides_.size() >= side_locks_of_.size()) side_locks_of_.resize(sides_.size() + 1);
    side_locks_of_[sides_.size()] = {first, side_locks_.size() - first};
    sides_.push_back(side);
  }

  void side_lock(JsonCursor& json) {
    SideLock& lock = side_locks_.emplace_back();
    json.object([&](std::string_view key) {
      if (key == "address")
        lock.address = json.number();
      else if (key == "mode")
        lock.for_reading = json.text() == "read";
      else
        json.skip();
    });
  }

  void further(JsonCursor& json) {
    FindingStack shown;
    json.object([&](std::string_view key) {
      if (key == "head") {
        const int head = small(json);
        if (head > FindingStack::kAcquiredBefore)
          bad_ = true;
        else
          shown.head = static_cast<FindingStack::Head>(head);
      } else if (key == "thread") {
        shown.thread = static_cast<uint32_t>(small(json));
      } else if (key == "thread_name") {
        shown.thread_name = kept(json);
      } else if (key == "signal") {
        shown.signal = small(json);
      } else if (key == "lock") {
        shown.lock = json.number();
      } else if (key == "held") {
        shown.held = json.number();
      } else if (key == "stack") {
        shown.stack = stack(json);
      } else {
        json.skip();
      }
    });
    further_.push_back(shown);
  }

  void lock(JsonCursor& json) {
    FindingLock lock;
    json.object([&](std::string_view key) {
      if (key == "address")
        lock.address = json.number();
      else if (key == "destroyed")
        lock.destroyed = json.boolean();
      else if (key == "created_at")
        lock.created_at = stack(json);
      else
        json.skip();
    });
    locks_.push_back(lock);
  }

  void thread(JsonCursor& json) {
    FindingThread thread;
    json.object([&](std::string_view key) {
      if (key == "number")
        thread.number = static_cast<uint32_t>(small(json));
      else if (key == "name")
        thread.name = kept(json);
      else if (key == "os_id")
        thread.os_id = small(json);
      else if (key == "running")
        thread.running = json.boolean();
      else if (key == "parent")
        thread.parent = static_cast<uint32_t>(small(json));
      else if (key == "created_at")
        thread.created_at = stack(json), thread.creation_known = true;
      else
        json.skip();
    });
    threads_.push_back(thread);
  }

  void step(JsonCursor& json, SyncStep& step) {
    json.object([&](std::string_view key) {
      if (key == "op")
        step.op = kept(json);
      else if (key == "object")
        step.object = kept(json);
      else if (key == "address")
        step.address = json.number();
      else if (key == "event")
        step.event = json.number();
      else if (key == "stack")
        step.stack = stack(json);
      else
        json.skip();
    });
  }

  void explanation(JsonCursor& json) {
    has_explanation_ = true;
    explanation_ = {};
    uses_.clear();
    timeline_.clear();
    json.object([&](std::string_view key) {
      if (key == "other_accesses")
        explanation_.other_accesses = json.number();
      else if (key == "before_0")
        step(json, explanation_.before[0]);
      else if (key == "before_1")
        step(json, explanation_.before[1]);
      else if (key == "after_0")
        step(json, explanation_.after[0]);
      else if (key == "after_1")
        step(json, explanation_.after[1]);
      else if (key == "met_from")
        step(json, explanation_.met_from);
      else if (key == "met_to")
        step(json, explanation_.met_to);
      else if (key == "forgotten")
        two_truths(json, explanation_.forgotten);
      else if (key == "lock_uses")
        json.array([&] { lock_use(json); });
      else if (key == "timeline")
        json.array([&] { timeline_step(json); });
      else
        json.skip();
    });
  }

  void two_truths(JsonCursor& json, bool (&of)[2]) {
    size_t which = 0;
    json.array([&] {
      const bool is_true = json.boolean();
      if (which < 2) of[which++] = is_true;
    });
  }

  void lock_use(JsonCursor& json) {
    LockUse& use = uses_.emplace_back();
    json.object([&](std::string_view key) {
      if (key == "address") {
        use.lock = json.number();
      } else if (key == "accesses") {
        use.accesses = json.number();
      } else if (key == "held") {
        two_truths(json, use.held);
      } else {
        json.skip();
      }
    });
  }

  void timeline_step(JsonCursor& json) {
    TimelineStep shown;
    json.object([&](std::string_view key) {
      if (key == "side")
        shown.side = static_cast<unsigned>(small(json));
      else if (key == "access")
        shown.is_access = json.boolean();
      else if (key == "orders")
        shown.orders = small(json);
      else if (key == "step")
        step(json, shown.step);
      else
        json.skip();
    });
    timeline_.push_back(shown);
  }

  void memory(JsonCursor& json) {
    Memory& memory = finding_.memory;
    json.object([&](std::string_view key) {
      if (key == "kind") {
        memory.kind = memory_of(json.text());
      } else if (key == "name" || key == "variable") {
        if (const std::string_view name = kept(json); !name.empty()) memory.name = name;
      } else if (key == "begin") {
        memory.begin = json.number();
      } else if (key == "size") {
        memory.bytes = json.number();
      } else if (key == "thread") {
        memory.thread = static_cast<uint32_t>(small(json));
      } else if (key == "stack") {
        memory.stack = stack(json);
      } else if (key == "module") {
        module_of(json, memory.module, memory.build_id, nullptr);
      } else if (key == "offset") {
        memory.offset = json.number();
      } else if (key == "descriptor") {
        memory.fd = small(json);
      } else if (key == "closed") {
        memory.fd_closed = json.boolean();
      } else if (key == "file") {
        memory.declared.file = kept(json);
      } else if (key == "line") {
        memory.declared.line = small(json);
      } else {
        json.skip();
      }
    });
  }

  FindingStore& store_;
  const Resolve resolve_;
  std::unordered_map<RawKey, StackView, RawKeyHash> stacks_;

  // Of the line that is being read.
  bool bad_ = false;
  unsigned version_ = 0;
  std::string_view type_, kind_, title_;
  RunFacts run_;
  RunEnd end_;
  Finding finding_;
  std::vector<Side> sides_;
  std::vector<SideLock> side_locks_;
  std::vector<std::pair<size_t, size_t>> side_locks_of_;  // first and count, for each side
  std::vector<FindingStack> further_;
  std::vector<FindingLock> locks_;
  std::vector<FindingThread> threads_;
  std::vector<RecordModule> modules_;
  std::vector<StackFrame> frames_;
  uint64_t modules_key_ = 0;
  bool has_explanation_ = false;
  Explanation explanation_;
  std::vector<LockUse> uses_;
  std::vector<TimelineStep> timeline_;
};

RecordReader::RecordReader(FindingStore& store, Resolve resolve)
    : parser_(std::make_unique<Parser>(store, std::move(resolve))) {}
RecordReader::~RecordReader() = default;

void RecordReader::line(std::string_view text, Handler& handler, RecordLosses& losses) {
  if (text.find_first_not_of(" \t\r") == std::string_view::npos) return;
  for (;;) {
    unsigned version = 0;
    const int result = parser_->parse(text, handler, version);
    if (result > 0) {
      ++losses.lines;
      return;
    }
    if (result < 0) {
      ++losses.other_version;
      if (losses.version == 0) losses.version = version;
      return;
    }
    const size_t next = text.find(kHead, 1);
    const bool begins_well = text.starts_with(kHead);
    ++(begins_well ? losses.cut : losses.damaged);
    if (next == std::string_view::npos) return;
    text.remove_prefix(next);
  }
}

bool read_records(std::FILE* file, RecordReader& reader, RecordReader::Handler& handler, RecordLosses& losses,
                  const std::function<void(uint64_t)>& progress) {
  // Longer lines are no records of ours: the longest that the run time writes have some hundred kilobytes.
  constexpr size_t kBlock = 1 << 20, kLongest = 64 << 20;
  std::string pending;  // the beginning of a line
  std::vector<char> block(kBlock);
  uint64_t total = 0;
  bool too_long = false;
  const auto take = [&](std::string_view text) {
    if (too_long)
      ++losses.damaged;
    else
      reader.line(text, handler, losses);
    too_long = false;
  };
  for (size_t length; (length = std::fread(block.data(), 1, block.size(), file)) > 0;) {
    total += length;
    std::string_view rest(block.data(), length);
    for (size_t end; (end = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(end + 1)) {
      if (pending.empty()) {
        take(rest.substr(0, end));
      } else {
        pending += rest.substr(0, end);
        take(pending);
        pending.clear();
      }
    }
    if (pending.size() + rest.size() > kLongest) {
      too_long = true;
      pending.clear();
      pending += ' ';
    } else {
      pending += rest;
    }
    if (progress) progress(total);
  }
  if (!pending.empty()) take(pending);
  return std::ferror(file) == 0;
}

}  // namespace deadheat
