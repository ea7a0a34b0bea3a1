// Signals: handlers of the program are called through ours (runtime/signals.h); setting a handler is ordered before it
// runs, sending a signal before it is awaited.
#include <signal.h>

#include <cerrno>

#include "runtime/api.h"
#include "runtime/descriptors.h"
#include "runtime/inside.h"
#include "runtime/signals.h"

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
// By its plain type: the system calls it with three arguments all the same.
sighandler_t our_handler() {
  struct sigaction action = {};
  action.sa_sigaction = &signal_enter;
  return action.sa_handler;
}
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

#define SIGACTION(name)                                                                                               \
  DEADHEAT_INTERCEPT(int, name, int signal, const struct sigaction* wanted, struct sigaction* old) {                  \
    if (!is_signal(signal)) return REAL(name)(signal, wanted, old);                                                   \
    {                                                                                                                 \
      Entry entry(DEADHEAT_CALLER);                                                                                   \
      if (wanted != nullptr) release(entry, handler_clock(signal));                                                   \
    }                                                                                                                 \
    Actions guard;                                                                                                    \
    void* const old_handler = signal_handler_of(signal);                                                              \
    const bool old_with_info = signal_handler_with_info(signal);                                                      \
    struct sigaction ours, before;                                                                                    \
    if (wanted != nullptr && is_handler(*wanted)) {                                                                   \
      ours = *wanted;                                                                                                 \
      ours.sa_sigaction = &signal_enter;                                                                              \
      ours.sa_flags |= SA_SIGINFO;                                                                                    \
      set_signal_handler(signal, reinterpret_cast<void*>(wanted->sa_sigaction), (wanted->sa_flags & SA_SIGINFO) != 0, \
                         wanted->sa_mask);                                                                            \
    }                                                                                                                 \
    const bool own = wanted != nullptr && is_handler(*wanted);                                                        \
    const int result = REAL(name)(signal, own ? &ours : wanted, &before);                                             \
    if (result != 0 && own) set_signal_handler(signal, old_handler, old_with_info, before.sa_mask);                   \
    if (result == 0 && old != nullptr) {                                                                              \
      if (is_ours(before)) {                                                                                          \
        before.sa_sigaction = reinterpret_cast<void (*)(int, siginfo_t*, void*)>(old_handler);                        \
        if (!old_with_info) before.sa_flags &= ~SA_SIGINFO;                                                           \
      }                                                                                                               \
      *old = before;                                                                                                  \
    }                                                                                                                 \
    return result;                                                                                                    \
  }
SIGACTION(sigaction)
SIGACTION(__sigaction)

// The real function knows what its caller's feature macros and siginterrupt() made of it; it only installs ours.
#define SIGNAL(name)                                                                            \
  DEADHEAT_INTERCEPT(sighandler_t, name, int signal, sighandler_t handler) {                    \
    if (!is_signal(signal)) return REAL(name)(signal, handler);                                 \
    {                                                                                           \
      Entry entry(DEADHEAT_CALLER);                                                             \
      release(entry, handler_clock(signal));                                                    \
    }                                                                                           \
    Actions guard;                                                                              \
    void* const old_handler = signal_handler_of(signal);                                        \
    const bool old_with_info = signal_handler_with_info(signal);                                \
    const bool own = handler != SIG_DFL && handler != SIG_IGN && handler != SIG_ERR;            \
    sigset_t none;                                                                              \
    sigemptyset(&none);                                                                         \
    if (own) set_signal_handler(signal, reinterpret_cast<void*>(handler), false, none);         \
    const sighandler_t before = REAL(name)(signal, own ? our_handler() : handler);              \
    if (before == SIG_ERR && own) set_signal_handler(signal, old_handler, old_with_info, none); \
    return before == our_handler() ? reinterpret_cast<sighandler_t>(old_handler) : before;      \
  }
SIGNAL(signal)
SIGNAL(bsd_signal)
SIGNAL(ssignal)
SIGNAL(sysv_signal)
SIGNAL(__sysv_signal)

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
  const int result = REAL(sigwait)(signals, signal);
  if (result == 0) {
    received(entry, *signal);
    write_range(entry, signal, sizeof *signal);
  }
  return result;
}
DEADHEAT_INTERCEPT(int, sigwaitinfo, const sigset_t* signals, siginfo_t* info) {
  Entry entry(DEADHEAT_CALLER);
  return received(entry, REAL(sigwaitinfo)(signals, info));
}
DEADHEAT_INTERCEPT(int, sigtimedwait, const sigset_t* signals, siginfo_t* info, const timespec* limit) {
  Entry entry(DEADHEAT_CALLER);
  return received(entry, REAL(sigtimedwait)(signals, info, limit));
}
