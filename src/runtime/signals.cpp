#include "runtime/signals.h"

#include <ucontext.h>

#include <atomic>
#include <cerrno>

#include "runtime/api.h"
#include "runtime/misuse.h"
#include "runtime/thread.h"

namespace deadheat::live {

__thread uint32_t signals_waiting;

namespace {

constexpr int kSignals = 65;

// Written under the lock of whoever calls sigaction, read by handlers at any time.
struct Action {
  std::atomic<uintptr_t> handler;  // bit 63: takes three arguments
  sigset_t blocked;
};
Action actions[kSignals];
constexpr uintptr_t kWithInfo = uintptr_t{1} << 63;

struct Waiting {
  int signal;
  siginfo_t info;
};
constexpr unsigned kMostWaiting = 16;
struct Queue {
  Waiting signals[kMostWaiting];
};
// Made when the first signal has to wait: few threads ever have one.
__thread Queue* queue __attribute__((tls_model("initial-exec")));

// A handler that runs, the innermost first.
struct Running {
  Running* outer;
  uintptr_t stack_pointer;
  Frame* sp;
  Frame* base;
};
__thread Running* running __attribute__((tls_model("initial-exec")));

bool is_fault(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGTRAP ||
         signal == SIGSYS || signal == SIGABRT;
}

void run(int signal, siginfo_t* info, void* context) {
  const uintptr_t handler = actions[signal].handler.load(std::memory_order_acquire);
  if (handler == 0) return;
  Thread* t = tls.busy == 0 ? current_thread() : nullptr;
  Running mine{running, reinterpret_cast<uintptr_t>(__builtin_frame_address(0)), tls.sp, tls.base};
  NodeId where = 0;
  if (t != nullptr) {
    {
      Entry entry(nullptr);
      acquire(entry, handler_clock(signal));
    }
    where = t->stack_cache.child(context_node(*t), frame_key((handler & ~kWithInfo) + 1));
    if (tls.sp + 1 < tls.limit) tls.base = tls.sp = tls.sp + 1;
  }
  running = &mine;
  ++tls.in_handler;
  // What the interrupted code does not want to be looked at is not the handler's business.
  const uint32_t ignoring = tls.ignoring;
  const uint16_t ignoring_sync = tls.ignoring_sync;
  tls.ignoring = tls.ignoring_sync = 0;
  const int error = errno;
  if ((handler & kWithInfo) != 0)
    reinterpret_cast<void (*)(int, siginfo_t*, void*)>(handler & ~kWithInfo)(signal, info, context);
  else
    reinterpret_cast<void (*)(int)>(handler)(signal);
  const bool spoiled = errno != error;
  --tls.in_handler;
  tls.ignoring = ignoring;
  tls.ignoring_sync = ignoring_sync;
  running = mine.outer;
  if (t != nullptr && tls.thread == t) {
    tls.sp = mine.sp;
    tls.base = mine.base;
    if (spoiled && !is_fault(signal)) {
      const int left = errno;
      report_spoiled_errno(signal, where);
      errno = left;
    }
  }
}

bool keep_for_later(int signal, const siginfo_t* info, bool with_info) {
  if (signals_waiting == kMostWaiting) return false;
  if (queue == nullptr) {
    queue = static_cast<Queue*>(sys::map(nullptr, sizeof(Queue), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS));
    if (queue == nullptr) return false;
  }
  Waiting& waiting = queue->signals[signals_waiting];
  waiting.signal = signal;
  if (with_info) waiting.info = *info;
  ++signals_waiting;
  return true;
}

}  // namespace

void signal_enter(int signal, siginfo_t* info, void* context) {
  const bool inside = tls.busy != 0 && tls.thread != nullptr;
  if (inside && !is_fault(signal) && keep_for_later(signal, info, signal_handler_with_info(signal))) return;
  run(signal, info, context);
}

void run_waiting_signals() {
  while (signals_waiting != 0 && tls.busy == 0) {
    // With the signals blocked that the program wants blocked in its handler, and a context that says where we are.
    sigset_t all, before;
    sigfillset(&all);
    sigemptyset(&before);  // the system fills in 8 bytes only
    sys::call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&all), reinterpret_cast<long>(&before), 8);
    if (signals_waiting == 0) {
      sys::call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&before), 0, 8);
      return;
    }
    Waiting first = queue->signals[0];
    --signals_waiting;
    for (uint32_t i = 0; i < signals_waiting; ++i) queue->signals[i] = queue->signals[i + 1];
    sigset_t during = before;
    sigorset(&during, &before, &actions[first.signal].blocked);
    sigaddset(&during, first.signal);
    ucontext_t here;
    getcontext(&here);
    here.uc_sigmask = before;
    sys::call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&during), 0, 8);
    run(first.signal, &first.info, &here);
    sys::call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&before), 0, 8);
  }
}

void* signal_handler_of(int signal) {
  return reinterpret_cast<void*>(actions[signal].handler.load(std::memory_order_acquire) & ~kWithInfo);
}
bool signal_handler_with_info(int signal) {
  return (actions[signal].handler.load(std::memory_order_acquire) & kWithInfo) != 0;
}
void set_signal_handler(int signal, void* handler, bool with_info, const sigset_t& blocked) {
  actions[signal].blocked = blocked;
  actions[signal].handler.store(reinterpret_cast<uintptr_t>(handler) | (with_info ? kWithInfo : 0),
                                std::memory_order_release);
}
const void* signal_clock(int signal) { return &actions[signal].blocked; }
const void* handler_clock(int signal) { return &actions[signal]; }

void signals_left_by_jump(uintptr_t target) {
  while (running != nullptr && running->stack_pointer < target) {
    if (tls.thread != nullptr) {
      tls.sp = running->sp;
      tls.base = running->base;
    }
    --tls.in_handler;
    running = running->outer;
  }
}

}  // namespace deadheat::live
