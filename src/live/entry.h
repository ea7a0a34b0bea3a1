// What the files that answer api.h share: an Entry from the other side.
#pragma once

#include "live/api.h"
#include "live/order/thread.h"

namespace deadheat::live {

// The thread, if what it does orders anything: not inside the run time, nor where the program asked to be left alone.
inline Thread* ordering(const Entry& entry) { return tls.ignoring_sync == 0 ? entry.thread() : nullptr; }

// Whether detection stays out: inside the run time, and before the start.
inline bool stays_out() { return tls.busy != 0 || !started.load(std::memory_order_relaxed); }

inline uintptr_t key(const volatile void* object) { return reinterpret_cast<uintptr_t>(object); }

// Where the interceptor was called, with its own frame.
inline NodeId place_of(const Entry& entry, Thread& t) {
  return t.stack_cache.child(context_node(t), frame_key(entry.pc()));
}

// acquire (api.h) by a thread that has no Entry.
void acquire_at(Thread& t, uintptr_t pc, const void* object);

}  // namespace deadheat::live
