#include "live/report/finding.h"

#include "live/ground/options.h"
#include "live/order/descriptors.h"
#include "live/process/blocks.h"
#include "live/report/stack_frame.h"

namespace deadheat::live {

const char* finding_title(FindingKind kind) {
  static constexpr const char* kTitles[] = {
#define DEADHEAT_TITLE(kind, title, name, type) title,
      DEADHEAT_FINDINGS(DEADHEAT_TITLE)
#undef DEADHEAT_TITLE
  };
  return kTitles[static_cast<unsigned>(kind)];
}

const char* finding_name(FindingKind kind) {
  static constexpr const char* kNames[] = {
#define DEADHEAT_NAME(kind, title, name, type) name,
      DEADHEAT_FINDINGS(DEADHEAT_NAME)
#undef DEADHEAT_NAME
  };
  return kNames[static_cast<unsigned>(kind)];
}

unsigned Finding::number_of_lock(uintptr_t lock) {
  for (unsigned i = 0; i < lock_count; ++i)
    if (locks[i] == lock) return i;
  if (lock_count == kMostLocks) return kMostLocks - 1;
  locks[lock_count] = lock;
  return lock_count++;
}

FindingStack& Finding::add_stack(NodeId where, FindingStack::Head head) {
  FindingStack& stack = stacks[stack_count < kMostStacks ? stack_count++ : kMostStacks - 1];
  stack.head = head;
  fill_stack(stack.stack, where);
  return stack;
}

void Finding::add_thread(ThreadUid uid) {
  for (unsigned i = 0; i < thread_count; ++i)
    if (threads[i] == uid) return;
  if (thread_count < kMostThreads) threads[thread_count++] = uid;
}

const ReportStack& Finding::summary_stack() const { return side_count != 0 ? sides[0].stack : stacks[0].stack; }

void finding_clear(Finding& finding) {
  finding.external_type = nullptr;
  finding.side_count = finding.stack_count = finding.lock_count = finding.cycle_length = finding.thread_count = 0;
  finding.repeated = 0;
  finding.slept_at = 0;
  finding.location.kind = Location::kUnknown;
  finding.location.name = nullptr;
  finding.location.thread = 0;
  finding.location.begin = finding.location.bytes = 0;
  finding.location.variable = nullptr;
  finding.location.stack.count = 0;
}

namespace {

void collect_locks(Finding& finding, NodeId set) {
  if (set == 0) return;
  collect_locks(finding, stack_nodes[set].parent);
  finding.number_of_lock(stack_nodes[set].address());
}

}  // namespace

void finding_resolve(Finding& finding) {
  for (unsigned i = 0; i < finding.side_count; ++i) {
    Side& side = finding.sides[i];
    fill_stack(side.stack, side.origin);
    collect_locks(finding, side.locks);
    finding.add_thread(side.thread);
  }
  if (finding.side_count != 0) {
    Location& location = finding.location;
    if (location.kind == Location::kHeap || location.kind == Location::kDescriptor) finding.add_thread(location.thread);
  }
  if (finding.slept_at != 0) fill_stack(finding.sleep, finding.slept_at);
  if (options.print_full_thread_history)
    for (unsigned i = 0; i < finding.thread_count; ++i)
      if (finding.threads[i] != 0) finding.add_thread(thread_infos[finding.threads[i]].parent);
}

void find_location(Finding& finding, uintptr_t address, size_t bytes) {
  Location& location = finding.location;
  DescriptorInfo descriptor;
  if (descriptor_of(address, descriptor)) {
    location.kind = Location::kDescriptor;
    location.fd = descriptor.fd;
    location.fd_closed = descriptor.closed;
    location.thread = descriptor.thread;
    fill_stack(location.stack, descriptor.opened_at);
    return;
  }
  Module module;
  if (module_of(address, module)) {
    location.kind = Location::kGlobal;
    location.offset = address - module.bias;
    Text path(location.module, sizeof location.module);
    path.put(base_name(module.path));
    uintptr_t start = 0;
    if (symbolize_data(module, location.offset, location.name, start, location.bytes))
      location.begin = start + module.bias;
    return;
  }
  Block block;
  bool thread_local_data = false;
  if (thread_of_memory(address, location.thread, thread_local_data)) {
    location.kind = thread_local_data ? Location::kThreadLocal : Location::kStack;
    if (!thread_local_data) find_on_stack(finding, address, bytes);
  } else if (block_of(address, block)) {
    location.kind = Location::kHeap;
    location.begin = block.begin;
    location.bytes = block.bytes;
    location.thread = block.thread;
    fill_stack(location.stack, block.allocated_at);
  }
}

}  // namespace deadheat::live
