#include "live/process/signals.h"

#include <ucontext.h>

#include <atomic>
#include <cerrno>

#include "live/ground/inside.h"
#include "live/ground/own_stack.h"
#include "live/ground/sys.h"
#include "live/order/party.h"
#include "live/order/sync.h"
#include "live/order/thread.h"
#include "live/report/misuse.h"
#include "live/shadow/shadow.h"

namespace deadheat::live {

namespace {

constexpr int kSignals = 65;
constexpr SignalSet bit(int signal) { return SignalSet{1} << (signal - 1); }
constexpr SignalSet kFaults =
    bit(SIGSEGV) | bit(SIGBUS) | bit(SIGFPE) | bit(SIGILL) | bit(SIGTRAP) | bit(SIGSYS) | bit(SIGABRT);
// By this one setuid() and its like make all threads change, and wait for them with a lock that pthread_create needs. So
// nobody blocks it, inside the run time neither. It never comes to us.
constexpr SignalSet kChangeIds = bit(33);
constexpr SignalSet kInternal = bit(kCancelSignal) | kChangeIds;  // the C library's own, which no program may block
constexpr SignalSet kCanWait = ~(kFaults | kInternal);

// Handlers read it at any time, also while their own thread changes it: a change goes to the copy that is not in use.
struct Known {
  std::atomic<uint32_t> version;
  struct {
    std::atomic<void*> handler;
    std::atomic<SignalSet> blocked;
    std::atomic<int> flags;
  } copies[2];
};
Known known[kSignals];

struct Waiting {
  int signal;
  uint32_t number;  // of the thread's signals that had to wait
  SignalAction action;
  siginfo_t info;
};
constexpr uint32_t kMostWaiting = 64;
// `postponed.signals` of them wait. Made when the first signal has to: few threads ever have one.
__thread Waiting* queue __attribute__((tls_model("initial-exec")));
constexpr size_t kQueueBytes = kMostWaiting * sizeof(Waiting);

// Whether the system holds all others back until the run time is left, and what the program has blocked meanwhile.
struct Held {
  bool back;
  SignalSet mask;
};
__thread Held held __attribute__((tls_model("initial-exec")));

__thread SignalSet before_fork __attribute__((tls_model("initial-exec")));

// The signals that wait for the innermost handler to end.
struct Behind {
  uint32_t last;      // the number of the last one that came before the handler had begun
  uint32_t patience;  // how often the handler may still leave the run time until it counts as one that does not end
};
constexpr uint32_t kPatience = 4096;
__thread Behind behind __attribute__((tls_model("initial-exec")));
__thread uint32_t last_number __attribute__((tls_model("initial-exec")));

// A handler that runs, the innermost first. One that is left by an exception stays: nothing reads it but jumps.
struct Running {
  Running* outer;
  uintptr_t stack_pointer;
  Frame* sp;
  Frame* base;
  Behind outer_behind;
};
__thread Running* running __attribute__((tls_model("initial-exec")));

SignalSet change_mask(int how, SignalSet signals) {
  SignalSet before = 0;
  sys::call(SYS_rt_sigprocmask, how, reinterpret_cast<long>(&signals), reinterpret_cast<long>(&before), sizeof before);
  return before;
}

// `before`: the signals that were blocked when this one came.
void run(int signal, const SignalAction& action, siginfo_t* info, void* context, SignalSet before) {
  if (action.handler == nullptr) return;
  Thread* t = tls.busy == 0 ? current_thread() : nullptr;
  Running mine{running, reinterpret_cast<uintptr_t>(__builtin_frame_address(0)), tls.sp, tls.base, behind};
  NodeId where{};
  // Signals that come from here on wait until the handler has begun.
  Inside::enter();
  if (t != nullptr) {
    if (tls.ignoring_sync == 0) {
      Party party(*t);
      SyncLock lock(reinterpret_cast<uintptr_t>(handler_clock(signal)));
      order::wait(party, lock);
      if constexpr (record::kOn)
        record::ordered(*t, record::What::kTake, reinterpret_cast<uintptr_t>(handler_clock(signal)));
    }
    where = t->stack_cache.child(context_node(*t), frame_key(reinterpret_cast<uintptr_t>(action.handler) + 1));
    if (tls.sp + 1 < tls.limit) tls.base = tls.sp = tls.sp + 1;
  }
  running = &mine;
  ++tls.in_handler;
  // What the interrupted code does not want to be looked at is not the handler's business.
  const uint32_t ignoring = tls.ignoring;
  const uint16_t ignoring_sync = tls.ignoring_sync;
  tls.ignoring = tls.ignoring_sync = 0;
  const int error = errno;
  const Held held_before = held;
  held.back = false;
  set_signal_mask(before | action.blocked | ((action.flags & SA_NODEFER) != 0 ? 0 : bit(signal)));
  behind = {last_number, kPatience};
  Inside::leave_into_handler();
  if ((action.flags & SA_SIGINFO) != 0)
    reinterpret_cast<void (*)(int, siginfo_t*, void*)>(action.handler)(signal, info, context);
  else
    reinterpret_cast<void (*)(int)>(action.handler)(signal);
  const bool spoiled = errno != error;
  --tls.in_handler;
  tls.ignoring = ignoring;
  tls.ignoring_sync = ignoring_sync;
  running = mine.outer;
  behind = mine.outer_behind;
  held = held_before;
  if (t != nullptr && tls.thread == t) {
    tls.sp = mine.sp;
    tls.base = mine.base;
    if (spoiled && (bit(signal) & kFaults) == 0) {
      const int left = errno;
      report_spoiled_errno(signal, where);
      errno = left;
    }
  }
}

bool send_to_self(int signal, siginfo_t& info) {
  return sys::call(SYS_rt_tgsigqueueinfo, sys::process_id(), sys::thread_id(), signal, reinterpret_cast<long>(&info)) ==
         0;
}

// Whether the system must not deliver another signal that can wait: there is no room for it, or, for a signal that is
// handled once and waits, no handler until that one has run.
bool has_to_hold_back() {
  bool once = false;
  for (uint32_t i = 0; i < postponed.signals; ++i) once |= (queue[i].action.flags & SA_RESETHAND) != 0;
  return once || postponed.signals == kMostWaiting;
}

// The mask with which code inside the run time, or a handler, goes on; the program's own is `mask`.
SignalSet hold_back(SignalSet mask) {
  const bool back = has_to_hold_back();
  held = {back, mask};
  return back ? mask | kCanWait : mask;
}

bool keep_for_later(int signal, const SignalAction& action, siginfo_t& info) {
  if (queue == nullptr) queue = static_cast<Waiting*>(sys::reserve(kQueueBytes));
  if (queue == nullptr) return false;
  if (postponed.signals == kMostWaiting) return send_to_self(signal, info);  // somebody else has changed the mask
  queue[postponed.signals++] = {signal, ++last_number, action, info};
  return true;
}

void remove_waiting(uint32_t index) {
  --postponed.signals;
  for (uint32_t i = index; i < postponed.signals; ++i) queue[i] = queue[i + 1];
}

// Whether it has to wait for the end of the handler that runs.
bool is_behind(const Waiting& waiting) {
  return behind.patience != 0 && static_cast<int32_t>(waiting.number - behind.last) <= 0;
}

bool take_first(SignalSet blocked, Waiting& first) {
  for (uint32_t i = 0; i < postponed.signals; ++i) {
    if ((bit(queue[i].signal) & blocked) != 0) continue;
    if (is_behind(queue[i])) return false;
    first = queue[i];
    remove_waiting(i);
    return true;
  }
  return false;
}

struct Late {
  Waiting waiting;
  SignalSet before;
};

void run_late(void* data) {
  Late& late = *static_cast<Late*>(data);
  ucontext_t here;  // says where we are
  getcontext(&here);
  __builtin_memcpy(&here.uc_sigmask, &late.before, sizeof late.before);
  run(late.waiting.signal, late.waiting.action, &late.waiting.info, &here, late.before);
}

// All signals are blocked that can wait; the program has blocked those in `mask`.
void run_waiting(SignalSet mask) {
  Late late;
  while (take_first(mask, late.waiting)) {
    late.before = mask;
    stack_t stack = {};
    if ((late.waiting.action.flags & SA_ONSTACK) != 0) sys::call(SYS_sigaltstack, 0, reinterpret_cast<long>(&stack));
    // As the system does it: on that stack, unless this is it already.
    if (stack.ss_sp != nullptr && stack.ss_flags == 0)
      call_on_stack(
          reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(stack.ss_sp) + stack.ss_size) & ~uintptr_t{15}),
          run_late, &late);
    else
      run_late(&late);
    change_mask(SIG_BLOCK, kCanWait);
  }
}

}  // namespace

SignalSet block_all_signals() { return change_mask(SIG_BLOCK, ~kChangeIds); }
void set_signal_mask(SignalSet blocked) { change_mask(SIG_SETMASK, blocked); }
SignalSet blocked_by_program(SignalSet blocked) { return held.back ? held.mask : blocked; }

namespace {

// The signal may interrupt what the others do here: no mask of ours has it. It says nothing but that it came.
void cancel_enter(siginfo_t* info, void* context) {
  if (tls.busy != 0) {
    postponed.cancellation = 1;
    return;
  }
  void* const handler = signal_action(kCancelSignal).handler;
  if (handler == nullptr) return;
  // It unwinds the stack: the handler of the program that runs, if any, is left by it.
  const uint16_t in_handler = tls.in_handler;
  tls.in_handler = 0;
  reinterpret_cast<void (*)(int, siginfo_t*, void*)>(handler)(kCancelSignal, info, context);
  tls.in_handler = in_handler;
}

}  // namespace

void signal_enter(int signal, siginfo_t* info, void* context) {
  if (signal == kCancelSignal) return cancel_enter(info, context);
  sigset_t& of_interrupted = static_cast<ucontext_t*>(context)->uc_sigmask;
  const SignalAction action = signal_action(signal);
  const SignalSet mask = blocked_by_program(signal_set(of_interrupted));
  const auto go_on = [&](SignalSet with) { __builtin_memcpy(&of_interrupted, &with, sizeof with); };
  const bool can_wait = !tls.busy.for_good() && (bit(signal) & kFaults) == 0;
  // Outside of the run time signals wait only for a handler to end.
  if (can_wait && (tls.busy != 0 || postponed.signals != 0) && keep_for_later(signal, action, *info)) {
    if (tls.busy == 0) run_waiting(mask);
    return go_on(hold_back(mask));
  }
  // A fault of the program's own instruction: as if it had none of ours around it.
  Performing* const performing = can_wait ? nullptr : Performing::interrupt();
  run(signal, action, info, context, mask);
  if (performing != nullptr) return performing->go_on();
  if (tls.busy != 0 || (postponed.signals == 0 && !held.back)) return;
  change_mask(SIG_BLOCK, kCanWait);
  const SignalSet left = blocked_by_program(signal_set(of_interrupted));  // the handler may have changed it
  run_waiting(left);
  go_on(hold_back(left));
}

void run_waiting_signals() {
  if (is_behind(queue[postponed.signals - 1])) {
    --behind.patience;
    return;
  }
  const SignalSet mask = blocked_by_program(change_mask(SIG_BLOCK, kCanWait));
  run_waiting(mask);
  set_signal_mask(hold_back(mask));
}

void give_waiting_signals_back() {
  if (postponed.signals == 0) return;
  const SignalSet mask = blocked_by_program(block_all_signals());
  for (uint32_t i = 0; i < postponed.signals;) {
    if (send_to_self(queue[i].signal, queue[i].info))
      remove_waiting(i);
    else
      ++i;
  }
  set_signal_mask(hold_back(mask));
}

void run_last_signals() {
  const SignalSet mask = blocked_by_program(block_all_signals());
  behind.patience = 0;
  run_waiting(mask);
  held.back = false;
  postponed.signals = 0;
  if (queue != nullptr) sys::unmap(queue, kQueueBytes);
  queue = nullptr;
  set_signal_mask(mask);
}

void signals_before_fork() { before_fork = block_all_signals(); }

void signals_after_fork(bool in_child) {
  if (in_child) {
    before_fork = blocked_by_program(before_fork);
    held.back = false;
    postponed.signals = 0;
  }
  set_signal_mask(before_fork);
}

void do_postponed() {
  if (postponed.cancellation != 0) {
    postponed.cancellation = 0;
    sys::call(SYS_tgkill, sys::process_id(), sys::thread_id(), kCancelSignal);  // as the C library sends it
  }
  if (postponed.accesses != 0) {
    postponed.accesses = 0;
    if (tls.thread != nullptr) do_pending_accesses(*tls.thread);
  }
  if (postponed.signals != 0) run_waiting_signals();
}

SignalAction signal_action(int signal) {
  const Known& of = known[signal];
  for (;;) {
    const uint32_t version = of.version.load(std::memory_order_acquire);
    const auto& copy = of.copies[version & 1];
    const SignalAction action = {copy.handler.load(std::memory_order_relaxed),
                                 copy.blocked.load(std::memory_order_relaxed),
                                 copy.flags.load(std::memory_order_relaxed)};
    std::atomic_thread_fence(std::memory_order_acquire);
    if (of.version.load(std::memory_order_relaxed) == version) return action;
  }
}
void set_signal_action(int signal, const SignalAction& action) {
  Known& of = known[signal];
  const uint32_t next = of.version.load(std::memory_order_relaxed) + 1;
  auto& copy = of.copies[next & 1];
  std::atomic_thread_fence(std::memory_order_release);
  copy.handler.store(action.handler, std::memory_order_relaxed);
  copy.blocked.store(action.blocked, std::memory_order_relaxed);
  copy.flags.store(action.flags, std::memory_order_relaxed);
  of.version.store(next, std::memory_order_release);
}

void make_action_ours(struct sigaction& action) {
  action.sa_sigaction = &signal_enter;
  action.sa_flags |= SA_SIGINFO;
  __builtin_memcpy(&action.sa_mask, &kCanWait, sizeof kCanWait);
}

const void* handler_clock(int signal) { return &known[signal].version; }
const void* signal_clock(int signal) { return &known[signal].copies; }

void signals_left_by_jump(uintptr_t target) {
  const uintptr_t here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  // The frames of a handler lie between here and where it was called, wherever its stack is.
  while (running != nullptr && !(here <= target && target < running->stack_pointer)) {
    if (tls.thread != nullptr) {
      tls.sp = running->sp;
      tls.base = running->base;
    }
    --tls.in_handler;
    behind = running->outer_behind;
    running = running->outer;
  }
  // A jump may be the last that we see of the thread.
  if (tls.busy != 0) return;
  do_postponed();
  if (running == nullptr) give_waiting_signals_back();
}

void run_signals_before_end() {
  behind.patience = 0;
  if (tls.busy == 0) do_postponed();
}

}  // namespace deadheat::live
