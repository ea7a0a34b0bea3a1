// Telling the user: a race that was found becomes a report, once.
//
// The text is the form that users of ThreadSanitizer and their tools know; with the option record_path each report is
// also one JSON object on a line of that file. The thread that found the race makes the report, in a session of its own
// (report_session.h), after it has left all locks; many may do so at once. Locks are held for moments only, and while
// something is read or written (sleep_lock.h); never while the program is called back.
#pragma once

#include "live/ground/message.h"
#include "live/report/draft.h"
#include "live/shadow/shadow.h"

namespace deadheat::live {

// `address`, `bytes`, `kind` and `pc` are the access of `t` that completed the race; `race` is the other side.
void report_race(Thread& t, uintptr_t address, size_t bytes, AccessKind kind, uintptr_t pc, const RaceFound& race)
    __attribute__((cold));

// A race on an object of the C library (a mutex that is made while it is used, ...), whose bytes have no shadow of
// this.
// `origin` is the access of `t` (origin_of), `other_where` the call of the other thread.
void report_object_race(const Thread& t, uintptr_t object, AccessKind kind, NodeId origin, ThreadUid other,
                        AccessKind other_kind, NodeId other_where) __attribute__((cold));

// Anything else than a race. `bug` tells one finding of a kind from another; `paths` stands for all stacks that it
// shows, on which it depends whether it is suppressed. `fill` is called if it is to be told.
struct OtherKey {
  uint64_t bug, paths;
};
void report_other(FindingKind kind, const OtherKey& key, void (*fill)(Draft& draft, void* data), void* data)
    __attribute__((cold));

// What the calling thread is being told right now; null outside of callbacks.
const Finding* current_finding();
// The report that a caller means, if the calling thread is being told of it; else null.
const Finding* told_finding(const void* report);

// The user asked (called_from_lib) that interceptors stay out when called from there.
bool called_from_suppressed_library(const char* path);
bool libraries_suppressed();  // whether there is any such wish
// Called once, before halt_on_error ends the program.
void set_death_callback(void (*callback)());

// A stack in the form that the user wants (stack_trace_format), and an empty line.
void add_stack(Text& text, StackView stack);
// One frame in the form that the caller wants.
void add_frame(Text& text, const StackFrame& frame, unsigned number, const char* format);

uint64_t reports_printed();
void reports_start();
bool list_suppressed();  // for `coverage`: a line for each rule that hid something; false if none did
void reports_finish();   // suppressions that matched, the number of reports
void reports_after_fork();

}  // namespace deadheat::live
