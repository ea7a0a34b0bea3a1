// Handlers of signals: they run at once, unless they interrupt the run time itself; then as soon as that is left.
//
// Inside the run time locks are held and records half made. A handler that came then could neither be watched nor, say,
// post a semaphore in a way that others learn of. So it waits for those microseconds: the signal is kept with its
// details and run by the same thread at the next way out. Signals that report a fault of the instruction itself never
// wait.
//
// The shadow stack of a handler begins anew above the interrupted one, with a gap: the interruption may have come
// between two stores of a push. Tested by test/programs/signal_*.c
#pragma once

#include <signal.h>

#include <cstdint>

namespace deadheat::live {

void signal_enter(int signal, siginfo_t* info, void* context);  // the handler that the system calls

// The program's own.
void set_signal_handler(int signal, void* handler, bool with_info, const sigset_t& blocked);
void* signal_handler_of(int signal);
bool signal_handler_with_info(int signal);
// What a thread did before it set a handler is known to the handler; what it did before it sent a signal, to who awaits
// it (a handler may interrupt anything at any time: that orders nothing).
const void* handler_clock(int signal);
const void* signal_clock(int signal);

// Runs the handlers that waited; called where the run time is left.
void run_waiting_signals();
extern __thread uint32_t signals_waiting __attribute__((tls_model("initial-exec"), visibility("hidden")));

// A jump out of handlers, to a frame whose stack pointer is `target`.
void signals_left_by_jump(uintptr_t target);

}  // namespace deadheat::live
