#include "live/process/lifecycle.h"

#include <pthread.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "live/ground/degraded.h"
#include "live/ground/inside.h"
#include "live/ground/message.h"
#include "live/ground/options.h"
#include "live/ground/touched.h"
#include "live/modules/definitions.h"
#include "live/modules/loaded.h"
#include "live/modules/symbols.h"
#include "live/order/epochs.h"
#include "live/order/lock_order.h"
#include "live/order/sync.h"
#include "live/order/thread.h"
#include "live/paths/stacks.h"
#include "live/process/address_space.h"
#include "live/process/signals.h"
#include "live/record/record.h"
#include "live/report/coverage.h"
#include "live/report/exemptions.h"
#include "live/report/log.h"
#include "live/report/misuse.h"
#include "live/report/report.h"
#include "live/report/report_session.h"
#include "live/shadow/blocks.h"
#include "live/shadow/byte_reads.h"
#include "live/shadow/record_store.h"
#include "live/shadow/shadow.h"
#include "live/shadow/uses.h"

extern "C" __attribute__((weak, visibility("default"))) const char* __tsan_default_options();
extern "C" __attribute__((weak, visibility("default"))) void __tsan_on_initialize();
extern "C" __attribute__((weak, visibility("default"))) int __tsan_on_finalize(int failed);

namespace deadheat::live {

namespace {

std::atomic<uint32_t> starting{0};  // 0: not yet, 1: under way, 2: done

void tell_option(void* source, OptionProblem problem, std::string_view name, std::string_view value) {
  const std::string_view what = to_string(problem);
  const std::string_view from = *static_cast<std::string_view*>(source);
  say("%.*s: %.*s: %.*s%s%.*s", static_cast<int>(from.size()), from.data(), static_cast<int>(what.size()), what.data(),
      static_cast<int>(name.size()), name.data(), value.empty() ? "" : "=", static_cast<int>(value.size()),
      value.data());
}

// The environment. A program linked by GCC calls us before the C library knows its own: then as the system has it.
const char* const* environment() {
  if (environ != nullptr) return environ;
  constexpr size_t kBytes = size_t{1} << 20, kEntries = 4096;
  char* text = static_cast<char*>(sys::reserve(kBytes));
  const char** entries = static_cast<const char**>(sys::reserve((kEntries + 1) * sizeof(char*)));
  const long file = sys::open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
  if (text == nullptr || entries == nullptr || sys::failed(file)) return nullptr;
  size_t size = 0;
  for (long n; size < kBytes - 1 && (n = sys::read(static_cast<int>(file), text + size, kBytes - 1 - size)) > 0;)
    size += static_cast<size_t>(n);
  sys::close(static_cast<int>(file));
  size_t count = 0;
  for (size_t at = 0; at < size && count < kEntries; ++at) {
    entries[count++] = text + at;
    while (text[at] != 0) ++at;
  }
  return entries;
}

void read_options() {
  std::string_view source = "__tsan_default_options";
  RuntimeOptionsParser parser(options, tell_option, &source);
  if (__tsan_default_options != nullptr)
    if (const char* text = __tsan_default_options()) parser.parse(text);
  const char* const* variables = environment();
  if (variables == nullptr) return;
  const OptionsSource from = options_from_environment(variables, getauxval(AT_SECURE) != 0);
  source = from.variable;
  if (from.text != nullptr) parser.parse(from.text);
}

void list_options() {
  char line[512], value[256];
  for (const RuntimeOptionInfo& option : runtime_options()) {
    if (option.origin == OptionOrigin::kAccepted) continue;
    const std::string_view now = option_value(option, options, value);
    Text text(line, sizeof line);
    text.add("  %.*s=%.*s\n      %.*s\n", static_cast<int>(option.name.size()), option.name.data(),
             static_cast<int>(now.size()), now.data(), static_cast<int>(option.help.size()), option.help.data());
    write_log(text.data(), text.size());
  }
}

}  // namespace

// Called by the first of these: our constructor, __tsan_init, or an interceptor called by a constructor that ran
// before. Signal handlers and other threads cannot be there yet.
void start_runtime() {
  uint32_t expected = 0;
  if (!starting.compare_exchange_strong(expected, 1)) {
    while (starting.load(std::memory_order_acquire) != 2 && tls.busy < 2) sys::yield();
    return;
  }
  Inside::enter();
  log_start();
  if (!is_in_time())
    die("the C library came before the run time, which then sees no thread and no lock: start the program by 'deadheat "
        "run'");
  if (find_definition("__tsan_func_entry") != nullptr)
    die("another ThreadSanitizer run time is in this program; leave it out at the link (deadheat-c++ does, or clang++ "
        "-fno-sanitize-link-runtime), or, if it is a library's libtsan.so.2, start the program by 'deadheat run'");
  degraded_start();
  read_options();
  address_space_begin();
  touched_start();
  shadow_start();
  records_start();
  byte_reads_start();
  epochs_start();
  stacks_start();
  steps_start();
  uses_start();
  threads_start();
  if constexpr (record::kOn) record::start();
  reports_start();
  address_space_end();
  find_heap_hooks();
  find_out_whether_callers_are_filtered();
  find_loader();
  program_name();  // read now: /proc/self/exe is gone once the main thread has ended
  started.store(true, std::memory_order_release);
  starting.store(2, std::memory_order_release);
  Inside::leave();
  if (options.help) list_options();
  if (options.verbosity > 0) say("watching this program for races");
}

namespace {

// Whether the status is to say that something was reported.
bool has_failed() {
  const int failed = reports_printed() != 0;
  return (__tsan_on_finalize != nullptr ? __tsan_on_finalize(failed) : failed) != 0;
}

}  // namespace

void finish_runtime() {
  if (!started.load(std::memory_order_acquire)) return;
  bool failed;
  {
    const Inside inside;
    // Threads that still run may be about to race with something.
    if (options.atexit_sleep_ms > 0 && threads_alive() > 1) sys::sleep_ms(options.atexit_sleep_ms);
    if (tls.ignoring != 0 && tls.thread != nullptr) report_ended_ignoring(*tls.thread);
    report_thread_leaks();
    wait_for_reports();
    if (options.coverage) print_coverage();
    reports_finish();
    reports_end();
    failed = has_failed();
  }
  run_signals_before_end();
  // Within exit() already: the C library goes on with what is left to be done, with the new status: streams are flushed.
  // A flush of ours would wait for a stream that another thread reads from.
  if (failed && options.exitcode != 0) reinterpret_cast<void (*)(int)>(find_definition("exit"))(options.exitcode);
}

int finish_at_once(int status) {
  if (!started.load(std::memory_order_acquire)) return status;
  bool failed;
  {
    const Inside inside;
    wait_for_reports();
    if (reports_printed() != 0) reports_finish();
    reports_end();
    failed = has_failed();
  }
  run_signals_before_end();
  return status == 0 && failed ? options.exitcode : status;
}

void fork_before() {
  if (!started.load(std::memory_order_acquire)) return;
  Inside::enter();
  signals_before_fork();
  lock_all_rows();
}

void fork_after(bool in_child) {
  if (!started.load(std::memory_order_acquire)) return;
  unlock_all_rows();
  if (in_child) {
    threads_after_fork();
    reports_after_fork();
    if constexpr (record::kOn) {
      record::after_fork();
      benign_each(record::benign);
    }
    // The others are not here: nobody can join them.
    const uint32_t count = thread_count.load(std::memory_order_relaxed),
                   me = tls.thread != nullptr ? number_of(tls.thread->uid) : 0;
    for (uint32_t uid = 0; uid < count; ++uid)
      if (uid != me) thread_infos[uid].joined_or_detached = true;
  }
  signals_after_fork(in_child);
  Inside::leave();
}

}  // namespace deadheat::live

// What pthread_atfork calls, with the library that the handlers belong to.
extern "C" int __register_atfork(void (*before)(), void (*in_parent)(), void (*in_child)(), void* library);

__attribute__((constructor(101))) static void deadheat_constructor() {
  using namespace deadheat::live;
  current_thread();
  if constexpr (record::kOn) record::modules();
  // First come, so last before the fork and first after it: handlers of the program run outside of our locks. They are no
  // library's, or they would go with ours when the program ends, while other threads may still fork.
  __register_atfork([] { fork_before(); }, [] { fork_after(false); }, [] { fork_after(true); }, nullptr);
  if (__tsan_on_initialize != nullptr) __tsan_on_initialize();
}

// Runs after the destructors of the program and of all libraries that use us. Those of other libraries may still follow,
// and an exit from here would leave them out. A function that is registered now is called after the last of them; it is
// no library's, so ours does not call it when it goes.
__attribute__((destructor)) static void deadheat_destructor() {
  using namespace deadheat::live;
  const auto finish = [](void*) { finish_runtime(); };
  const auto at_exit = reinterpret_cast<int (*)(void (*)(void*), void*, void*)>(find_definition("__cxa_atexit"));
  if (at_exit(finish, nullptr, nullptr) != 0) finish_runtime();
}
