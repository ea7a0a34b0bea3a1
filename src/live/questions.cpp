// What a program may ask: about a report from within __tsan_on_report, about an address, a stack or a place at any time.
#include "base/text.h"
#include "live/entry.h"
#include "live/ground/inside.h"
#include "live/ground/message.h"
#include "live/ground/options.h"
#include "live/order/sync.h"
#include "live/process/blocks.h"
#include "live/process/modules.h"
#include "live/report/log.h"
#include "live/report/report.h"
#include "live/report/report_session.h"

namespace deadheat::live {
namespace {

void fill_trace(const ReportStack& stack, Trace trace) {
  if (trace.to == nullptr) return;
  size_t used = 0;
  for (unsigned i = 0; i < stack.count && used < trace.capacity; ++i)
    if (!stack.frames[i].inlined) trace.to[used++] = reinterpret_cast<void*>(stack.frames[i].pc - 1);
  if (used < trace.capacity) trace.to[used] = nullptr;
}

// Of a thread or a lock.
void fill_creation_trace(NodeId created_at, Trace trace) {
  if (trace.to == nullptr) return;
  in_session(SessionFor::kQuestion, [&](Session& session) {
    fill_stack(session.finding.creation, created_at);
    fill_trace(session.finding.creation, trace);
  });
}

ReportLocation shown(const Location& location, const char* type) {
  constexpr const char* kKinds[] = {"", "global", "heap", "stack", "tls", "fd"};
  return {kKinds[location.kind],     location.name, type, location.begin, location.bytes,
          ThreadId{location.thread}, location.fd};
}

void copy_out(char* to, size_t capacity, const char* from) {
  if (capacity == 0) return;
  size_t i = 0;
  for (; from[i] != 0 && i + 1 < capacity; ++i) to[i] = from[i];
  to[i] = 0;
}

}  // namespace

// ---- the report ----

void* report_being_told() { return current_finding(); }

bool report_summary(void* report, ReportSummary& summary) {
  const Finding* const finding = told_finding(report);
  if (finding == nullptr) return false;
  summary = {finding_name(finding->kind),
             finding->repeated,
             finding->stack_count,
             finding->side_count,
             finding->location.kind == Location::kUnknown ? size_t{0} : size_t{1},
             finding->lock_count,
             finding->thread_count};
  return true;
}

bool report_stack(void* report, size_t index, Trace trace) {
  const Finding* const finding = told_finding(report);
  if (finding == nullptr || index >= finding->stack_count) return false;
  fill_trace(finding->stacks[index].stack, trace);
  return true;
}

bool report_access(void* report, size_t index, ReportAccess& access, Trace trace) {
  const Finding* const finding = told_finding(report);
  if (finding == nullptr || index >= finding->side_count) return false;
  const Side& side = finding->sides[index];
  access = {ThreadId{side.thread}, side.address, side.bytes, side.kind};
  fill_trace(side.stack, trace);
  return true;
}

bool report_location(void* report, ReportLocation& location, Trace trace) {
  const Finding* const finding = told_finding(report);
  if (finding == nullptr) return false;
  location = shown(finding->location, finding->external_type);
  fill_trace(finding->location.stack, trace);
  return true;
}

bool report_lock(void* report, size_t index, ReportLock& lock, Trace trace) {
  const Finding* const finding = told_finding(report);
  if (finding == nullptr || index >= finding->lock_count) return false;
  const NodeId created_at = sync_created_at(finding->locks[index]);
  lock = {finding->locks[index], created_at == 0};
  fill_creation_trace(created_at, trace);
  return true;
}

bool report_thread(void* report, size_t index, ReportThread& thread, Trace trace) {
  const Finding* const finding = told_finding(report);
  if (finding == nullptr || index >= finding->thread_count) return false;
  const ThreadUid uid = finding->threads[index];
  const ThreadInfo& info = thread_infos[uid];
  thread = {ThreadId{uid}, ThreadId{info.parent}, info.os_id, info.running, info.name};
  fill_creation_trace(info.created_at, trace);
  return true;
}

// ---- addresses ----

// For a global, a block and a known variable on a stack also its begin and size.
ReportLocation locate(const void* address, char* name, size_t capacity) {
  ReportLocation found = {"", nullptr, nullptr, 0, 0, kNoThread, 0};
  in_session(SessionFor::kQuestion, [&](Session& session) {
    finding_clear(session.finding);
    find_location(session.finding, key(address), 1);
    found = shown(session.finding.location, nullptr);
    if (name != nullptr) copy_out(name, capacity, found.name != nullptr ? found.name : "");
    found.name = nullptr;  // it goes with the session
  });
  return found;
}

bool heap_block_of(const volatile void* address, HeapBlock& block) {
  Block found;
  if (!block_of(key(address), found)) return false;
  block = {found.begin, found.bytes, ThreadId{found.thread}, thread_infos[found.thread].os_id, found.freed};
  return true;
}

size_t allocation_stack(const volatile void* address, uintptr_t* to, size_t capacity) {
  Block block;
  size_t used = 0;
  if (!block_of(key(address), block)) return used;
  for (NodeId node = block.allocated_at; node != 0 && used < capacity; node = stack_nodes[node].parent)
    to[used++] = stack_nodes[node].address();
  return used;
}

// ---- code ----

void print_call_stack(const Entry& entry) {
  Thread* const t = entry.thread();
  if (t == nullptr) return;
  in_session(SessionFor::kQuestion, [&](Session& session) {
    ReportStack& stack = session.finding.creation;
    fill_stack(stack, place_of(entry, *t));
    GrowingText text;
    add_stack(text, stack);
    text.put('\n');
    write_log(text.data(), text.size());
  });
}

void describe_code(const void* pc, const char* format, char* buffer, size_t capacity) {
  if (capacity == 0) return;
  size_t used = 0;
  in_session(SessionFor::kQuestion, [&](Session& session) {
    ReportStack& stack = session.finding.creation;
    stack.count = 0;
    add_code_place(stack, key(pc));
    for (unsigned i = 0; i < stack.count && used + 1 < capacity; ++i) {
      GrowingText text;
      add_frame(text, stack.frames[i], i, format);
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
