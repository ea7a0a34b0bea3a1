// What a program may ask: about a report from within __tsan_on_report, about an address, a stack or a place at any
// time.
#include "base/text.h"
#include "live/entry.h"
#include "live/ground/inside.h"
#include "live/ground/message.h"
#include "live/ground/options.h"
#include "live/modules/symbols.h"
#include "live/report/log.h"
#include "live/report/report.h"
#include "live/report/report_session.h"
#include "live/report/report_stack.h"
#include "live/shadow/blocks.h"

namespace deadheat::live {
namespace {

void fill_trace(StackView stack, Trace trace) {
  if (trace.to == nullptr) return;
  size_t used = 0;
  for (size_t i = 0; i < stack.size() && used < trace.capacity; ++i)
    if (!stack[i].inlined) trace.to[used++] = reinterpret_cast<void*>(stack[i].pc - 1);
  if (used < trace.capacity) trace.to[used] = nullptr;
}

// Texts end with a zero, as all of a session do.
ReportLocation shown(const Memory& memory, const char* type) {
  constexpr const char* kKinds[] = {"", "global", "heap", "stack", "tls", "fd"};
  const bool is_global = memory.kind == Memory::kGlobal;
  return {kKinds[memory.kind],
          is_global ? memory.name.data() : nullptr,
          type,
          memory.begin,
          memory.bytes,
          ThreadId{memory.thread},
          memory.fd};
}

void copy_out(char* to, size_t capacity, const char* from) {
  if (capacity == 0) return;
  size_t i = 0;
  for (; from[i] != 0 && i + 1 < capacity; ++i) to[i] = from[i];
  to[i] = 0;
}

}  // namespace

// ---- the report ----

void* report_being_told() { return const_cast<Finding*>(current_finding()); }

bool report_summary(void* report, ReportSummary& summary) {
  const Finding* const finding = told_finding(report);
  if (finding == nullptr) return false;
  summary = {finding_name(finding->kind),
             finding->repeated,
             finding->stacks.size(),
             finding->sides.size(),
             finding->memory.kind == Memory::kUnknown ? size_t{0} : size_t{1},
             finding->locks.size(),
             finding->threads.size()};
  return true;
}

bool report_stack(void* report, size_t index, Trace trace) {
  const Finding* const finding = told_finding(report);
  if (finding == nullptr || index >= finding->stacks.size()) return false;
  fill_trace(finding->stacks[index].stack, trace);
  return true;
}

bool report_access(void* report, size_t index, ReportAccess& access, Trace trace) {
  const Finding* const finding = told_finding(report);
  if (finding == nullptr || index >= finding->sides.size()) return false;
  const Side& side = finding->sides[index];
  access = {ThreadId{side.thread}, side.address, side.bytes, side.kind};
  fill_trace(side.stack, trace);
  return true;
}

bool report_location(void* report, ReportLocation& location, Trace trace) {
  const Finding* const finding = told_finding(report);
  if (finding == nullptr) return false;
  location =
      shown(finding->memory, finding->external_type.data());  // NOLINT(bugprone-suspicious-stringview-data-usage)
  fill_trace(finding->memory.stack, trace);
  return true;
}

bool report_lock(void* report, size_t index, ReportLock& lock, Trace trace) {
  const Finding* const finding = told_finding(report);
  if (finding == nullptr || index >= finding->locks.size()) return false;
  const FindingLock& found = finding->locks[index];
  lock = {found.address, found.destroyed};
  fill_trace(found.created_at, trace);
  return true;
}

bool report_thread(void* report, size_t index, ReportThread& thread, Trace trace) {
  const Finding* const finding = told_finding(report);
  if (finding == nullptr || index >= finding->threads.size()) return false;
  const FindingThread& found = finding->threads[index];
  thread = {ThreadId{found.number}, ThreadId{found.parent}, found.os_id, found.running,
            found.name.empty() ? "" : found.name.data()};
  fill_trace(found.created_at, trace);
  return true;
}

// ---- addresses ----

// For a global, a block and a known variable on a stack also its begin and size.
ReportLocation locate(const void* address, char* name, size_t capacity) {
  ReportLocation found = {"", nullptr, nullptr, 0, 0, kNoThread, 0};
  in_session(SessionFor::kQuestion, [&](Session& session) {
    session.draft.clear();
    session.draft.find_memory(key(address), 1);
    found = shown(session.draft.finding.memory, nullptr);
    if (name != nullptr) copy_out(name, capacity, found.name != nullptr ? found.name : "");
    found.name = nullptr;  // it goes with the session
  });
  return found;
}

bool heap_block_of(const volatile void* address, HeapBlock& block) {
  Block found;
  if (!block_of(key(address), found)) return false;
  block = {found.begin, found.bytes, static_cast<ThreadId>(found.thread), info_of(found.thread).os_id, found.freed};
  return true;
}

size_t allocation_stack(const volatile void* address, uintptr_t* to, size_t capacity) {
  Block block;
  size_t used = 0;
  if (!block_of(key(address), block)) return used;
  for (NodeId node = block.allocated_at; node != kNoNode && used < capacity; node = node_at(node).parent)
    to[used++] = node_at(node).address();
  return used;
}

// ---- code ----

void print_call_stack(const Entry& entry) {
  Thread* const t = entry.thread();
  if (t == nullptr) return;
  in_session(SessionFor::kQuestion, [&](Session&) {
    GrowingText text;
    add_stack(text, stack_of(place_of(entry, *t)));
    write_log(text.data(), text.size());
  });
}

void describe_code(const void* pc, const char* format, char* buffer, size_t capacity) {
  if (capacity == 0) return;
  size_t used = 0;
  in_session(SessionFor::kQuestion, [&](Session&) {
    StackDraft place;
    place.add_code_place(key(pc));
    const StackView stack = place.keep();
    for (unsigned i = 0; i < stack.size() && used + 1 < capacity; ++i) {
      GrowingText text;
      add_frame(text, stack[i], i, format);
      copy_out(buffer + used, capacity - used - 1, text.data());
      while (buffer[used] != 0) ++used;
      ++used;
    }
  });
  buffer[used < capacity ? used : capacity - 1] = 0;
}

void describe_data(const void* data, const char* format, char* buffer, size_t capacity) {
  if (capacity == 0) return;
  buffer[0] = 0;
  in_session(SessionFor::kQuestion, [&](Session&) {
    Module module;
    const char* name = nullptr;
    uintptr_t start = 0;
    size_t size = 0;
    if (!module_of(key(data), module) || !symbolize_data(module, key(data) - module.bias, name, start, size)) return;
    GrowingText text;
    for (; *format != 0; ++format) {
      if (*format == '%' && format[1] == 'g') {
        text.put(name);
        ++format;
      } else {
        text.put(*format);
      }
    }
    copy_out(buffer, capacity, text.data());
  });
}

bool module_path(const void* address, char* path, size_t capacity, uintptr_t& offset) {
  Module module;
  if (!module_of(key(address), module)) return false;
  if (path != nullptr) copy_out(path, capacity, module.path);
  offset = key(address) - module.bias;
  return true;
}

// ---- where reports go ----

void set_report_file(int fd) { set_log(fd); }
void set_report_path(const char* path) {
  if (path != nullptr && options.log_path.assign(path)) open_log();
}
const char* report_path() { return options.log_path.c_str(); }
void print_summary(const char* summary) {
  const Inside inside;
  GrowingText text;
  text.add("SUMMARY: ThreadSanitizer: %s\n", summary);
  write_log(text.data(), text.size());
}

}  // namespace deadheat::live
