// Telling the user: a race that was found becomes a report, once.
//
// The text is the form that users of ThreadSanitizer and their tools know; with the option record_path each report is
// also one JSON object on a line of that file. Reports are made one at a time, by the thread that found the race, after
// it has left all locks of the shadow.
#pragma once

#include "runtime/finding.h"
#include "runtime/shadow.h"

namespace deadheat::live {

// `address`, `bytes`, `kind` and `pc` are the access of `t` that completed the race; `race` is the other side.
void report_race(Thread& t, uintptr_t address, size_t bytes, AccessKind kind, uintptr_t pc, const RaceFound& race)
    __attribute__((cold));

// A race on an object of the C library (a mutex that is made while it is used, ...), whose bytes have no shadow of
// this.
// `origin` is the access of `t` (origin_of), `other_where` the call of the other thread.
void report_object_race(const Thread& t, uintptr_t object, AccessKind kind, NodeId origin, ThreadUid other,
                        AccessKind other_kind, NodeId other_where) __attribute__((cold));

// Anything else than a race. `key` tells one finding of a kind from another; `fill` is called if this one is new.
void report_other(FindingKind kind, uint64_t key, void (*fill)(Finding& finding, void* data), void* data)
    __attribute__((cold));

// What the program is being told right now; null outside of __tsan_on_report.
Finding* current_finding();

// The user asked (called_from_lib) that interceptors stay out when called from there.
bool called_from_suppressed_library(const char* path);
bool libraries_suppressed();  // whether there is any such wish
// Ends the program as halt_on_error asks for, after the callback that the program has set for this.
[[noreturn]] void die_with_report();
void set_death_callback(void (*callback)());
void run_death_callback();

uint64_t reports_printed();
void reports_start();
bool list_suppressed();  // for `coverage`: a line for each rule that hid something; false if none did
void reports_finish();   // suppressions that matched, the number of reports
void reports_after_fork();

}  // namespace deadheat::live
