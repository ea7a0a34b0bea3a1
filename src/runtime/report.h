// Telling the user: a race that was found becomes a report, once.
//
// The text is the form that users of ThreadSanitizer and their tools know; with the option record_path each report is
// also one JSON object on a line of that file. Reports are made one at a time, by the thread that found the race, after
// it has left all locks of the shadow.
#pragma once

#include "runtime/shadow.h"

namespace deadheat::live {

// `address`, `bytes`, `kind` and `pc` are the access of `t` that completed the race; `race` is the other side.
void report_race(Thread& t, uintptr_t address, size_t bytes, AccessKind kind, uintptr_t pc, const RaceFound& race)
    __attribute__((cold));

uint64_t reports_printed();
void reports_start();
void reports_finish();  // suppressions that matched, the number of reports
void reports_after_fork();
void reports_lock_for_fork();
void reports_unlock_after_fork();

}  // namespace deadheat::live
