// Sleeps: a thread that sleeps until another thread "must be done" hides a race behind time. Reports say so.
//
// After a sleep the thread remembers where it slept and how far the other threads had come. A report of a race with
// something that another thread did before then shows that place. Tested by test/programs/report_sleep.c
#pragma once

#include "live/order/thread.h"

namespace deadheat::live {

// After the real sleep.
void note_slept(Thread& t, uintptr_t pc);
// Where the thread last slept, if that was after the other thread's access; 0 if not.
NodeId slept_after(const Thread& t, Epoch access);
void forget_sleeps(Thread& t);  // at its end

}  // namespace deadheat::live
