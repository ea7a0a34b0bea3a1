// Reports: a race that was found is reported, once.
//
// The text has the form that users of ThreadSanitizer and their tools know. With the option record_path each report is
// also a race record in that file (record.h). The thread that found the race makes the report, in a session of its own
// (report_session.h), after it has left all locks; many threads may do so at once. A reporting thread holds locks only
// for moments, and while it reads or writes files and sockets (sleep_lock.h); never while it calls the program back.
#pragma once

#include "live/ground/message.h"
#include "live/report/draft.h"
#include "live/shadow/shadow.h"

namespace deadheat::live {

// A race on an object of the C library (a mutex that is made while it is used, ...), which the shadow of its bytes does
// not show. `origin` is the access of `t` (origin_of), `other_where` the call of the other thread.
void report_object_race(const Thread& t, uintptr_t object, AccessKind kind, OriginId origin, ThreadUid other,
                        AccessKind other_kind, NodeId other_where) __attribute__((cold));

// Anything else than a race. `bug` tells one finding of a kind from another. `paths` stands for all stacks that it
// shows; suppressions depend on them. `fill` is called if the finding will be reported.
struct OtherKey {
  uint64_t bug, paths;
};
void report_other(FindingKind kind, const OtherKey& key, void (*fill)(Draft& draft, void* data), void* data)
    __attribute__((cold));

// What the calling thread is being told right now; null outside of callbacks.
const Finding* current_finding();
// The report that a caller means, if the calling thread is being told of it; else null.
const Finding* told_finding(const void* report);

// A stack in the form that the user wants (stack_trace_format), and an empty line.
void add_stack(Text& text, StackView stack);
// One frame in the form that the caller wants.
void add_frame(Text& text, const StackFrame& frame, unsigned number, const char* format);

uint64_t reports_printed();
void reports_start();
bool list_suppressed();  // for `coverage`: a line for each rule, whether it hid something; false if none did
void reports_finish();   // suppressions that matched, the number of reports
void reports_end();      // the last line of the record
void reports_after_fork();

}  // namespace deadheat::live
