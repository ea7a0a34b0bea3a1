#include "support/sample_report.h"

#include <fmt/format.h>

#include <array>

namespace deadheat::testing {

namespace {

// Builds findings whose texts and lists are in the store of a report.
class Maker {
 public:
  explicit Maker(ReportModel& model) : store_(*model.store) {}

  std::string_view text(std::string_view words) { return store_.text(words); }
  StackFrame frame(std::string_view function, std::string_view file, int line, int column = 0) {
    return {.function = text(function),
            .file = text(file),
            .module = text("/opt/shop/bin/shop"),
            .line = line,
            .column = column,
            .offset = 0x1200 + static_cast<uint64_t>(line)};
  }
  StackFrame library_frame(std::string_view function, std::string_view module, bool foreign = false) {
    return {.function = text(function), .module = text(module), .offset = 0xd44a3, .foreign = foreign};
  }
  StackFrame ours(std::string_view function) {
    return {.function = text(function), .module = text("/usr/lib/libdeadheat.so"), .offset = 0x382d7, .ours = true};
  }
  StackView stack(std::vector<StackFrame> frames) { return store_.copy<StackFrame>(frames); }
  template <class T>
  std::span<const T> list(std::vector<T> elements) {
    return store_.copy<T>(elements);
  }
  const Explanation* keep(const Explanation& why) { return &store_.copy<Explanation>({&why, 1})[0]; }

  // A stack as a thread pool has it.
  StackView worker(std::string_view function, std::string_view file, int line, int column = 3) {
    return stack({frame(function, file, line, column), frame("Worker::run_job(Job&)", "src/pool/worker.cpp", 88, 5),
                  frame("Worker::main()", "src/pool/worker.cpp", 41, 7),
                  frame("void std::__invoke_impl<void, void (Worker::*)(), Worker*>(std::__invoke_memfun_deref, void "
                        "(Worker::*&&)(), Worker*&&)",
                        "/usr/include/c++/12/bits/invoke.h", 74, 14),
                  frame("std::thread::_Invoker<std::tuple<void (Worker::*)(), Worker*> >::operator()()",
                        "/usr/include/c++/12/bits/std_thread.h", 258, 11),
                  library_frame("execute_native_thread_routine", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6")});
  }
  StackView created(int line) {
    return stack({ours("pthread_create"),
                  library_frame("std::thread::_M_start_thread", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"),
                  frame("Pool::start(unsigned int)", "src/pool/pool.cpp", line, 18),
                  frame("main", "src/main.cpp", 57, 3)});
  }
  std::vector<FindingThread> threads() {
    return {{.number = 0, .os_id = 4711, .running = true},
            {.number = 2,
             .name = text("worker-2"),
             .os_id = 4713,
             .running = true,
             .parent = 0,
             .creation_known = true,
             .created_at = created(23)},
            {.number = 5,
             .name = text("flusher"),
             .os_id = 4716,
             .running = false,
             .parent = 0,
             .creation_known = true,
             .created_at = created(31)}};
  }

  Finding race(StackView earlier, AccessKind first, StackView later, AccessKind second, uint64_t address) {
    Finding finding;
    finding.sides = list<Side>({{.kind = second, .thread = 5, .address = address, .bytes = 8, .stack = later},
                                {.kind = first, .thread = 2, .address = address, .bytes = 8, .stack = earlier}});
    finding.both_begin = address;
    finding.both_end = address + 8;
    finding.threads = list(threads());
    return finding;
  }

 private:
  FindingStore& store_;
};

Group group_of(const Finding& finding, size_t number, std::string title, std::string pair, int rank, uint64_t times) {
  Group group;
  group.fingerprint = fmt::format("{:016x}", 0x9e3779b97f4a7c15u * (number + 1));
  group.fingerprints = {group.fingerprint};
  group.kind = finding.kind;
  group.title = std::move(title);
  group.pair = std::move(pair);
  group.rank = rank;
  group.reasons = {{rank, "what the accesses are"}};
  group.examples.push_back({finding, 0, times});
  group.records = group.races = times;
  group.objects = group.variants = 1;
  group.runs[0] = times;
  return group;
}

ReportRun run_of(Maker& make, std::string_view label) {
  ReportRun run;
  run.facts.id = make.text("run-1");
  run.facts.process = 4711;
  run.facts.started = 1763456789;
  run.facts.host = make.text("builder-3");
  run.facts.program = make.text("/opt/shop/bin/shop");
  run.facts.arguments = make.text(std::string_view("shop\0--threads=8\0--soak\0", 24));
  run.facts.label = make.text(label);
  run.ended = true;
  run.records = 12;
  return run;
}

}  // namespace

ReportModel varied_report(const std::string& source) {
  ReportModel model;
  Maker make(model);
  model.runs = {run_of(make, "commit 4f2a9c1")};
  model.runs.push_back(run_of(make, "commit 77ab012"));
  model.runs[1].ended = false;
  model.command = "deadheat report --format html --output report.html shop.records";
  model.notes = {"shop.records: the last record is cut off and was left out."};

  {  // A lock that all others hold; with a timeline.
    Finding finding = make.race(
        make.worker("Cache::put(std::string const&, Entry)", source, 15, 5), AccessKind::kWrite,
        make.stack({make.frame("Cache::flush()", source, 17, 3),
                    make.frame("Flusher::main()", "src/flusher.cpp", 29, 9),
                    make.library_frame("execute_native_thread_routine", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6")}),
        AccessKind::kWrite, 0x7b0400002010);
    finding.memory = {.kind = Memory::kHeap,
                      .begin = 0x7b0400002000,
                      .bytes = 64,
                      .thread = 0,
                      .stack = make.stack({make.ours("operator new(unsigned long)"),
                                           make.frame("Cache::Cache(unsigned long)", "src/cache.cpp", 9, 12),
                                           make.frame("main", "src/main.cpp", 44, 9)})};
    finding.locks = make.list<FindingLock>(
        {{.address = 0x7b0400002040,
          .created_at = make.stack({make.ours("pthread_mutex_lock"),
                                    make.frame("Cache::put(std::string const&, Entry)", "src/cache.cpp", 31, 36)})}});
    std::vector<Side> sides(finding.sides.begin(), finding.sides.end());
    sides[1].locks = make.list<SideLock>({{.address = 0x7b0400002040}});
    finding.sides = make.list(sides);
    Explanation why;
    const StackView locked = make.worker("Cache::put(std::string const&, Entry)", source, 14),
                    polled = make.stack({make.frame("Flusher::wait()", "src/flusher.cpp", 18, 5)});
    why.before[1] = {.op = "lock", .object = "M0", .event = 120, .stack = locked};
    why.after[1] = {.op = "unlock", .object = "M0", .event = 131, .stack = locked};
    why.before[0] = {.op = "wait", .object = "flush_wanted", .event = 118, .stack = polled};
    why.met_from = {.op = "notify", .object = "flush_wanted", .event = 110, .stack = locked};
    why.met_to = why.before[0];
    why.other_accesses = 4213;
    why.lock_uses = make.list<LockUse>({{.lock = 0x7b0400002040, .accesses = 4212, .held = {false, true}}});
    why.timeline = make.list<TimelineStep>(
        {{.side = 1, .step = why.met_from, .orders = 1},
         {.side = 0, .step = why.before[0]},
         {.side = 1, .step = why.before[1]},
         {.side = 1, .is_access = true, .step = {.op = "write", .event = 125, .stack = finding.sides[1].stack}},
         {.side = 0, .is_access = true, .step = {.op = "write", .event = 128, .stack = finding.sides[0].stack}},
         {.side = 1, .step = why.after[1]}});
    finding.explanation = make.keep(why);
    Group group =
        group_of(finding, 0, "write-write race on a heap block that Cache::Cache allocated", "write-write", 90, 1842);
    group.objects = 1200;
    group.variants = 3;
    group.reasons = {{60, "two writes: data may be destroyed"}, {20, "several different stacks"}, {10, "in both runs"}};
    group.runs = {{0, 1800}, {1, 42}};
    group.examples.push_back(group.examples.front());
    group.examples[1].records = 40;
    group.places = {{"cache.cpp:15 / cache.cpp:17", 1802}, {"cache.cpp:15 / cache.cpp:21", 40}};
    group.suppressions = {"race_pair:Cache::put,Cache::flush", "race:Cache::flush"};
    model.groups.push_back(group);
  }
  {  // A use after free.
    Finding finding = make.race(
        make.stack({make.ours("operator delete(void*)"),
                    make.frame("deallocate", "/usr/include/c++/12/bits/new_allocator.h", 158, 2),
                    make.frame("destroy", "/usr/include/c++/12/bits/alloc_traits.h", 496, 13),
                    make.frame("~vector", "/usr/include/c++/12/bits/stl_vector.h", 387, 4),
                    make.frame("clear", "/usr/include/c++/12/bits/stl_vector.h", 513, 7),
                    make.frame("Session::close()", "src/session.cpp", 71, 3)}),
        AccessKind::kFree, make.worker("Session::touch()", "src/session.cpp", 40), AccessKind::kRead, 0x7b0800000100);
    finding.kind = FindingKind::kFreeRace;
    finding.memory = {.kind = Memory::kHeap,
                      .begin = 0x7b0800000100,
                      .bytes = 8,
                      .thread = 2,
                      .stack = make.worker("Session::open()", "src/session.cpp", 12)};
    model.groups.push_back(group_of(
        finding, 1, "race of a free and a read of a heap block that Session::open allocated", "free-read", 80, 3));
  }
  {  // A counter, without locks.
    Finding finding = make.race(make.worker("Stats::count()", source, 17), AccessKind::kWrite,
                                make.worker("Stats::print() const", source, 26), AccessKind::kRead, 0x55d0c0de10f8);
    finding.memory = {.kind = Memory::kGlobal,
                      .name = make.text("log_entries"),
                      .begin = 0x55d0c0de10f8,
                      .bytes = 8,
                      .module = make.text("/opt/shop/bin/shop"),
                      .offset = 0x40f8};
    model.groups.push_back(group_of(finding, 2, "write-read race on 'log_entries'", "write-read", 40, 12));
  }
  {  // Through a library that is not instrumented.
    Finding finding = make.race(
        make.stack({make.ours("memcpy"), make.library_frame("inflate", "/usr/lib/x86_64-linux-gnu/libz.so.1", true),
                    make.frame("Archive::read()", "src/archive.cpp", 66, 9)}),
        AccessKind::kWrite, make.worker("Archive::size() const", "src/archive.cpp", 20), AccessKind::kRead,
        0x7ffd00001200);
    finding.memory = {.kind = Memory::kStack,
                      .name = make.text("header.length"),
                      .begin = 0x7ffd00001200,
                      .bytes = 8,
                      .thread = 0,
                      .stack = make.stack({make.frame("main", "src/main.cpp", 57, 3)}),
                      .declared = make.frame("", "src/main.cpp", 50)};
    finding.sleep = make.stack({make.ours("usleep"), make.frame("Archive::poll()", "src/archive.cpp", 80, 5)});
    Group group = group_of(finding, 3, "write-read race on 'header.length'", "write-read", 5, 1);
    group.foreign_module = "libz.so.1";
    group.suppressions = {"race:libz.so.1"};
    model.groups.push_back(group);
  }
  {  // A cycle of locks.
    Finding finding;
    finding.kind = FindingKind::kLockOrder;
    finding.locks = make.list<FindingLock>({{.address = 0x7b0400002040}, {.address = 0x7b0400002080}});
    finding.cycle_length = 2;
    finding.stacks = make.list<FindingStack>({{.head = FindingStack::kAcquiredWhileHolding,
                                               .lock = 0x7b0400002080,
                                               .held = 0x7b0400002040,
                                               .thread = 2,
                                               .stack = make.worker("Bank::move()", source, 14)},
                                              {.head = FindingStack::kAcquiredWhileHolding,
                                               .lock = 0x7b0400002040,
                                               .held = 0x7b0400002080,
                                               .thread = 5,
                                               .stack = make.worker("Bank::audit()", source, 23)}});
    finding.threads = make.list(make.threads());
    model.groups.push_back(
        group_of(finding, 4, "lock-order inversion of two mutexes in Bank::move and Bank::audit", "", 30, 1));
  }
  {  // A thread that nobody joined.
    Finding finding;
    finding.kind = FindingKind::kThreadLeak;
    finding.repeated = 4;
    finding.threads = make.list(make.threads());
    finding.stacks = make.list<FindingStack>({{.stack = make.created(23)}});
    model.groups.push_back(group_of(finding, 5, "thread leak: Pool::start", "", 10, 4));
  }
  {  // Of a trace: names only.
    Finding finding;
    finding.memory = {.kind = Memory::kVariable, .name = make.text("log_entries")};
    finding.sides = make.list<Side>({{.kind = AccessKind::kRead,
                                      .thread_name = make.text("bob"),
                                      .event = 16,
                                      .stack = make.stack({{.file = make.text(source + ":17")}})},
                                     {.kind = AccessKind::kWrite,
                                      .thread_name = make.text("alice"),
                                      .event = 9,
                                      .stack = make.stack({{.file = make.text(source + ":17")}})}});
    model.groups.push_back(group_of(finding, 6, "write-read race on log_entries", "write-read", 40, 1));
  }
  for (const Group& group : model.groups) model.records += group.records;
  return model;
}

ReportModel large_report(size_t groups, const std::string& source) {
  ReportModel model;
  Maker make(model);
  model.runs = {run_of(make, "nightly")};
  constexpr std::array kFiles = {"src/cache.cpp", "src/session.cpp", "src/index/btree.cpp", "src/net/poll.cpp",
                                 "src/log.cpp"};
  for (size_t i = 0; i < groups; ++i) {
    const bool writes = i % 3 == 0;
    const std::string file = i % 7 == 0 ? source : kFiles[i % kFiles.size()];
    const std::string function =
        fmt::format("module_{}::Table<std::pair<int, std::string> >::insert_{}(Key const&, unsigned long)", i % 40, i);
    const int line = static_cast<int>(i % 25) + 1;
    Finding finding =
        make.race(make.worker(function, file, line), AccessKind::kWrite,
                  make.worker(fmt::format("module_{}::lookup_{}(Key const&) const", i % 40, i), file, line),
                  writes ? AccessKind::kWrite : AccessKind::kRead, 0x7b0400000000 + 64 * i);
    finding.memory = {.kind = Memory::kHeap,
                      .begin = 0x7b0400000000 + 64 * i,
                      .bytes = 64,
                      .stack = make.worker(fmt::format("Table::grow_{}()", i), file, 5)};
    Group group = group_of(
        finding, i,
        fmt::format("{} race on a heap block that Table::grow_{} allocated", writes ? "write-write" : "write-read", i),
        writes ? "write-write" : "write-read", static_cast<int>(i * 37 % 100), i * 7919 % 5000 + 1);
    while (group.examples.size() < 3) group.examples.push_back(group.examples.front());
    group.suppressions = {fmt::format("race:insert_{}", i)};
    model.records += group.records;
    model.groups.push_back(std::move(group));
  }
  return model;
}

ReportModel report_of(std::string_view text, const std::string& source) {
  ReportModel model;
  Maker make(model);
  ReportRun run = run_of(make, text);
  run.facts.host = run.facts.program = run.facts.arguments = run.facts.detector = run.facts.version = make.text(text);
  model.runs = {run};
  const StackView stack = make.stack(
      {{.function = make.text(text), .file = make.text(text), .module = make.text(text), .line = 7, .column = 2},
       {.function = make.text(text), .file = make.text(source), .module = make.text(text), .line = 1, .column = 3}});
  const StackView at_source = make.stack(
      {{.function = make.text(text), .file = make.text(source), .module = make.text(text), .line = 1, .column = 3}});
  Finding finding = make.race(stack, AccessKind::kWrite, at_source, AccessKind::kWrite, 0x1000);
  finding.memory = {
      .kind = Memory::kGlobal, .name = make.text(text), .begin = 0x1000, .bytes = 8, .module = make.text(text)};
  finding.threads = make.list<FindingThread>(
      {{.number = 2, .name = make.text(text), .parent = 5, .creation_known = true, .created_at = stack},
       {.number = 5, .name = make.text(text)}});
  finding.sleep = stack;
  Explanation why;
  why.before[0] = why.before[1] = why.after[0] = why.after[1] = why.met_from =
      why.met_to = {.op = make.text(text), .object = make.text(text), .event = 3, .stack = stack};
  why.timeline =
      make.list<TimelineStep>({{.side = 1, .step = why.before[1], .orders = 1},
                               {.side = 0, .step = why.before[0]},
                               {.side = 1, .is_access = true, .step = {.op = "write", .event = 4, .stack = stack}},
                               {.side = 0, .is_access = true, .step = {.op = "write", .event = 5, .stack = stack}}});
  finding.explanation = make.keep(why);
  Group group = group_of(finding, 0, std::string(text), "write-write", 1, 1);
  group.reasons = {{1, std::string(text)}};
  group.places = {{std::string(text), 1}, {std::string(text), 2}};
  group.foreign_module = text;
  group.suppressions = {std::string(text)};
  model.groups.push_back(group);

  Finding traced;
  traced.memory = {.kind = Memory::kVariable, .name = make.text(text)};
  traced.sides = make.list<Side>({{.kind = AccessKind::kRead,
                                   .thread_name = make.text(text),
                                   .event = 2,
                                   .stack = make.stack({{.file = make.text(text)}})},
                                  {.kind = AccessKind::kWrite,
                                   .thread_name = make.text(text),
                                   .event = 1,
                                   .stack = make.stack({{.file = make.text(text)}})}});
  model.groups.push_back(group_of(traced, 1, std::string(text), "write-read", 1, 1));
  model.notes = {std::string(text)};
  model.unused_suppressions = {std::string(text)};
  model.gone = {group};
  model.command = text;
  model.records = 2;
  return model;
}

std::vector<std::string> hostile_texts() {
  return {
      "</script><script>window.injected=1</script>",
      "<img src=x onerror=window.injected=1>",
      "\"><svg onload=window.injected=1>",
      "' onmouseover='window.injected=1",
      "<!-- <script> -->]]>",
      "javascript:window.injected=1",
      "&lt;b&gt; &amp; \\u003c \\\" \\",
      std::string("control \x01\x02\x1b[31m\x7f and zero \0 end", 37),
      "lines\none\r\ntwo\ttab \xe2\x80\xa8 \xe2\x80\xa9",
      "invalid \xff\xfe \xc3\x28 \xe2\x82 \xed\xa0\x80 \xf4\x90\x80\x80 end\xf0\x9f",
      "turned \xe2\x80\xae txet \xe2\x81\xa6 here",
      "\xc3\xa9t\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x8f\x81",
      std::string(100'000, 'x'),
      std::string(3'000, '<') + "/script>",
      "__proto__",
      "constructor",
  };
}

}  // namespace deadheat::testing
