#include "live/report/draft.h"

#include "base/text.h"
#include "live/ground/options.h"
#include "live/modules/build_id.h"
#include "live/modules/symbols.h"
#include "live/order/descriptors.h"
#include "live/order/steps.h"
#include "live/order/sync.h"
#include "live/paths/called.h"
#include "live/report/explain.h"
#include "live/report/record.h"
#include "live/report/report_session.h"
#include "live/report/report_stack.h"
#include "live/report/stack_frame.h"
#include "live/shadow/blocks.h"

namespace deadheat::live {
namespace {

// The list with one element more, which is in its place already; a full list stays as it is.
template <class T, unsigned kMost>
T& add_to(std::span<const T>& list, T (&all)[kMost]) {
  const size_t count = list.size() < kMost ? list.size() + 1 : kMost;
  list = {all, count};
  return all[count - 1];
}

}  // namespace

void Draft::clear() {
  finding = {};
  epochs_[0] = epochs_[1] = {};
}

void Draft::set_side(unsigned which, uintptr_t at, size_t bytes, AccessKind kind, ThreadUid thread, OriginId origin) {
  finding.sides = sides_;
  origins_[which] = origin;
  Side& side = sides_[which] = {.kind = kind, .thread = number_of(thread), .address = at, .bytes = bytes};
  const Node& node = node_at(unpack(origin).access);
  if (node.kind() != NodeKind::kAccess) return;
  side.kind = static_cast<AccessKind>(node.key >> kWhatShift >> 5 & 7);
  if (bytes != 0) return;
  const AccessShape shape = shape_in(node.key);
  side.address = shape.begin_of(at);
  side.bytes = shape.bytes;
}

bool Draft::is_of_vptr(unsigned which) const { return is_vptr(node_at(unpack(origins_[which]).access).key); }

void Draft::add_lock(uintptr_t lock) {
  for (const FindingLock& known : finding.locks)
    if (known.address == lock) return;
  if (finding.locks.size() < kMostLocks) add_to(finding.locks, locks_) = {.address = lock};
}

FindingStack& Draft::add_stack(NodeId where, FindingStack::Head head) {
  FindingStack& stack = add_to(finding.stacks, stacks_);
  stack = {.head = head, .stack = stack_of(where)};
  return stack;
}

void Draft::add_thread(ThreadUid uid) {
  for (const FindingThread& known : finding.threads)
    if (known.number == number_of(uid)) return;
  if (finding.threads.size() == kMostThreads) return;
  const ThreadInfo& info = info_of(uid);
  add_to(finding.threads, threads_) = {
      .number = number_of(uid), .name = session_text(info.name), .parent = number_of(info.parent)};
}

void Draft::add_thread_with_creation(ThreadUid uid) {
  add_thread(uid);
  add_creation(threads_[finding.threads.size() - 1]);
}

void Draft::add_creation(FindingThread& thread) {
  const ThreadInfo& info = info_of(ThreadUid{thread.number});
  thread.os_id = info.os_id;
  thread.running = info.running;
  if (info.created_at == kNoNode || thread.creation_known) return;
  thread.creation_known = true;
  thread.created_at = stack_of(info.created_at);
}

void Draft::collect_locks(unsigned which, NodeId set) {
  size_t count = 0;
  for (NodeId node = set; node != kNoNode; node = node_at(node).parent) ++count;
  SideLock* const held = session_list<SideLock>(count);
  if (held == nullptr) return;
  size_t at = count;
  for (NodeId node = set; node != kNoNode; node = node_at(node).parent)
    held[--at] = {node_at(node).address(), (node_at(node).key >> 48 & 1) != 0};
  sides_[which].locks = {held, count};
  for (const SideLock& lock : sides_[which].locks) add_lock(lock.address);
}

void Draft::resolve(NodeId slept_at) {
  for (unsigned i = 0; i < finding.sides.size(); ++i) {
    const Origin origin = unpack(origins_[i]);
    sides_[i].stack = stack_of(origin.access);
    collect_locks(i, origin.locks);
    add_thread(ThreadUid{sides_[i].thread});
  }
  if (finding.memory.kind == Memory::kHeap || finding.memory.kind == Memory::kDescriptor)
    add_thread(ThreadUid{finding.memory.thread});
  if (slept_at != kNoNode) finding.sleep = stack_of(slept_at);
  if (options.print_full_thread_history)
    for (size_t i = 0; i < finding.threads.size(); ++i)
      if (finding.threads[i].number != 0) add_thread(ThreadUid{finding.threads[i].parent});
}

void Draft::complete() {
  if (explaining && !epochs_[1].is_never()) explain(*this, epochs_[0], epochs_[1]);
  for (unsigned i = 0; i < finding.locks.size(); ++i) {
    const NodeId created_at = sync_created_at(locks_[i].address);
    locks_[i].destroyed = created_at == kNoNode;
    if (created_at != kNoNode) locks_[i].created_at = stack_of(created_at);
  }
  for (unsigned i = 0; i < finding.threads.size(); ++i) add_creation(threads_[i]);
}

void Draft::find_memory(uintptr_t address, size_t bytes) {
  Memory& memory = finding.memory;
  DescriptorInfo descriptor;
  if (descriptor_of(address, descriptor)) {
    memory = {.kind = Memory::kDescriptor,
              .thread = number_of(descriptor.thread),
              .fd = descriptor.fd,
              .fd_closed = descriptor.closed,
              .stack = stack_of(descriptor.opened_at)};
    return;
  }
  Module module;
  if (module_of(address, module)) {
    memory = {.kind = Memory::kGlobal, .module = module.path, .offset = address - module.bias};
    if (is_recorded()) {
      char build_id[2 * kMostBuildId + 1];
      find_build_id(module, build_id);
      memory.build_id = session_text(build_id);
    }
    const char* name = nullptr;
    uintptr_t start = 0;
    size_t size = 0;
    if (!symbolize_data(module, memory.offset, name, start, size)) return;
    memory.name = name;
    memory.begin = start + module.bias;
    memory.bytes = size;
    return;
  }
  Block block;
  ThreadUid owner;
  bool thread_local_data = false;
  if (thread_of_memory(address, owner, thread_local_data)) {
    memory.thread = number_of(owner);
    memory.kind = thread_local_data ? Memory::kThreadLocal : Memory::kStack;
    if (!thread_local_data) find_on_stack(*this, address, bytes);
  } else if (block_of(address, block)) {
    memory = {.kind = Memory::kHeap,
              .begin = block.begin,
              .bytes = block.bytes,
              .thread = number_of(block.thread),
              .stack = stack_of(block.allocated_at)};
  }
}

}  // namespace deadheat::live
