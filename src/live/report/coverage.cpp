#include "live/report/coverage.h"

#include <sys/syscall.h>

#include <atomic>
#include <string_view>

#include "base/text.h"
#include "live/ground/degraded.h"
#include "live/ground/message.h"
#include "live/modules/loaded.h"
#include "live/modules/symbols.h"
#include "live/report/report.h"
#include "race/suppressions.h"

namespace deadheat::live {
namespace {

struct Family {
  std::string_view pattern;
  const char* what;  // empty: orders nothing
};
constexpr Family kFamilies[] = {
#define X(pattern, what) {"^" pattern "$", what},
#include "live/report/sync_functions.def"
#undef X
};

std::atomic<const char*> understood{nullptr};

// What the function orders threads by; null if it is not known to, or if that is understood.
const char* family_of(const char* name) {
  const char* const known = understood.load(std::memory_order_relaxed);
  for (const Family& family : kFamilies) {
    if (!matches_pattern(family.pattern, name)) continue;
    return family.what[0] == 0 || (known != nullptr && same_text(known, family.what)) ? nullptr : family.what;
  }
  return nullptr;
}

// System calls that order threads or start them, behind the back of everything else.
struct SystemCall {
  long number;
  const char* name;
  bool atomics_around;  // orders nothing by itself: only if nobody watches the code that calls it
};
constexpr SystemCall kSystemCalls[] = {
    {SYS_futex, "futex", true},
    {SYS_clone, "clone", false},
    {SYS_clone3, "clone3", false},
    {SYS_io_uring_enter, "io_uring_enter", false},
    {SYS_io_submit, "io_submit", false},
    {SYS_io_getevents, "io_getevents", false},
    {SYS_semop, "semop", false},
    {SYS_semtimedop, "semtimedop", false},
    {SYS_msgsnd, "msgsnd", false},
    {SYS_msgrcv, "msgrcv", false},
    {SYS_mq_timedsend, "mq_timedsend", false},
    {SYS_mq_timedreceive, "mq_timedreceive", false},
};
constexpr unsigned kCallCount = sizeof kSystemCalls / sizeof kSystemCalls[0];
struct CallsSeen {
  std::atomic<uint64_t> count{0};
  std::atomic<uintptr_t> caller{0};  // the first
};
constinit CallsSeen calls_seen[kCallCount];

char line[1024];  // print_coverage runs once, at exit

void tell(const Text& text) { write_log(text.data(), text.size()); }

void list_modules() {
  each_loaded(
      [](const LoadedModule& module, void*) {
        if (module.instrumented) return;
        Text text(line, sizeof line);
        text.add("deadheat: not instrumented, so its own accesses were not seen: %s\n", module.path);
        tell(text);
      },
      nullptr);
}

// The C library and the dynamic linker answer for themselves: what they import from each other is theirs.
bool of_the_system(const char* module) {
  const std::string_view name = base_name(module);
  return starts_with(name, "libc.so") || starts_with(name, "ld-linux") || starts_with(name, "libpthread.so") ||
         starts_with(name, "libdeadheat.so") || starts_with(name, "libtsan.so");
}

bool list_functions() {
  bool any = false;
  each_import(
      [](const Import& import, void* data) {
        if (of_the_system(import.module)) return;
        const char* const family = family_of(import.name);
        if (family == nullptr) return;
        const WhereDefined by = where_defined(import.name);
        if (by == WhereDefined::kNowhere || by == WhereDefined::kInterceptor || by == WhereDefined::kInstrumented)
          return;
        *static_cast<bool*>(data) = true;
        Text text(line, sizeof line);
        text.add("deadheat: not understood, so what it orders may be reported as a race: %s (%s), imported by %s\n",
                 import.name, family, import.module);
        tell(text);
      },
      &any);
  return any;
}

bool list_system_calls() {
  bool any = false;
  for (unsigned i = 0; i < kCallCount; ++i) {
    const uint64_t count = calls_seen[i].count.load(std::memory_order_relaxed);
    if (count == 0) continue;
    any = true;
    Module module;
    const bool known = module_of(calls_seen[i].caller.load(std::memory_order_relaxed), module);
    Text text(line, sizeof line);
    text.add(
        "deadheat: not understood, so what it orders may be reported as a race: syscall(SYS_%s), %lu times, first by "
        "%s\n",
        kSystemCalls[i].name, count, known ? module.path : "code of no module");
    tell(text);
  }
  return any;
}

void say_none(const char* what) {
  Text text(line, sizeof line);
  text.add("deadheat: %s\n", what);
  tell(text);
}

}  // namespace

void note_understood(const char* what) { understood.store(what, std::memory_order_relaxed); }

void note_system_call(long number, uintptr_t caller) {
  for (unsigned i = 0; i < kCallCount; ++i) {
    if (kSystemCalls[i].number != number) continue;
    if (kSystemCalls[i].atomics_around && instrumented_at(caller)) return;
    if (calls_seen[i].count.fetch_add(1, std::memory_order_relaxed) == 0)
      calls_seen[i].caller.store(caller, std::memory_order_relaxed);
    return;
  }
}

void print_coverage() {
  list_modules();
  const bool functions = list_functions(), calls = list_system_calls();
  if (!functions && !calls) say_none("understood: all functions known to order threads that modules import");
  if (!list_degraded()) say_none("degraded: nothing");
  if (!list_suppressed()) say_none("suppressed: nothing");
}

}  // namespace deadheat::live
