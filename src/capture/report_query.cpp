// What a program may ask about a report from within __tsan_on_report, and about an address at any time.
//
// The answers are about the report that the calling thread is in. Outside of a report the answer is 0.
#include "live/api.h"

using namespace deadheat;
using namespace deadheat::live;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

template <class T, class Value>
void put(T* to, Value value) {
  if (to != nullptr) *to = static_cast<T>(value);
}
void put(void** to, uintptr_t value) {
  if (to != nullptr) *to = reinterpret_cast<void*>(value);
}

}  // namespace

EXPORT void* __tsan_get_current_report() { return report_being_told(); }

EXPORT int __tsan_get_report_data(void* report, const char** description, int* count, int* stack_count, int* mop_count,
                                  int* loc_count, int* mutex_count, int* thread_count_of, int* unique_tid_count,
                                  void** sleep_trace, unsigned long trace_size) {
  ReportSummary summary;
  if (!report_summary(report, summary)) return 0;
  put(description, summary.kind);
  put(count, summary.repeated);
  put(stack_count, summary.stacks);
  put(mop_count, summary.accesses);
  put(loc_count, summary.locations);
  put(mutex_count, summary.locks);
  put(thread_count_of, summary.threads);
  put(unique_tid_count, summary.threads);
  if (sleep_trace != nullptr && trace_size > 0) sleep_trace[0] = nullptr;
  return 1;
}

EXPORT int __tsan_get_report_tag(void*, void** tag) {
  put(tag, uintptr_t{0});
  return 1;
}

EXPORT int __tsan_get_report_stack(void* report, unsigned long index, void** trace, unsigned long capacity) {
  return report_stack(report, index, {trace, capacity}) ? 1 : 0;
}

EXPORT int __tsan_get_report_mop(void* report, unsigned long index, int* tid, void** address, int* size, int* write,
                                 int* atomic, void** trace, unsigned long capacity) {
  ReportAccess access;
  if (!report_access(report, index, access, {trace, capacity})) return 0;
  put(tid, access.thread);
  put(address, access.address);
  put(size, access.bytes);
  put(write, is_write(access.kind));
  put(atomic, is_atomic(access.kind));
  return 1;
}

EXPORT int __tsan_get_report_loc(void* report, unsigned long index, const char** type, void** address, void** start,
                                 unsigned long* size, int* tid, int* fd, int* suppressable, void** trace,
                                 unsigned long capacity) {
  ReportLocation location;
  if (index != 0 || !report_location(report, location, {trace, capacity}) || location.kind[0] == 0) return 0;
  ReportAccess access{};
  report_access(report, 0, access, {});
  put(type, location.kind);
  put(address, access.address);
  put(start, location.begin);
  put(size, location.bytes);
  put(tid, location.thread);
  put(fd, location.fd);
  put(suppressable, 0);
  return 1;
}

EXPORT int __tsan_get_report_loc_object_type(void* report, unsigned long, const char** type) {
  ReportLocation location;
  if (!report_location(report, location, {})) return 0;
  put(type, location.object_type);
  return 1;
}

EXPORT int __tsan_get_report_mutex(void* report, unsigned long index, uint64_t* id, void** address, int* destroyed,
                                   void** trace, unsigned long capacity) {
  ReportLock lock;
  if (!report_lock(report, index, lock, {trace, capacity})) return 0;
  put(id, index);
  put(address, lock.address);
  put(destroyed, lock.destroyed);
  return 1;
}

EXPORT int __tsan_get_report_thread(void* report, unsigned long index, int* tid, uint64_t* os_id, int* running,
                                    const char** name, int* parent, void** trace, unsigned long capacity) {
  ReportThread thread;
  if (!report_thread(report, index, thread, {trace, capacity})) return 0;
  put(tid, thread.thread);
  put(os_id, thread.os_id);
  put(running, thread.running);
  put(name, thread.name);
  put(parent, thread.parent);
  return 1;
}

EXPORT int __tsan_get_report_unique_tid(void* report, unsigned long index, int* tid) {
  ReportThread thread;
  if (!report_thread(report, index, thread, {})) return 0;
  put(tid, thread.thread);
  return 1;
}

// What is at an address: its kind; for a global, a block and a known variable on a stack also its begin and size.
EXPORT const char* __tsan_locate_address(uintptr_t address, char* name, size_t capacity, uintptr_t* begin,
                                         size_t* bytes) {
  const ReportLocation found = locate(reinterpret_cast<const void*>(address), name, capacity);
  put(begin, found.begin);
  put(bytes, found.bytes);
  return found.kind;
}

// The stack that allocated a heap block, outermost last; the number of frames.
EXPORT int __tsan_get_alloc_stack(uintptr_t address, uintptr_t* trace, size_t capacity, int* thread, uint64_t* os_id) {
  const void* const at = reinterpret_cast<const void*>(address);
  HeapBlock block;
  if (!heap_block_of(at, block)) return 0;
  put(thread, block.thread);
  put(os_id, block.os_id);
  return static_cast<int>(allocation_stack(at, trace, capacity));
}
