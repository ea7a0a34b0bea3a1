// Signals: handlers of the program are called through ours (live/process/signals.h); setting a handler is ordered before it
// runs, sending a signal before it is awaited.
#include <signal.h>

#include <atomic>
#include <cerrno>

#include "live/api.h"
#include "live/ground/inside.h"
#include "live/order/descriptors.h"
#include "live/process/signals.h"

using namespace deadheat::live;

namespace {

// Guards the pair of our table and the system's; no handler runs while it is held, because its holder is busy.
constinit SpinLock actions_lock(Lock::kSignalActions);
class Actions : BusyGuard {
 public:
  Actions() : BusyGuard(actions_lock) {}
};

bool is_handler(const struct sigaction& action) { return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN; }
bool is_ours(const struct sigaction& action) { return action.sa_sigaction == &signal_enter; }
bool is_signal(int signal) { return signal > 0 && signal < 65; }

void sent(const Entry& entry, int signal) {
  if (!is_signal(signal)) return;
  release(entry, signal_clock(signal));
  fd_signal_sent(entry, signal);
}
int received(const Entry& entry, int signal) {
  if (is_signal(signal)) acquire(entry, signal_clock(signal));
  return signal;
}

}  // namespace

namespace deadheat::live {
DEADHEAT_TAKEN_AT_FORK(kSignalActions, actions_lock)
}

namespace {
int change_action(void* caller, int signal, const struct sigaction* wanted, struct sigaction* old);
}

DEADHEAT_INTERCEPT(int, sigaction, int signal, const struct sigaction* wanted, struct sigaction* old) {
  return change_action(DEADHEAT_CALLER, signal, wanted, old);
}
DEADHEAT_INTERCEPT(int, __sigaction, int signal, const struct sigaction* wanted, struct sigaction* old) {
  return change_action(DEADHEAT_CALLER, signal, wanted, old);
}

namespace {

int change_action(void* caller, int signal, const struct sigaction* wanted, struct sigaction* old) {
  if (!is_signal(signal)) return REAL(sigaction)(signal, wanted, old);
  if (wanted != nullptr) {
    Entry entry(caller);
    release(entry, handler_clock(signal));
  }
  Actions guard;
  const SignalAction known = signal_action(signal);
  const bool own = wanted != nullptr && is_handler(*wanted);
  struct sigaction ours, before;
  if (own) {
    ours = *wanted;
    make_action_ours(ours);
    set_signal_action(signal,
                      {reinterpret_cast<void*>(wanted->sa_sigaction), signal_set(wanted->sa_mask), wanted->sa_flags});
  }
  const int result = REAL(sigaction)(signal, own ? &ours : wanted, &before);
  if (result != 0) {
    if (own) set_signal_action(signal, known);
    return result;
  }
  if (old == nullptr) return result;
  if (is_ours(before)) {
    before.sa_sigaction = reinterpret_cast<void (*)(int, siginfo_t*, void*)>(known.handler);
    if ((known.flags & SA_SIGINFO) == 0) before.sa_flags &= ~SA_SIGINFO;
    sigemptyset(&before.sa_mask);
    __builtin_memcpy(&before.sa_mask, &known.blocked, sizeof known.blocked);
  }
  *old = before;
  return result;
}

sighandler_t set_handler(void* caller, int signal, sighandler_t handler, bool blocked, int flags) {
  if (handler == SIG_ERR) {
    errno = EINVAL;
    return SIG_ERR;
  }
  struct sigaction wanted = {}, before;
  wanted.sa_handler = handler;
  wanted.sa_flags = flags;
  if (blocked && is_signal(signal)) sigaddset(&wanted.sa_mask, signal);
  return change_action(caller, signal, &wanted, &before) == 0 ? before.sa_handler : SIG_ERR;
}

// The signals whose handlers interrupt system calls, as siginterrupt() said.
constinit std::atomic<SignalSet> interrupting{0};
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
  const SignalSet its_bit = SignalSet{1} << (signal - 1);
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
    const Inside inside;                                                              \
    return result;                                                                    \
  }
CHANGE_MASK(pthread_sigmask)
CHANGE_MASK(sigprocmask)
DEADHEAT_INTERCEPT(int, sigpending, sigset_t* signals) {
  Entry entry(DEADHEAT_CALLER);
  give_waiting_signals_back();
  return REAL(sigpending)(signals);
}
DEADHEAT_INTERCEPT(int, sigsuspend, const sigset_t* blocked) {
  Entry entry(DEADHEAT_CALLER);
  give_waiting_signals_back();
  return REAL(sigsuspend)(blocked);
}
DEADHEAT_INTERCEPT(int, pause) {
  Entry entry(DEADHEAT_CALLER);
  give_waiting_signals_back();
  return REAL(pause)();
}

// ---- sending and awaiting ----

DEADHEAT_INTERCEPT(int, kill, pid_t process, int signal) {
  Entry entry(DEADHEAT_CALLER);
  sent(entry, signal);
  return REAL(kill)(process, signal);
}
DEADHEAT_INTERCEPT(int, raise, int signal) {
  Entry entry(DEADHEAT_CALLER);
  sent(entry, signal);
  return REAL(raise)(signal);
}
DEADHEAT_INTERCEPT(int, pthread_kill, pthread_t thread, int signal) {
  Entry entry(DEADHEAT_CALLER);
  sent(entry, signal);
  return REAL(pthread_kill)(thread, signal);
}
DEADHEAT_INTERCEPT(int, pthread_sigqueue, pthread_t thread, int signal, const union sigval value) {
  Entry entry(DEADHEAT_CALLER);
  sent(entry, signal);
  return REAL(pthread_sigqueue)(thread, signal, value);
}
DEADHEAT_INTERCEPT(int, sigqueue, pid_t process, int signal, const union sigval value) {
  Entry entry(DEADHEAT_CALLER);
  sent(entry, signal);
  return REAL(sigqueue)(process, signal, value);
}
DEADHEAT_INTERCEPT(int, sigwait, const sigset_t* signals, int* signal) {
  Entry entry(DEADHEAT_CALLER);
  give_waiting_signals_back();
  const int result = REAL(sigwait)(signals, signal);
  if (result == 0) {
    received(entry, *signal);
    write_range(entry, signal, sizeof *signal);
  }
  return result;
}
DEADHEAT_INTERCEPT(int, sigwaitinfo, const sigset_t* signals, siginfo_t* info) {
  Entry entry(DEADHEAT_CALLER);
  give_waiting_signals_back();
  return received(entry, REAL(sigwaitinfo)(signals, info));
}
DEADHEAT_INTERCEPT(int, sigtimedwait, const sigset_t* signals, siginfo_t* info, const timespec* limit) {
  Entry entry(DEADHEAT_CALLER);
  give_waiting_signals_back();
  return received(entry, REAL(sigtimedwait)(signals, info, limit));
}
