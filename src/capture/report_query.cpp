// What a program may ask about a report from within __tsan_on_report, and about an address at any time.
//
// All of it works on the finding that the calling thread is being told of; outside of a report the questions have no
// answer (0).
#include "live/api.h"
#include "live/order/sync.h"
#include "live/process/blocks.h"
#include "live/report/report.h"
#include "live/report/report_session.h"

using namespace deadheat::live;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

void fill_trace(const ReportStack& stack, void** trace, unsigned long capacity) {
  unsigned long used = 0;
  for (unsigned i = 0; i < stack.count && used < capacity; ++i)
    if (!stack.frames[i].inlined) trace[used++] = reinterpret_cast<void*>(stack.frames[i].pc - 1);
  if (used < capacity) trace[used] = nullptr;
}

const char* type_name(Location::Kind kind) {
  constexpr const char* kNames[] = {"", "global", "heap", "stack", "tls", "fd"};
  return kNames[kind];
}

template <class T>
void put(T* to, T value) {
  if (to != nullptr) *to = value;
}

// Of a thread or a lock.
void fill_creation_trace(NodeId created_at, void** trace, unsigned long capacity) {
  if (trace == nullptr) return;
  in_session(SessionFor::kQuestion, [&](Session& session) {
    fill_stack(session.finding.creation, created_at);
    fill_trace(session.finding.creation, trace, capacity);
  });
}

}  // namespace

EXPORT void* __tsan_get_current_report() { return current_finding(); }

EXPORT int __tsan_get_report_data(void* report, const char** description, int* count, int* stack_count, int* mop_count,
                                  int* loc_count, int* mutex_count, int* thread_count_of, int* unique_tid_count,
                                  void** sleep_trace, unsigned long trace_size) {
  const Finding* finding = told_finding(report);
  if (finding == nullptr) return 0;
  put(description, finding_name(finding->kind));
  put(count, static_cast<int>(finding->repeated));
  put(stack_count, static_cast<int>(finding->stack_count));
  put(mop_count, static_cast<int>(finding->side_count));
  put(loc_count, finding->location.kind == Location::kUnknown ? 0 : 1);
  put(mutex_count, static_cast<int>(finding->lock_count));
  put(thread_count_of, static_cast<int>(finding->thread_count));
  put(unique_tid_count, static_cast<int>(finding->thread_count));
  if (sleep_trace != nullptr && trace_size > 0) sleep_trace[0] = nullptr;
  return 1;
}

EXPORT int __tsan_get_report_tag(void*, void** tag) {
  put(tag, static_cast<void*>(nullptr));
  return 1;
}

EXPORT int __tsan_get_report_stack(void* report, unsigned long index, void** trace, unsigned long capacity) {
  const Finding* finding = told_finding(report);
  if (finding == nullptr || index >= finding->stack_count) return 0;
  fill_trace(finding->stacks[index].stack, trace, capacity);
  return 1;
}

EXPORT int __tsan_get_report_mop(void* report, unsigned long index, int* tid, void** address, int* size, int* write,
                                 int* atomic, void** trace, unsigned long capacity) {
  const Finding* finding = told_finding(report);
  if (finding == nullptr || index >= finding->side_count) return 0;
  const Side& side = finding->sides[index];
  put(tid, static_cast<int>(side.thread));
  put(address, reinterpret_cast<void*>(side.address));
  put(size, static_cast<int>(side.bytes));
  put(write, is_write(side.kind) ? 1 : 0);
  put(atomic, is_atomic(side.kind) ? 1 : 0);
  if (trace != nullptr) fill_trace(side.stack, trace, capacity);
  return 1;
}

EXPORT int __tsan_get_report_loc(void* report, unsigned long index, const char** type, void** address, void** start,
                                 unsigned long* size, int* tid, int* fd, int* suppressable, void** trace,
                                 unsigned long capacity) {
  const Finding* finding = told_finding(report);
  if (finding == nullptr || index != 0) return 0;
  const Location& location = finding->location;
  if (location.kind == Location::kUnknown) return 0;
  put(type, type_name(location.kind));
  put(address, reinterpret_cast<void*>(finding->side_count != 0 ? finding->sides[0].address : 0));
  put(start, reinterpret_cast<void*>(location.begin));
  put(size, static_cast<unsigned long>(location.bytes));
  put(tid, static_cast<int>(location.thread));
  put(fd, location.fd);
  put(suppressable, 0);
  if (trace != nullptr) fill_trace(location.stack, trace, capacity);
  return 1;
}

EXPORT int __tsan_get_report_loc_object_type(void* report, unsigned long, const char** type) {
  const Finding* finding = told_finding(report);
  if (finding == nullptr) return 0;
  put(type, finding->external_type);
  return 1;
}

EXPORT int __tsan_get_report_mutex(void* report, unsigned long index, uint64_t* id, void** address, int* destroyed,
                                   void** trace, unsigned long capacity) {
  const Finding* finding = told_finding(report);
  if (finding == nullptr || index >= finding->lock_count) return 0;
  const NodeId created_at = sync_created_at(finding->locks[index]);
  put(id, uint64_t{index});
  put(address, reinterpret_cast<void*>(finding->locks[index]));
  put(destroyed, created_at == 0 ? 1 : 0);
  fill_creation_trace(created_at, trace, capacity);
  return 1;
}

EXPORT int __tsan_get_report_thread(void* report, unsigned long index, int* tid, uint64_t* os_id, int* running,
                                    const char** name, int* parent, void** trace, unsigned long capacity) {
  const Finding* finding = told_finding(report);
  if (finding == nullptr || index >= finding->thread_count) return 0;
  const ThreadUid uid = finding->threads[index];
  const ThreadInfo& info = thread_infos[uid];
  put(tid, static_cast<int>(uid));
  put(os_id, static_cast<uint64_t>(info.os_id));
  put(running, info.running ? 1 : 0);
  put(name, static_cast<const char*>(info.name));
  put(parent, static_cast<int>(info.parent));
  fill_creation_trace(info.created_at, trace, capacity);
  return 1;
}

EXPORT int __tsan_get_report_unique_tid(void* report, unsigned long index, int* tid) {
  const Finding* finding = told_finding(report);
  if (finding == nullptr || index >= finding->thread_count) return 0;
  put(tid, static_cast<int>(finding->threads[index]));
  return 1;
}

// What is at an address: its kind; for a global, a block and a known variable on a stack also its begin and size.
EXPORT const char* __tsan_locate_address(uintptr_t address, char* name, size_t capacity, uintptr_t* begin,
                                         size_t* bytes) {
  const char* type = "";
  in_session(SessionFor::kQuestion, [&](Session& session) {
    finding_clear(session.finding);
    const Location& location = session.finding.location;
    find_location(session.finding, address, 1);
    if (name != nullptr && capacity > 0) {
      Text text(name, capacity);
      text.put(location.name != nullptr ? location.name : "");
    }
    put(begin, location.begin);
    put(bytes, location.bytes);
    type = type_name(location.kind);
  });
  return type;
}

// The stack that allocated a heap block, outermost last; the number of frames.
EXPORT int __tsan_get_alloc_stack(uintptr_t address, uintptr_t* trace, size_t capacity, int* thread, uint64_t* os_id) {
  Block block;
  if (!block_of(address, block)) return 0;
  put(thread, static_cast<int>(block.thread));
  put(os_id, static_cast<uint64_t>(thread_infos[block.thread].os_id));
  size_t used = 0;
  for (NodeId node = block.allocated_at; node != 0 && used < capacity; node = stack_nodes[node].parent)
    trace[used++] = stack_nodes[node].address();
  return static_cast<int>(used);
}
