#include "base/text.h"
#include "report/finding_report.h"
#include "report/json_list.h"
#include "report/record_format.h"

namespace deadheat {

namespace {

void put_head(std::string_view type, std::string_view run, Sink& out) {
  out.put(R"({"tool":"deadheat","record":)", kRecordVersion, R"(,"type":")", type, R"(","run":)");
  write_json_text(run, out);
}

void put_text(std::string_view key, std::string_view text, Sink& out) {
  if (text.empty()) return;
  out.put(R"(,")", key, R"(":)");
  write_json_text(text, out);
}

// The modules of a finding's frames. One that finds no more room is written out in its frames.
class ModuleList {
 public:
  struct Entry {
    std::string_view path, build_id;
    bool foreign;
  };

  int number_of(std::string_view path) const {
    for (unsigned i = 0; i < count_; ++i)
      if (is_same(entries_[i].path, path)) return static_cast<int>(i);
    return -1;
  }
  void add(StackView stack) {
    for (const StackFrame& frame : stack) add(frame.module, frame.build_id, frame.foreign);
  }
  void add(std::string_view path, std::string_view build_id, bool foreign) {
    if (!path.empty() && count_ < kMost && number_of(path) < 0) entries_[count_++] = {path, build_id, foreign};
  }
  std::span<const Entry> entries() const { return {entries_, count_}; }

 private:
  static constexpr unsigned kMost = 64;
  // Most often it is the very same text.
  static bool is_same(std::string_view a, std::string_view b) {
    return (a.data() == b.data() && a.size() == b.size()) || same_text(a, b);
  }
  Entry entries_[kMost];
  unsigned count_ = 0;
};

class FindingRecord {
 public:
  FindingRecord(const Finding& finding, Sink& out) : finding_(finding), out_(out) { collect_modules(); }

  void write(std::string_view run, int process) {
    put_head(finding_.is_race() ? "race" : finding_name(finding_.kind), run, out_);
    out_.put(',');
    write_members(process);
    out_.put("}\n");
  }

  void write_members(int process) {
    out_.put(R"("kind":")", finding_name(finding_.kind), R"(","title":)");
    write_json_text(finding_title(finding_.kind), out_);
    out_.put(R"(,"pid":)", process, R"(,"modules":)");
    put_list(modules_.entries(), out_, [this](const ModuleList::Entry& module) {
      out_.put(R"({"path":)");
      write_json_text(module.path, out_);
      put_text("build_id", module.build_id, out_);
      out_.put(module.foreign ? R"(,"instrumented":false})" : "}");
    });
    put_text("external_type", finding_.external_type, out_);
    if (finding_.is_race()) {
      out_.put(R"(,"address":)", finding_.both_begin, R"(,"size":)", finding_.both_end - finding_.both_begin,
               R"(,"accesses":)");
      put_list(finding_.sides, out_, [this](const Side& side) { put_side(side); });
      put_stack("sleep", finding_.sleep);
    } else {
      out_.put(R"(,"stacks":)");
      put_list(finding_.stacks, out_, [this](const FindingStack& shown) { put_further(shown); });
    }
    put_locks();
    put_threads();
    put_number("repeated", finding_.repeated, 0);
    put_number("races", finding_.races, 1);
    put_number("variables", finding_.variables, 1);
    if (finding_.rank != 0) out_.put(R"(,"rank":)", finding_.rank);
    if (finding_.explanation != nullptr) put_explanation(*finding_.explanation);
    put_memory(finding_.memory);
  }

 private:
  void collect_modules() {
    for (const Side& side : finding_.sides) modules_.add(side.stack);
    for (const FindingStack& shown : finding_.stacks) modules_.add(shown.stack);
    modules_.add(finding_.sleep);
    modules_.add(finding_.memory.stack);
    if (!finding_.memory.module.empty()) modules_.add(finding_.memory.module, finding_.memory.build_id, false);
    for (const FindingLock& lock : finding_.locks) modules_.add(lock.created_at);
    for (const FindingThread& thread : finding_.threads) modules_.add(thread.created_at);
    if (finding_.explanation == nullptr) return;
    for (unsigned i = 0; i < 2; ++i) {
      modules_.add(finding_.explanation->before[i].stack);
      modules_.add(finding_.explanation->after[i].stack);
    }
    modules_.add(finding_.explanation->met_from.stack);
    modules_.add(finding_.explanation->met_to.stack);
    for (const TimelineStep& shown : finding_.explanation->timeline) modules_.add(shown.step.stack);
  }

  void put_number(std::string_view key, uint64_t number, uint64_t usual) {
    if (number != usual) out_.put(R"(,")", key, R"(":)", number);
  }

  void put_module(std::string_view path, std::string_view build_id) {
    if (path.empty()) return;
    if (const int number = modules_.number_of(path); number >= 0) {
      out_.put(R"(,"module":)", number);
    } else {
      put_text("module", path, out_);
      put_text("build_id", build_id, out_);
    }
  }

  void put_frames(StackView stack) {
    put_list(stack, out_, [this](const StackFrame& f) {
      out_.put(R"({"offset":)", f.offset);
      put_module(f.module, f.build_id);
      put_text("function", f.function, out_);
      put_text("file", f.file, out_);
      put_number("line", static_cast<uint64_t>(f.line), 0);
      put_number("column", static_cast<uint64_t>(f.column), 0);
      if (f.inlined) out_.put(R"(,"inlined":true)");
      if (f.ours) out_.put(R"(,"ours":true)");
      out_.put('}');
    });
  }
  void put_stack(std::string_view key, StackView stack) {
    if (stack.empty()) return;
    out_.put(R"(,")", key, R"(":)");
    put_frames(stack);
  }

  void put_side(const Side& side) {
    out_.put(R"({"op":")", op_name(side.kind), R"(","address":)", side.address, R"(,"size":)", side.bytes,
             R"(,"thread":)", side.thread);
    put_text("thread_name", side.thread_name, out_);
    put_number("event", side.event, 0);
    out_.put(R"(,"stack":)");
    put_frames(side.stack);
    out_.put(R"(,"locks":[)");
    for (size_t i = side.locks.size(); i-- > 0;)  // the one that was taken last first
      out_.put(R"({"address":)", side.locks[i].address, R"(,"mode":")", side.locks[i].for_reading ? "read" : "write",
               i == 0 ? "\"}" : "\"},");
    out_.put("]}");
  }

  void put_further(const FindingStack& shown) {
    out_.put(R"({"head":)", static_cast<unsigned>(shown.head), R"(,"thread":)", shown.thread);
    put_text("thread_name", shown.thread_name, out_);
    put_number("signal", static_cast<uint64_t>(shown.signal), 0);
    put_number("lock", shown.lock, 0);
    put_number("held", shown.held, 0);
    put_stack("stack", shown.stack);
    out_.put('}');
  }

  void put_locks() {
    out_.put(R"(,"locks":)");
    put_list(finding_.locks, out_, [this](const FindingLock& lock) {
      out_.put(R"({"address":)", lock.address);
      if (lock.destroyed) out_.put(R"(,"destroyed":true)");
      put_stack("created_at", lock.created_at);
      out_.put('}');
    });
    put_number("cycle_length", finding_.cycle_length, 0);
  }

  void put_threads() {
    out_.put(R"(,"threads":)");
    put_list(finding_.threads, out_, [this](const FindingThread& thread) {
      out_.put(R"({"number":)", thread.number);
      put_text("name", thread.name, out_);
      put_number("os_id", static_cast<uint64_t>(thread.os_id), 0);
      if (thread.running) out_.put(R"(,"running":true)");
      if (thread.creation_known) {
        out_.put(R"(,"parent":)", thread.parent, R"(,"created_at":)");
        put_frames(thread.created_at);
      }
      out_.put('}');
    });
  }

  void put_step(const SyncStep& step) {
    out_.put(R"({"op":)");
    write_json_text(step.op, out_);
    put_text("object", step.object, out_);
    put_number("address", step.address, 0);
    put_number("event", step.event, 0);
    put_stack("stack", step.stack);
    out_.put('}');
  }
  void put_step(std::string_view key, const SyncStep& step) {
    if (step.op.empty()) return;
    out_.put(R"(,")", key, R"(":)");
    put_step(step);
  }

  void put_explanation(const Explanation& why) {
    out_.put(R"(,"explanation":{"other_accesses":)", why.other_accesses, R"(,"lock_uses":)");
    put_list(why.lock_uses, out_, [this](const LockUse& use) {
      out_.put(R"({"address":)", use.lock, R"(,"accesses":)", use.accesses, R"(,"held":[)",
               use.held[0] ? "true" : "false", ",", use.held[1] ? "true" : "false", "]}");
    });
    constexpr std::string_view kBefore[] = {"before_0", "before_1"}, kAfter[] = {"after_0", "after_1"};
    for (unsigned i = 0; i < 2; ++i) {
      put_step(kBefore[i], why.before[i]);
      put_step(kAfter[i], why.after[i]);
    }
    if (why.forgotten[0] || why.forgotten[1])
      out_.put(R"(,"forgotten":[)", why.forgotten[0] ? "true" : "false", ",", why.forgotten[1] ? "true" : "false", "]");
    put_step("met_from", why.met_from);
    put_step("met_to", why.met_to);
    out_.put(R"(,"timeline":)");
    put_list(why.timeline, out_, [this](const TimelineStep& shown) {
      out_.put(R"({"side":)", shown.side, R"(,"access":)", shown.is_access ? "true" : "false");
      if (shown.orders >= 0) out_.put(R"(,"orders":)", shown.orders);
      put_step("step", shown.step);
      out_.put('}');
    });
    out_.put('}');
  }

  void put_memory(const Memory& m) {
    write_location_begin(m, out_);
    put_frames(m.stack);
    put_module(m.module, m.build_id);
    put_number("offset", m.offset, 0);
    if (m.kind == Memory::kDescriptor)
      out_.put(R"(,"descriptor":)", m.fd, R"(,"closed":)", m.fd_closed ? "true" : "false");
    write_location_end(m, out_);
  }

  const Finding& finding_;
  Sink& out_;
  ModuleList modules_;
};

}  // namespace

void write_run_record(const RunFacts& run, Sink& out) {
  put_head("run", run.id, out);
  put_text("version", run.version, out);
  out.put(R"(,"pid":)", run.process, R"(,"started":)", run.started);
  put_text("host", run.host, out);
  put_text("program", run.program, out);
  out.put(R"(,"arguments":[)");
  std::string_view before;
  for (size_t begin = 0; begin < run.arguments.size();) {
    size_t end = begin;
    while (end < run.arguments.size() && run.arguments[end] != 0) ++end;
    out.put(before);
    write_json_text(slice(run.arguments, begin, end), out);
    before = ",";
    begin = end + 1;
  }
  out.put(']');
  put_text("label", run.label, out);
  put_text("detector", run.detector, out);
  out.put("}\n");
}

void write_finding_record(const Finding& finding, std::string_view run, int process, Sink& out) {
  FindingRecord(finding, out).write(run, process);
}

void write_finding_members(const Finding& finding, int process, Sink& out) {
  FindingRecord(finding, out).write_members(process);
}

void write_end_record(std::string_view run, const RunEnd& end, Sink& out) {
  put_head("end", run, out);
  out.put(R"(,"reports":)", end.reports, R"(,"suppressed":)", end.suppressed, R"(,"repeated":)", end.repeated, "}\n");
}

}  // namespace deadheat
