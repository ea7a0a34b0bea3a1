// Handlers of signals: they run at once, unless they interrupt the run time itself; then they run as soon as the thread
// leaves it.
//
// Inside the run time a thread holds locks and has half-made records. A handler that ran then could not be watched, and
// other threads could not learn from it, for example from a semaphore that it posts. So the handler waits for those
// microseconds: we keep the signal with its details, and the same thread runs the handler on its way out. Signals that
// report a fault of the instruction itself never wait.
//
// Order    The system enters our handler with all other signals blocked, so signals are kept in the order in which the
//          system delivered them. A handler does not run before those of earlier signals have ended; one whose signal
//          came after a handler had begun may interrupt it, as usual. (No signal waits for a handler that does not end
//          or that itself waits for signals.)
// Masks    Our handler then sets the mask that the system would have set for the program's handler. While a signal
//          waits, the mask is that of the interrupted code. If a handler blocks a waiting signal, that signal waits
//          until the handler ends. The program never sees our masks.
// Limit    When kMostWaiting signals wait, the interrupted code goes on with all signals blocked: the system keeps
//          what comes then, as it does for a program that blocks signals.
// Stack    The shadow stack of a handler begins anew above the interrupted one, with a gap: the interruption may have
//          come between two stores of a push.
// Tested by test/programs/signal_*.c
#pragma once

#include <signal.h>

#include <cstddef>
#include <cstdint>

namespace deadheat::live {

// As the system has it: bit n - 1 is signal n.
using SignalSet = uint64_t;
inline SignalSet signal_set(const sigset_t& from) {
  SignalSet set;
  __builtin_memcpy(&set, &from, sizeof set);
  return set;
}

// By this one the C library cancels a thread that may be cancelled at any time. Its handler unwinds the stack from
// wherever the thread is, so it waits, too, inside the run time (capture/intercept_cancel.cpp).
constexpr int kCancelSignal = 32;

void signal_enter(int signal, siginfo_t* info, void* context);  // the handler that the system calls

// What the program asked for.
struct SignalAction {
  void* handler;  // null: no handler yet
  SignalSet blocked;
  int flags;
};
SignalAction signal_action(int signal);
void set_signal_action(int signal, const SignalAction& action);  // by one thread at a time
// The system's action for a handler of the program.
void make_action_ours(struct sigaction& action);
// Setting a handler is ordered before the handler runs, and sending a signal before a wait for it returns. (A handler
// may interrupt anything at any time: that orders nothing.)
const void* handler_clock(int signal);
const void* signal_clock(int signal);

// Runs the handlers that waited, but for those of signals that are blocked now, or come after a handler that runs.
void run_waiting_signals();
// Before the thread waits for signals, or asks which ones are pending: those that wait here, blocked, go back to the
// system.
void give_waiting_signals_back();
// At the end of a thread, inside the run time.
void run_last_signals();
// The program ends, perhaps out of a handler that others wait for.
void run_signals_before_end();

// Blocks all signals but the C library's for setuid(); returns what the system had blocked until then.
SignalSet block_all_signals();
void set_signal_mask(SignalSet blocked);
// Of those that the system has blocked for a thread inside the run time, the ones that the program asked for.
SignalSet blocked_by_program(SignalSet blocked);

// Around fork, inside the run time: no signal comes between, and those that wait are the parent's.
void signals_before_fork();
void signals_after_fork(bool in_child);

// A jump out of handlers, to a frame whose stack pointer is `target`.
void signals_left_by_jump(uintptr_t target);

}  // namespace deadheat::live
