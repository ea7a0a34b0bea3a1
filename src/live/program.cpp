// The program as a process: signals, fork, its end, and the libraries that it loads.
#include "live/descriptors.h"
#include "live/entry.h"
#include "live/ground/inside.h"
#include "live/ground/options.h"
#include "live/modules/loaded.h"
#include "live/modules/module_table.h"
#include "live/process/lifecycle.h"
#include "live/process/signals.h"
#include "live/report/coverage.h"
#include "live/report/exemptions.h"
#include "live/report/report.h"

namespace deadheat::live {

// ---- signals ----

namespace {

// Guards the pair of our table and the system's; no handler runs while it is held, because its holder is busy.
constinit SpinLock actions_lock(Lock::kSignalActions);

bool is_handler(const struct sigaction& action) { return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN; }
bool is_ours(const struct sigaction& action) { return action.sa_sigaction == &signal_enter; }
bool is_signal(int signal) { return signal > 0 && signal < 65; }

}  // namespace

DEADHEAT_TAKEN_AT_FORK(kSignalActions, actions_lock)

int change_signal_action(const Entry& entry, int signal, const struct sigaction* wanted, struct sigaction* old,
                         int (*real)(int, const struct sigaction*, struct sigaction*)) {
  if (!is_signal(signal)) return real(signal, wanted, old);
  if (wanted != nullptr) release(entry, handler_clock(signal));
  const BusyGuard held(actions_lock);
  const SignalAction known = signal_action(signal);
  const bool own = wanted != nullptr && is_handler(*wanted);
  struct sigaction ours, before;
  if (own) {
    ours = *wanted;
    make_action_ours(ours);
    set_signal_action(signal,
                      {reinterpret_cast<void*>(wanted->sa_sigaction), signal_set(wanted->sa_mask), wanted->sa_flags});
  }
  const int result = real(signal, own ? &ours : wanted, &before);
  if (result != 0) {
    if (own) set_signal_action(signal, known);
    return result;
  }
  if (old == nullptr) return result;
  if (is_ours(before)) {
    before.sa_sigaction = reinterpret_cast<void (*)(int, siginfo_t*, void*)>(known.handler);
    if ((known.flags & SA_SIGINFO) == 0) before.sa_flags &= ~SA_SIGINFO;
    before.sa_mask = {};
    __builtin_memcpy(&before.sa_mask, &known.blocked, sizeof known.blocked);
  }
  *old = before;
  return result;
}

void signal_sent(const Entry& entry, int signal) {
  if (!is_signal(signal)) return;
  release(entry, signal_clock(signal));
  fd_signal_sent(entry, signal);
}
void signal_received(const Entry& entry, int signal) {
  if (is_signal(signal)) acquire(entry, signal_clock(signal));
}

void signal_mask_changed() { const Inside inside; }  // what waits runs at the way out
void signals_awaited() { give_waiting_signals_back(); }

void make_cancellation_wait() {
  // As the system has it.
  struct SystemAction {
    void (*handler)(int, siginfo_t*, void*);
    unsigned long flags;
    void (*restorer)();
    SignalSet blocked;
  } action = {};
  const auto system_action = [](const SystemAction* wanted, SystemAction* old) {
    return !sys::failed(sys::call(SYS_rt_sigaction, kCancelSignal, reinterpret_cast<long>(wanted),
                                  reinterpret_cast<long>(old), sizeof(SignalSet)));
  };
  if (!system_action(nullptr, &action) || action.handler == nullptr) return;
  set_signal_action(kCancelSignal, {reinterpret_cast<void*>(action.handler), 0, SA_SIGINFO});
  action.handler = signal_enter;
  system_action(&action, nullptr);
}

// ---- fork and end ----

void forking() {
  current_thread();
  fork_before();
}
void forked(bool in_child) { fork_after(in_child); }
void vforking() { tls.vfork_parent = static_cast<uint32_t>(sys::process_id()); }

// A child of vfork is still its parent.
int ending_at_once(const Entry& entry, int status) { return entry.watched() ? finish_at_once(status) : status; }
int status_at_end() { return reports_printed() != 0 ? options.exitcode : 0; }

// ---- libraries ----

// Not on the stack: that of the thread may be a small one.
struct OpenLibraries {
  static constexpr size_t kMost = 4096;
  size_t count;
  CodeRange before[kMost], after[kMost];
};

OpenLibraries* library_closing() {
  OpenLibraries* const lists = static_cast<OpenLibraries*>(sys::reserve(sizeof(OpenLibraries)));
  if (lists != nullptr) lists->count = loaded_ranges(lists->before, OpenLibraries::kMost);
  module_closing();
  return lists;
}

// The globals of a library that goes have no history for whatever is loaded there next.
void library_closed(OpenLibraries* lists) {
  module_closed();
  if (lists == nullptr) return forget_loaded();
  const size_t left = loaded_ranges(lists->after, OpenLibraries::kMost);
  if (lists->count != left) forget_loaded();
  for (size_t i = 0; i < lists->count && lists->count != left; ++i) {
    const CodeRange& range = lists->before[i];
    bool still_there = false;
    for (size_t j = 0; j < left && !still_there; ++j) still_there = lists->after[j].begin == range.begin;
    if (still_there) continue;
    fresh_range(reinterpret_cast<void*>(range.begin), range.end - range.begin);
    if constexpr (record::kOn) record::module_gone(range.begin, range.end);
  }
  sys::unmap(lists, sizeof(OpenLibraries));
}

void ignore_module_of(const void* address) { ignore_callers_in_module_of(key(address)); }
void system_call_made(long number, const void* caller) {
  if (__builtin_expect(options.coverage, 0)) note_system_call(number, key(caller));
}

// ---- what the program says about its memory ----

void recording_stopped([[maybe_unused]] bool on) {
  if constexpr (record::kOn) record::pause(on);
}
void benign_race(const volatile void* begin, size_t bytes) {
  add_benign(key(begin), bytes);
  if constexpr (record::kOn) record::benign(key(begin), bytes);
}
void* object_type(const char* name) { return external_register(name); }
void object_type_header(void* type, const char* header) { external_header(type, header); }
void object_is(const volatile void* object, void* type) { external_assign(key(object), type); }

}  // namespace deadheat::live
