// Run-time options: what `DEADHEAT_OPTIONS` may say to the library inside a watched program.
//
// Idea      One table, `DEADHEAT_RUNTIME_OPTIONS`; the struct, the parser and `deadheat options` are made from it.
// Syntax    name=value, separated by `:` `,` or blanks. A value in '...' or "..." may hold separators. Switches take
//           0 1 no yes false true. The parser passes what it does not understand to a callback and goes on.
// Promises  No heap, no exceptions, no locale: it works inside a watched program before anything else runs. Values are
//           copied, because a program may overwrite its environment.
// Tested by test/unit/runtime_options_test.cpp
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace deadheat {

// A text value of bounded length, always terminated.
class OptionText {
 public:
  static constexpr size_t kCapacity = 4096;  // PATH_MAX: the long ones are paths

  constexpr OptionText() = default;
  constexpr OptionText(const char* text) { assign(text); }

  // False, and unchanged, if the text is too long.
  constexpr bool assign(std::string_view text) {
    if (text.size() >= kCapacity) return false;
    for (size_t i = 0; i < text.size(); ++i) text_[i] = text[i];
    text_[text.size()] = 0;
    size_ = static_cast<uint16_t>(text.size());
    return true;
  }
  constexpr std::string_view view() const { return {text_, size_}; }
  constexpr const char* c_str() const { return text_; }
  constexpr bool empty() const { return size_ == 0; }

 private:
  char text_[kCapacity] = {};
  uint16_t size_ = 0;
};

enum class OptionOrigin : uint8_t {
  kShared,    // means the same as in ThreadSanitizer
  kOurs,      // Deadheat only
  kAccepted,  // a ThreadSanitizer option that Deadheat has no use for: accepted in silence, without effect
};

// X(type, name, default, origin, help). `type` is bool, int or OptionText.
// clang-format off
#define DEADHEAT_RUNTIME_OPTIONS(X)                                                                                     \
  X(OptionText, suppressions, "", kShared, "read suppressions from this file; a relative path is also tried beside the program") \
  X(OptionText, annotations, "", kOurs, "read what not to watch from this file (Field, Method, Class); a relative path is also tried beside the program") \
  X(bool, print_suppressions, true, kShared, "at exit, list the suppressions that matched and how often")               \
  X(bool, print_unused_suppressions, false, kOurs, "at exit, list the suppressions that matched nothing")               \
  X(int, exitcode, 66, kShared, "exit with this status when something was reported; 0 keeps the program's own status")  \
  X(bool, halt_on_error, false, kShared, "stop the program at the first report")                                        \
  X(bool, abort_on_error, false, kShared, "with halt_on_error, stop by abort(), which can leave a core file")           \
  X(OptionText, log_path, "stderr", kShared, "write reports to stderr, to stdout, or to the file NAME.PID if this is NAME") \
  X(bool, log_exe_name, false, kShared, "call the file of log_path NAME.PROGRAM.PID")                                   \
  X(OptionText, record_path, "", kOurs, "also append every report to this file, as a race record ('deadheat report' reads it)") \
  X(OptionText, record_label, "", kOurs, "what the race record says of the run, for example a commit")                   \
  X(OptionText, record_to, "", kOurs, "set by 'deadheat record': each process leaves what it does in this folder")      \
  X(bool, record_full, false, kOurs, "set by 'deadheat record --full': record every access, also those that repeat one") \
  X(bool, record_paused, false, kOurs, "set by 'deadheat record --paused': leave out plain accesses until the recording is started") \
  X(int, recorder, 0, kOurs, "set by 'deadheat record': the process that records")                                      \
  X(bool, explain, false, kOurs, "let reports say what each thread did last to order itself with others, and which locks other accesses of the memory held (several times the time and memory)") \
  X(OptionText, color, "auto", kShared, "use colours in reports: auto, always or never")                                \
  X(int, verbosity, 0, kShared, "1 prints a line at start that says that the program is watched")                       \
  X(bool, help, false, kShared, "print these options with their values when the program starts")                        \
  X(bool, coverage, false, kOurs, "at exit, say what was not seen: modules, functions, full tables, suppressed reports") \
  X(bool, report_bugs, true, kShared, "0 reports nothing, although detection still runs")                               \
  X(bool, report_atomic_races, true, kShared, "report races between a plain and an atomic access")                      \
  X(bool, report_use_after_free, true, kOurs, "also report a use of freed memory that is ordered after the free; 0 reports only uses that race with it") \
  X(bool, report_mutex_bugs, true, kShared, "report misuse of mutexes, for example the unlock of a mutex that is not locked") \
  X(bool, report_destroy_locked, true, kShared, "report the destruction of a locked mutex")                             \
  X(bool, report_thread_leaks, true, kShared, "report threads that ended and were neither joined nor detached")         \
  X(bool, report_signal_unsafe, true, kShared, "report what is unsafe in signal handlers: use of the heap, a changed errno") \
  X(bool, print_full_thread_history, false, kShared, "also show the creators of a report's threads, their creators, and so on") \
  X(bool, detect_deadlocks, true, kShared, "report locks that were taken in orders that can deadlock")                  \
  X(bool, second_deadlock_stack, false, kShared, "in reports of detect_deadlocks, also show where each held lock was taken") \
  X(bool, suppress_equal_stacks, true, kShared, "report a pair of lines only once for each object")                     \
  X(bool, suppress_equal_addresses, false, kShared, "report at most one race on a byte, whatever its lines")            \
  X(bool, ignore_noninstrumented_modules, false, kShared, "ignore calls of intercepted functions from modules that are not instrumented") \
  X(int, io_sync, 1, kShared, "how file descriptors order threads: 0 not at all, 1 each on its own, 2 as if all were one") \
  X(bool, force_seq_cst_atomics, false, kShared, "treat every atomic operation as sequentially consistent")             \
  X(int, epoch_draws, 0, kOurs, "for tests: collect epoch ids each time this many chunks were drawn; 0 waits until none is left") \
  X(int, epoch_chunks, 0, kOurs, "for tests: use at most this many chunks of 64 epoch ids; 0 means 2^21")               \
  X(int, path_nodes, 0, kOurs, "for tests: collect call paths only if this many nodes are collectable; 0 means 2^15")   \
  X(int, told_reports, 0, kOurs, "remember this many reports, so that none is repeated; later ones are only counted; 0 means 2^20") \
  X(int, atexit_sleep_ms, 1000, kShared, "at exit, wait this long if other threads still run, so that late races show") \
  X(bool, symbolize, true, kShared, "show functions and lines; 0 shows only modules and offsets")                       \
  X(OptionText, external_symbolizer_path, "", kShared, "use this program as symbolizer; by default it is the deadheat-symbolizer beside the library") \
  X(OptionText, strip_path_prefix, "", kShared, "cut file names off up to and including this text")                     \
  X(OptionText, stack_trace_format, "DEFAULT", kShared, "print a frame like this: DEFAULT, or a text with %n %f %s %l %c %m %o %p %S %M") \
  X(int, dedup_token_length, 0, kShared, "end a report with a token made of this many top functions; 0 prints no token") \
  X(int, history_size, 0, kAccepted, "Deadheat always keeps both stacks")                                               \
  X(int, memory_limit_mb, 0, kAccepted, "the memory used for detection cannot be capped")                               \
  X(int, flush_memory_ms, 0, kAccepted, "memory that is no longer needed is collected when tables fill up, not at intervals") \
  X(bool, die_after_fork, false, kAccepted, "parent and child are both watched after a fork")                           \
  X(bool, allocator_may_return_null, false, kAccepted, "Deadheat uses the program's own allocator")                     \
  X(bool, handle_segv, true, kAccepted, "Deadheat leaves fault signals to the program")                                 \
  X(bool, detect_leaks, false, kAccepted, "Deadheat does not look for memory leaks")                                    \
  X(bool, disable_coredump, false, kAccepted, "Deadheat does not change the system's setting for core files")
// clang-format on

struct RuntimeOptions {
#define DEADHEAT_FIELD(type, name, value, origin, help) type name = value;
  DEADHEAT_RUNTIME_OPTIONS(DEADHEAT_FIELD)
#undef DEADHEAT_FIELD
};

enum class OptionType : uint8_t { kSwitch, kNumber, kText };

// A row of the table, for code that lists the options.
struct RuntimeOptionInfo {
  std::string_view name;
  OptionType type;
  OptionOrigin origin;
  std::string_view default_value;  // as a user would write it
  std::string_view help;
  size_t offset;  // of the field in RuntimeOptions
};
std::span<const RuntimeOptionInfo> runtime_options();

// The value of one option as a user would write it, copied into `buffer` (cut off if that is too short).
std::string_view option_value(const RuntimeOptionInfo& option, const RuntimeOptions& options, std::span<char> buffer);

enum class OptionProblem : uint8_t { kUnknown, kBadValue, kTooLong, kNoValue };
std::string_view to_string(OptionProblem problem);

class RuntimeOptionsParser {
 public:
  // Called at once for each piece of the text that cannot be used; the views point into the text being parsed.
  using Tell = void (*)(void* context, OptionProblem problem, std::string_view name, std::string_view value);

  RuntimeOptionsParser(RuntimeOptions& options, Tell tell, void* context)
      : options_(options), tell_(tell), context_(context) {}

  // May be called several times, weakest source first: the program's default options, then the environment. An
  // unknown name is told once over all calls (of the first 64 different ones; later ones each time).
  void parse(std::string_view text);

 private:
  void set(std::string_view name, std::string_view value);
  bool told_before(std::string_view name);

  RuntimeOptions& options_;
  Tell tell_;
  void* context_;
  uint64_t told_[64] = {};
  size_t told_count_ = 0;
};

// Where the options of a process come from: DEADHEAT_OPTIONS, or TSAN_OPTIONS where only that is set. Nothing in a
// set-user-id program (`secure`: getauxval(AT_SECURE)), whose environment its caller chose.
struct OptionsSource {
  std::string_view variable;
  const char* text = nullptr;  // null if neither is set
};
OptionsSource options_from_environment(const char* const* environment, bool secure);

}  // namespace deadheat
