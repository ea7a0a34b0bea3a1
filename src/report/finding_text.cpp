#include "base/text.h"
#include "report/finding_report.h"

namespace deadheat {

bool is_told_in_full(const Finding& finding) { return finding.memory.kind != Memory::kVariable; }

// ---- the short form ----

namespace {

// "an atomic read by T2"
void put_description(const Side& side, Sink& out) {
  if (is_atomic(side.kind))
    out.put("an atomic ", is_write(side.kind) ? "write" : "read");
  else
    out.put("a ", op_name(side.kind));
  out.put(" by ", Name{side.thread_name});
}

void put_access(std::string_view which, const Side& side, Sink& out) {
  out.put("  ", Padded{which, 7}, " ", Padded{op_name(side.kind), 12}, " ", Name{side.thread_name}, ", event ",
          side.event);
  if (!side.location().empty()) out.put(", at ", Name{side.location()});
  out.put("\n");
}

void put_plural(uint64_t count, std::string_view noun, Sink& out) {
  out.put(count, " more ", noun, count == 1 ? "" : "s");
}

// What was folded into this one.
void put_others(const Finding& finding, Sink& out) {
  const uint64_t races = finding.races - 1, variables = finding.variables - 1;
  if (races == 0) return;
  out.put("  and ");
  if (races != variables) put_plural(races, "time", out);
  if (races != variables && variables != 0) out.put(", ");
  if (variables != 0) {
    out.put("on ");
    put_plural(variables, "variable", out);
  }
  out.put("\n");
}

void write_short_form(const Finding& finding, const ReportStyle& style, Sink& out) {
  const Side& second = finding.sides[0];
  out.put(style.precise ? "Race on " : "Warning on ", Name{finding.memory.name});
  if (finding.rank != 0) out.put(" (rank ", finding.rank, ", group ", finding.group, ")");
  out.put(": ");
  if (const Side* const first = finding.earlier()) {
    put_description(*first, out);
    out.put(" and ");
    put_description(second, out);
    out.put(", and nothing orders the two\n");
    put_access("first", *first, out);
  } else {
    put_description(second, out);
    out.put("; ", style.detector, " does not know which earlier access it conflicts with\n");
  }
  put_access("second", second, out);
  for (const Side& side : finding.later()) put_access("later", side, out);
  put_others(finding, out);
  out.put("\n");
}

}  // namespace

// ---- frames ----

namespace {

Name or_null(std::string_view text) { return {text.empty() ? "<null>" : text}; }

void put_in_module(std::string_view module, uint64_t offset, Sink& out) {
  out.put("(", Name{module}, "+", Hex{offset}, ")");
}

void put_place(const StackFrame& f, bool or_module, Sink& out) {
  if (!f.file.empty()) {
    out.put(Name{f.file}, ":", f.line);
    if (f.column != 0) out.put(":", f.column);
  } else if (or_module && !f.module.empty()) {
    put_in_module(f.module, f.offset, out);
  } else {
    out.put("<null>");
  }
}

}  // namespace

void write_frame(const StackFrame& f, unsigned number, std::string_view format, Sink& out) {
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out.put(format[i]);
      continue;
    }
    if (++i == format.size()) return;
    switch (format[i]) {
      case '%':
        out.put('%');
        break;
      case 'n':
        out.put(number);
        break;
      case 'p':
        out.put(Address{f.pc});
        break;
      case 'm':
        out.put(or_null(f.module));
        break;
      case 'o':
        out.put(Hex{f.offset});
        break;
      case 'f':
        out.put(or_null(f.function));
        break;
      case 'q':
        out.put("0x0");
        break;
      case 's':
        out.put(or_null(f.file));
        break;
      case 'l':
        out.put(f.line);
        break;
      case 'c':
        out.put(f.column);
        break;
      case 'F':
        if (!f.function.empty()) out.put("in ", Name{f.function});
        break;
      case 'S':
      case 'L':
        put_place(f, format[i] == 'L', out);
        break;
      case 'M':
        if (f.module.empty())
          out.put("(", Hex{f.pc}, ")");
        else
          put_in_module(base_name(f.module), f.offset, out);
        break;
      default:
        out.put('%', format[i]);
    }
  }
}

void write_stack(StackView stack, std::string_view format, Sink& out) {
  if (same_text(format, "DEFAULT")) format = "    #%n %f %S %M";
  for (unsigned i = 0; i < stack.size(); ++i) {
    write_frame(stack[i], i, format, out);
    out.put('\n');
  }
}

// ---- the full form ----

namespace {

class FullForm {
 public:
  FullForm(const Finding& finding, const ReportStyle& style, Sink& out) : finding_(finding), style_(style), out_(out) {}

  void write() const {
    out_.put("==================\n");
    paint(kWarning);
    out_.put("WARNING: ThreadSanitizer: ");
    title();
    out_.put(" (pid=", style_.process, ")\n");
    paint(kPlain);
    if (finding_.cycle_length != 0) cycle();
    for (const FindingStack& shown : finding_.stacks) further_stack(shown);
    if (finding_.kind == FindingKind::kLockOrder && style_.hint_second_stack)
      out_.put("    Hint: use TSAN_OPTIONS=second_deadlock_stack=1 to get more informative warning message\n\n");
    for (const Side& shown : finding_.sides)
      if (shown.kind != AccessKind::kNone) side(shown, &shown != finding_.sides.data());
    if (!finding_.sleep.empty()) {
      out_.put("  As if synchronized via sleep:\n");
      stack(finding_.sleep);
    }
    memory();
    for (unsigned i = 0; i < finding_.locks.size(); ++i) lock(i);
    for (const FindingThread& shown : finding_.threads) thread_origin(shown);
    if (finding_.repeated > 1) out_.put("  And ", finding_.repeated - 1, " more similar thread leaks.\n\n");
    out_.put("SUMMARY: ThreadSanitizer: ");
    title();
    out_.put(' ');
    summary_place();
    out_.put('\n');
    if (style_.token_length > 0) token();
    out_.put("==================\n");
  }

 private:
  // The parts of a report as they are told apart on a terminal.
  enum Colour : uint8_t { kWarning, kAccess, kThread, kLocation, kMutex, kPlain };
  void paint(Colour colour) const {
    if (!style_.in_colour) return;
    constexpr std::string_view kCodes[] = {"\033[1m\033[31m", "\033[1m\033[34m", "\033[1m\033[36m",
                                           "\033[1m\033[32m", "\033[1m\033[35m", "\033[1m\033[0m"};
    out_.put(kCodes[colour]);
  }

  void title() const {
    if (finding_.kind == FindingKind::kExternalRace)
      out_.put("race on ", Name{finding_.external_type});
    else
      out_.put(finding_title(finding_.kind));
  }

  // The frames, and an empty line.
  void stack(StackView shown) const {
    write_stack(shown, style_.frame_format, out_);
    out_.put('\n');
  }

  void thread(uint32_t number) const {
    if (number == 0)
      out_.put("main thread");
    else
      out_.put("thread T", number);
  }

  // Locks beyond the most that a finding has share the last number.
  size_t number_of(uint64_t address) const {
    size_t number = 0;
    while (number + 1 < finding_.locks.size() && finding_.locks[number].address != address) ++number;
    return number;
  }

  static std::string_view words_for(AccessKind kind, bool previous) {
    switch (kind) {
      case AccessKind::kRead:
        return previous ? "Previous read" : "Read";
      case AccessKind::kAtomicRead:
        return previous ? "Previous atomic read" : "Atomic read";
      case AccessKind::kAtomicWrite:
        return previous ? "Previous atomic write" : "Atomic write";
      default:
        return previous ? "Previous write" : "Write";
    }
  }

  void side(const Side& shown, bool previous) const {
    paint(kAccess);
    if (!finding_.external_type.empty()) {
      const bool writes = is_write(shown.kind);
      out_.put("  ",
               previous ? (writes ? "Previous modifying" : "Previous read-only")
               : writes ? "Modifying"
                        : "Read-only",
               " access of ", Name{finding_.external_type}, " at ", Address{shown.address}, " by ");
    } else {
      out_.put("  ", words_for(shown.kind, previous), " of size ", shown.bytes, " at ", Address{shown.address}, " by ");
    }
    thread(shown.thread);
    if (!shown.locks.empty()) {
      std::string_view before = " (mutexes: ";
      for (const SideLock& held : shown.locks) {
        out_.put(before, held.for_reading ? "read" : "write", " M", number_of(held.address));
        before = ", ";
      }
      out_.put(')');
    }
    out_.put(':');
    paint(kPlain);
    out_.put('\n');
    stack(shown.stack);
  }

  void further_stack(const FindingStack& shown) const {
    switch (shown.head) {
      case FindingStack::kPlain:
        break;
      case FindingStack::kAnd:
        out_.put("  and:\n");
        break;
      case FindingStack::kSignal:
        out_.put("  Signal ", shown.signal, " handler invoked at:\n");
        break;
      case FindingStack::kCreatedAt:
        if (shown.thread == 0)
          out_.put("ThreadSanitizer: main thread finished with ignores enabled\n");
        else
          out_.put("ThreadSanitizer: thread T", shown.thread, " ", Name{shown.thread_name},
                   " finished with ignores enabled, created at:\n");
        break;
      case FindingStack::kIgnoredSince:
        out_.put("  Ignore was enabled at:\n");
        break;
      case FindingStack::kAcquiredWhileHolding:
        out_.put("  Mutex M", number_of(shown.lock), " acquired here while holding mutex M", number_of(shown.held),
                 " in ");
        thread(shown.thread);
        out_.put(":\n");
        break;
      case FindingStack::kAcquiredBefore:
        out_.put("  Mutex M", number_of(shown.lock), " previously acquired by the same thread here:\n");
        break;
    }
    stack(shown.stack);
  }

  void cycle() const {
    out_.put("  Cycle in lock order graph: ");
    for (unsigned i = 0; i <= finding_.cycle_length; ++i) {
      const unsigned at = i % finding_.cycle_length;
      out_.put(i == 0 ? "" : " => ", "M", at, " (", Address{finding_.locks[at].address}, ")");
    }
    out_.put("\n\n");
  }

  void stack_variable() const {
    const Memory& m = finding_.memory;
    if (m.name.empty()) return;
    out_.put("    Variable '", Name{m.name}, "'");
    if (!m.stack.empty() && !m.stack[0].function.empty()) out_.put(" of ", Name{m.stack[0].function});
    if (!m.declared.file.empty()) out_.put(", declared at ", Name{m.declared.file}, ":", m.declared.line);
    const uint64_t first = finding_.both_begin - m.begin, beyond = finding_.both_end - m.begin;
    if (finding_.is_race() && (first != 0 || beyond < m.bytes))
      out_.put(" (bytes ", first, " to ", beyond - 1, " of ", m.bytes, ")");
    out_.put('\n');
  }

  void memory() const {
    const Memory& m = finding_.memory;
    paint(kLocation);
    switch (m.kind) {
      case Memory::kGlobal:
        global();
        break;
      case Memory::kHeap:
        out_.put("  Location is heap block of size ", m.bytes, " at ", Address{m.begin}, " allocated by ");
        thread(m.thread);
        out_.put(":\n");
        stack(m.stack);
        break;
      case Memory::kStack:
        out_.put("  Location is stack of ");
        thread(m.thread);
        out_.put(".\n");
        stack_variable();
        stack(m.stack);  // the function whose variable it is
        break;
      case Memory::kThreadLocal:
        out_.put("  Location is TLS of ");
        thread(m.thread);
        out_.put(".\n\n");
        break;
      case Memory::kDescriptor:
        out_.put("  Location is file descriptor ", m.fd, m.fd_closed ? " destroyed" : " created", " by ");
        thread(m.thread);
        out_.put(" at:\n");
        stack(m.stack);
        break;
      case Memory::kUnknown:
      case Memory::kVariable:
        break;
    }
    paint(kPlain);
  }

  void global() const {
    const Memory& m = finding_.memory;
    const uint64_t address = finding_.is_race() ? finding_.sides[0].address : 0;
    if (m.name.empty())
      out_.put("  Location is global '<null>' at ", Address{address}, " ");
    else
      out_.put("  Location is global '", Name{m.name}, "' of size ", m.bytes, " at ", Address{m.begin}, " ");
    put_in_module(base_name(m.module), m.offset, out_);
    if (!m.name.empty() && address > m.begin) out_.put(", ", address - m.begin, " bytes into it");
    out_.put("\n\n");
  }

  void lock(unsigned number) const {
    const FindingLock& shown = finding_.locks[number];
    paint(kMutex);
    out_.put("  Mutex M", number, " (", Address{shown.address},
             shown.destroyed ? ") is already destroyed.\n\n" : ") created at:");
    paint(kPlain);
    if (shown.destroyed) return;
    out_.put('\n');
    stack(shown.created_at);
  }

  void thread_origin(const FindingThread& shown) const {
    if (shown.number == 0) return;
    paint(kThread);
    out_.put("  Thread T", shown.number);
    if (!shown.name.empty()) out_.put(" '", Name{shown.name}, "'");
    out_.put(" (tid=", shown.os_id, ", ", shown.running ? "running" : "finished", ")");
    if (!shown.creation_known) {
      paint(kPlain);
      out_.put("\n\n");
      return;
    }
    out_.put(" created by ");
    thread(shown.parent);
    out_.put(" at:");
    paint(kPlain);
    out_.put('\n');
    stack(shown.created_at);
  }

  // "FILE:LINE in FUNCTION" of the innermost frame of the program.
  void summary_place() const {
    const StackView shown = finding_.summary_stack();
    const StackFrame* frame = nullptr;
    for (size_t i = 0; i < shown.size() && (frame == nullptr || frame->ours); ++i) frame = &shown[i];
    if (frame == nullptr) return out_.put("<unknown>");
    if (frame->file.empty())
      put_in_module(frame->module.empty() ? "?" : frame->module, frame->offset, out_);
    else
      out_.put(Name{frame->file}, ":", frame->line);
    out_.put(" in ", or_null(frame->function));
  }

  // "DEDUP_TOKEN: f--g--h" of the innermost functions.
  void token() const {
    const StackView shown = finding_.summary_stack();
    out_.put("DEDUP_TOKEN: ");
    for (size_t i = 0; i < shown.size() && i < static_cast<size_t>(style_.token_length); ++i)
      out_.put(i == 0 ? "" : "--", or_null(shown[i].function));
    out_.put('\n');
  }

  const Finding& finding_;
  const ReportStyle& style_;
  Sink& out_;
};

}  // namespace

void write_finding_text(const Finding& finding, const ReportStyle& style, Sink& out) {
  if (is_told_in_full(finding))
    FullForm(finding, style, out).write();
  else
    write_short_form(finding, style, out);
}

}  // namespace deadheat
