// Signals: handlers of the program are called through ours (live/process/signals.h); setting a handler is ordered
// before it runs, sending a signal before it is awaited.
#include <signal.h>

#include <atomic>
#include <cerrno>

#include "capture/intercept.h"

using namespace deadheat::live;

namespace {

bool is_signal(int signal) { return signal > 0 && signal < 65; }

}  // namespace

DEADHEAT_WATCHED(int, sigaction, (int signal, const struct sigaction* wanted, struct sigaction* old),
                 change_signal_action(entry, signal, wanted, old, REAL(sigaction)))
DEADHEAT_WATCHED(int, __sigaction, (int signal, const struct sigaction* wanted, struct sigaction* old),
                 change_signal_action(entry, signal, wanted, old, REAL(sigaction)))

namespace {

sighandler_t set_handler(void* caller, int signal, sighandler_t handler, bool blocked, int flags) {
  if (handler == SIG_ERR) {
    errno = EINVAL;
    return SIG_ERR;
  }
  struct sigaction wanted = {}, before;
  wanted.sa_handler = handler;
  wanted.sa_flags = flags;
  if (blocked && is_signal(signal)) sigaddset(&wanted.sa_mask, signal);
  Entry entry(caller);
  const int result = change_signal_action(entry, signal, &wanted, &before, REAL(sigaction));
  return result == 0 ? before.sa_handler : SIG_ERR;
}

// The signals whose handlers interrupt system calls, as siginterrupt() said.
constinit std::atomic<uint64_t> interrupting{0};
int restart_flag(int signal) {
  return is_signal(signal) && (interrupting.load(std::memory_order_relaxed) >> (signal - 1) & 1) != 0 ? 0 : SA_RESTART;
}

}  // namespace

// As the C library has them: BSD's, and that of System V, which is for one signal and blocks nothing.
#define BSD_SIGNAL(name)                                                              \
  DEADHEAT_INTERCEPT(sighandler_t, name, int signal, sighandler_t handler) {          \
    return set_handler(DEADHEAT_CALLER, signal, handler, true, restart_flag(signal)); \
  }
BSD_SIGNAL(signal)
BSD_SIGNAL(bsd_signal)
BSD_SIGNAL(ssignal)
#define SYSV_SIGNAL(name)                                                                                  \
  DEADHEAT_INTERCEPT(sighandler_t, name, int signal, sighandler_t handler) {                               \
    return set_handler(DEADHEAT_CALLER, signal, handler, false, SA_RESETHAND | SA_NODEFER | SA_INTERRUPT); \
  }
SYSV_SIGNAL(sysv_signal)
SYSV_SIGNAL(__sysv_signal)

DEADHEAT_INTERCEPT(int, siginterrupt, int signal, int interrupts) {
  const int result = REAL(siginterrupt)(signal, interrupts);
  if (result != 0 || !is_signal(signal)) return result;
  const uint64_t its_bit = uint64_t{1} << (signal - 1);
  if (interrupts != 0)
    interrupting.fetch_or(its_bit, std::memory_order_relaxed);
  else
    interrupting.fetch_and(~its_bit, std::memory_order_relaxed);
  return result;
}

// ---- masks: signals that wait for a handler to end may be let through by it ----

#define CHANGE_MASK(name)                                                             \
  DEADHEAT_INTERCEPT(int, name, int how, const sigset_t* signals, sigset_t* before) { \
    Entry entry(DEADHEAT_CALLER);                                                     \
    const int result = REAL(name)(how, signals, before);                              \
    signal_mask_changed();                                                            \
    return result;                                                                    \
  }
CHANGE_MASK(pthread_sigmask)
CHANGE_MASK(sigprocmask)
DEADHEAT_WATCHED(int, sigpending, (sigset_t* signals), signals_awaited(), REAL(sigpending)(signals))
DEADHEAT_WATCHED(int, sigsuspend, (const sigset_t* blocked), signals_awaited(), REAL(sigsuspend)(blocked))
DEADHEAT_WATCHED(int, pause, (), signals_awaited(), REAL(pause)())

// ---- sending and awaiting ----

DEADHEAT_WATCHED(int, kill, (pid_t process, int signal), signal_sent(entry, signal), REAL(kill)(process, signal))
DEADHEAT_WATCHED(int, raise, (int signal), signal_sent(entry, signal), REAL(raise)(signal))
DEADHEAT_WATCHED(int, pthread_kill, (pthread_t thread, int signal), signal_sent(entry, signal),
                 REAL(pthread_kill)(thread, signal))
DEADHEAT_WATCHED(int, pthread_sigqueue, (pthread_t thread, int signal, const union sigval value),
                 signal_sent(entry, signal), REAL(pthread_sigqueue)(thread, signal, value))
DEADHEAT_WATCHED(int, sigqueue, (pid_t process, int signal, const union sigval value), signal_sent(entry, signal),
                 REAL(sigqueue)(process, signal, value))
DEADHEAT_INTERCEPT(int, sigwait, const sigset_t* signals, int* signal) {
  Entry entry(DEADHEAT_CALLER);
  signals_awaited();
  const int result = REAL(sigwait)(signals, signal);
  if (result == 0) {
    signal_received(entry, *signal);
    write_range(entry, signal, sizeof *signal);
  }
  return result;
}
DEADHEAT_INTERCEPT(int, sigwaitinfo, const sigset_t* signals, siginfo_t* info) {
  Entry entry(DEADHEAT_CALLER);
  signals_awaited();
  const int signal = REAL(sigwaitinfo)(signals, info);
  signal_received(entry, signal);
  return signal;
}
DEADHEAT_INTERCEPT(int, sigtimedwait, const sigset_t* signals, siginfo_t* info, const timespec* limit) {
  Entry entry(DEADHEAT_CALLER);
  signals_awaited();
  const int signal = REAL(sigtimedwait)(signals, info, limit);
  signal_received(entry, signal);
  return signal;
}
