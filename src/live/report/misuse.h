// Reports of what is no race: locks used wrongly, threads left behind, handlers of signals that do what they must not.
#pragma once

#include "live/order/thread.h"
#include "race/finding.h"

namespace deadheat::live {

// `where` is the call; `locked_at` where the lock was taken, 0 if that says nothing.
void report_misuse(FindingKind kind, uintptr_t lock, NodeId where, NodeId locked_at);
// Locks that are held where none may be.
void report_locks_held(Thread& t, NodeId where);
// Threads that have ended and were neither joined nor detached.
void report_thread_leaks();
// A thread that ends while it still asks to ignore its accesses has forgotten to end that.
void report_ended_ignoring(Thread& t);
void report_unsafe_in_handler(NodeId where);
void report_spoiled_errno(int signal, NodeId handler);

}  // namespace deadheat::live
