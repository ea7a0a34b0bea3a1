#include "live/report/report.h"

#include <errno.h>

#include <new>

#include "base/text.h"
#include "base/version.h"
#include "live/ground/hash.h"
#include "live/ground/inside.h"
#include "live/ground/message.h"
#include "live/ground/options.h"
#include "live/ground/sleep_lock.h"
#include "live/modules/loaded.h"
#include "live/modules/symbols.h"
#include "live/order/sleeps.h"
#include "live/order/steps.h"
#include "live/paths/called.h"
#include "live/report/draft.h"
#include "live/report/exemptions.h"
#include "live/report/log.h"
#include "live/report/objects.h"
#include "live/report/record.h"
#include "live/report/report_session.h"
#include "live/report/source_lines.h"
#include "live/report/told.h"
#include "race/suppressions.h"
#include "report/explanation.h"
#include "report/finding_report.h"

extern "C" __attribute__((weak, visibility("default"))) void __tsan_on_report(void* report);
extern "C" __attribute__((weak, visibility("default"))) void __sanitizer_on_print(const char* text);

namespace deadheat::live {
namespace {

std::atomic<uint64_t> printed{0};

// One report is written at a time, whole.
constinit SleepLock writing;
std::atomic<bool> halting{false};             // the last report is written: the program ends
std::atomic<uint32_t> threads_before_end{0};  // how many there were then

alignas(Arena) char arena_memory[sizeof(Arena)];
alignas(Suppressions) char suppressions_memory[sizeof(Suppressions)];
Suppressions* suppressions;
constinit SleepLock matching;  // guards the hits of suppressions

bool is_suppressed(const Finding& finding) {
  if (suppressions == nullptr || suppressions->rules().empty()) return false;
  const BusyGuard held(matching);
  return suppressions->match(finding) != nullptr;
}

uint64_t suppressed_reports() {
  uint64_t hits = 0;
  if (suppressions != nullptr)
    for (const Suppression& rule : suppressions->rules()) hits += rule.hits;
  return hits;
}

Sink sink_of(Text& text) {
  return {[](void* to, std::string_view part) { static_cast<Text*>(to)->put(part); }, &text};
}

// False if a report before this one is the last.
bool write_report(Session& session, const Text& text, const Text& record) {
  const BusyGuard held(writing);
  if (halting.load(std::memory_order_relaxed)) return false;
  session.halts = options.halt_on_error;
  threads_before_end.store(thread_count.load(std::memory_order_relaxed), std::memory_order_relaxed);
  halting.store(session.halts, std::memory_order_relaxed);
  write_log(text.data(), text.size());
  write_record(record);
  printed.fetch_add(1, std::memory_order_relaxed);
  return true;
}

std::atomic<void (*)()> death_callback{nullptr};

[[noreturn]] void die_with_report(Session& session) {
  if (void (*const callback)() = death_callback.exchange(nullptr)) call_program_back(session, callback);
  record_end(reports_printed(), suppressed_reports(), repeated_reports());
  if (options.abort_on_error) sys::abort();
  sys::exit(options.exitcode);
}

bool halting_here() {
  for (const Session* session = innermost_session(); session != nullptr; session = session->outer)
    if (session->halts) return true;
  return false;
}

// Another thread ends the program, after its callbacks. They may wait for this thread: then it goes on, untold. They
// surely do if they made it.
void wait_for_the_end() {
  if (tls.thread == nullptr || number_of(tls.thread->uid) >= threads_before_end.load(std::memory_order_relaxed)) return;
  constexpr int kPatience = 10'000;  // ms
  for (int waited = 0; waited < kPatience && halting.load(std::memory_order_relaxed); ++waited) sys::sleep_ms(1);
}

// The finding is complete.
void tell(Session& session) {
  session.draft.complete();
  Finding& finding = session.draft.finding;
  const ReportStyle style = {.process = sys::process_id(),
                             .in_colour = log_in_colour(),
                             .frame_format = options.stack_trace_format.view(),
                             .hint_second_stack = !options.second_deadlock_stack,
                             .token_length = options.dedup_token_length};
  GrowingText text;
  Sink text_sink = sink_of(text);
  write_finding_text(finding, style, text_sink);
  if (explaining) write_explanation(finding, text_sink);
  GrowingText record;
  describe_for_record(finding, record);
  const bool written = write_report(session, text, record);
  session_made(session);
  if (!written) {
    if (!halting_here()) wait_for_the_end();
    return;
  }
  if (__sanitizer_on_print != nullptr || __tsan_on_report != nullptr)
    call_program_back(session, [&] {
      if (__sanitizer_on_print != nullptr) __sanitizer_on_print(text.data());
      if (__tsan_on_report != nullptr) __tsan_on_report(&finding);
    });
  if (session.halts) die_with_report(session);
}

}  // namespace

const Finding* current_finding() {
  for (Session* session = innermost_session(); session != nullptr; session = session->outer)
    if (session->told) return &session->draft.finding;
  return nullptr;
}

const Finding* told_finding(const void* report) {
  for (Session* session = innermost_session(); session != nullptr; session = session->outer)
    if (session->told && &session->draft.finding == report) return &session->draft.finding;
  return nullptr;
}

void add_stack(Text& text, StackView stack) {
  Sink sink = sink_of(text);
  write_stack(stack, options.stack_trace_format.view(), sink);
  text.put('\n');
}

void add_frame(Text& text, const StackFrame& frame, unsigned number, const char* format) {
  Sink sink = sink_of(text);
  write_frame(frame, number, format, sink);
}

namespace {

// `paths` stands for all stacks that a suppression may look at.
void tell_unless_suppressed(Session& session, const Subject& subject, uint64_t paths) {
  if (is_suppressed(session.draft.finding))
    note_suppressed(paths);
  else if (claim(subject))
    tell(session);
}

// Both sides are set; tells it if it is new. Both touched [at, end). `ordered`: the second came before the first.
void tell_pair(Session& session, uintptr_t at, uintptr_t end, bool ordered, NodeId slept_at) {
  Draft& draft = session.draft;
  Finding& finding = draft.finding;
  finding.both_begin = at;
  finding.both_end = end;
  Subject subject{0, at, end};
  uint64_t paths = 0;
  if (options.suppress_equal_stacks) {
    const Object object = object_at(at);
    subject.key = pair_key(line_key(draft.origin(0)), line_key(draft.origin(1)), object.key);
    paths = pair_key(number_of(unpack(draft.origin(0)).access), number_of(unpack(draft.origin(1)).access),
                     mix(object.key, object.path));
  }
  if (is_known_suppressed(paths) || keeps_quiet(subject)) return;
  for (unsigned i = 0; i < 2; ++i)
    if (draft.side(i).kind == AccessKind::kFree) draft.side(i).bytes = 8;  // as this form of report shows it
  const bool freed = draft.side(1).kind == AccessKind::kFree;  // the other way round it is a race as any other
  const bool vptr = draft.is_of_vptr(0) || draft.is_of_vptr(1);
  finding.kind = freed ? (vptr      ? FindingKind::kFreeVptrRace
                          : ordered ? FindingKind::kUseAfterFree
                                    : FindingKind::kFreeRace)
                       : (vptr ? FindingKind::kVptrRace : FindingKind::kRace);
  finding.external_type = view_of(external_type_of(at & ~uintptr_t{3}));
  if (!finding.external_type.empty() && !freed) finding.kind = FindingKind::kExternalRace;
  draft.find_memory(at, end - at);
  draft.resolve(slept_at);
  tell_unless_suppressed(session, subject, paths);
}

// The caller of the interceptor that a stack begins with.
uintptr_t caller_in(OriginId origin) { return node_at(node_at(unpack(origin).access).parent).address(); }

// Freed memory is used again and again: whether this thread has told the same use of the same bytes before.
bool used_again(Thread& t, OriginId origin, const PastRace& race) {
  if (!options.suppress_equal_stacks) return false;
  const uint64_t key =
      pair_key(number_of(origin), uint64_t{number_of(race.origin)} << 32, race.begin ^ race.epoch.bits() << 7) | 1;
  uint64_t& told = t.freed_told[key >> 58];
  if (told == key) return true;
  told = key;
  return false;
}

void report_pair(Thread& t, uintptr_t address, size_t bytes, AccessKind kind, uintptr_t pc, const PastRace& race) {
  if (!options.report_bugs || is_benign(race.begin, race.end)) return;
  OriginId origin;
  {
    const Inside inside;
    origin = origin_of(t, pc, what_code(address, bytes, static_cast<unsigned>(kind)));
  }
  if (race.kind == AccessKind::kFree && used_again(t, origin, race)) return;
  const bool ordered = race.epoch.slot() == t.slot || t.C.knows(race.epoch);
  if (!options.report_atomic_races && !ordered && (is_atomic(kind) || is_atomic(race.kind))) return;
  in_session(SessionFor::kReport, [&](Session& session) {
    Draft& draft = session.draft;
    draft.clear();
    draft.set_side(0, address, bytes, kind, t.uid, origin);
    draft.set_side(1, race.begin, 0, race.kind, race.thread, race.origin);
    draft.set_epochs(t.C.own(), race.epoch);
    Side& other = draft.side(1);
    if (other.bytes == 0) other.bytes = race.end - race.begin;  // a range: what of it raced
    tell_pair(session, race.begin, race.end, ordered, ordered ? kNoNode : slept_after(t, race.epoch));
  });
}

}  // namespace

namespace {

// The access stands for many elements: each raced by itself. Where a pair of lines is told once, the first is enough.
void report_elements(Thread& t, AccessKind kind, uintptr_t key, const PastRace& race) {
  const AccessShape shape = shape_in(key);
  for (uintptr_t at = shape.begin_of(race.begin); at < race.end; at += shape.bytes) {
    PastRace part = race;
    part.begin = race.begin < at ? at : race.begin;
    part.end = race.end < at + shape.bytes ? race.end : at + shape.bytes;
    if (is_benign(part.begin, part.end)) continue;
    report_pair(t, at, shape.bytes, kind, key, part);
    if (options.suppress_equal_stacks) return;
  }
}

}  // namespace

void report_race(Thread& t, uintptr_t address, size_t bytes, AccessKind kind, uintptr_t pc, const RaceFound& found) {
  for (const PastRace& race : found)
    is_access_key(pc) ? report_elements(t, kind, pc, race) : report_pair(t, address, bytes, kind, pc, race);
}

void report_object_race(const Thread& t, uintptr_t object, AccessKind kind, OriginId origin, ThreadUid other,
                        AccessKind other_kind, NodeId other_where) {
  if (!options.report_bugs || is_benign(object, object + 1)) return;
  // A library that is not instrumented may order the two by means that we do not see.
  if (!instrumented_at(caller_in(origin)) || !instrumented_at(caller_in(as_origin(other_where)))) return;
  in_session(SessionFor::kReport, [&](Session& session) {
    session.draft.clear();
    session.draft.set_side(0, object, 1, kind, t.uid, origin);
    session.draft.set_side(1, object, 1, other_kind, other, as_origin(other_where));
    tell_pair(session, object, object + 1, false, kNoNode);
  });
}

void report_other(FindingKind kind, const OtherKey& key, void (*fill)(Draft& draft, void* data), void* data) {
  if (!options.report_bugs) return;
  in_session(SessionFor::kReport, [&](Session& session) {
    const uint64_t its_kind = ~static_cast<uint64_t>(kind);
    const Subject subject{mix(key.bug, its_kind)};
    const uint64_t paths = mix(key.paths, its_kind);
    if (is_known_suppressed(paths) || keeps_quiet(subject)) return;
    session.draft.clear();
    session.draft.finding.kind = kind;
    fill(session.draft, data);
    tell_unless_suppressed(session, subject, paths);
  });
}

bool libraries_suppressed() { return suppressions != nullptr && suppressions->has(SuppressionType::kCalledFromLib); }
bool called_from_suppressed_library(const char* path) {
  if (!libraries_suppressed()) return false;
  const BusyGuard held(matching);
  return suppressions->match_library(path) != nullptr;
}

// Declared in live/api.h.
void set_death_callback(void (*callback)()) { death_callback.store(callback); }

uint64_t reports_printed() { return printed.load(std::memory_order_relaxed); }

namespace {

// What a file of rules is called in messages.
struct RuleFile {
  const char* what;
  const char* path;
};

void bad_rule(void* context, uint32_t line, std::string_view text, const char* problem) {
  say("%s, line %u: %s: %.*s", static_cast<const RuleFile*>(context)->what, line, problem,
      static_cast<int>(text.size()), text.data());
}

// The text of a file; a relative path is also tried beside the program.
bool read_rules(const RuleFile& rules, Text& text) {
  long file = sys::open(rules.path, O_RDONLY | O_CLOEXEC);
  if (sys::failed(file) && rules.path[0] != '/') {
    char beside[4096 + 300];
    Text path(beside, sizeof beside);
    path.add("%s/%s", program_folder(), rules.path);
    file = sys::open(beside, O_RDONLY | O_CLOEXEC);
  }
  if (sys::failed(file)) {
    say("cannot read the %s %s (error %ld)", rules.what, rules.path, -file);
    return false;
  }
  char part[4096];
  for (long n; (n = sys::read(static_cast<int>(file), part, sizeof part)) > 0 || n == -EINTR;)
    for (long i = 0; i < n; ++i) text.put(part[i]);
  sys::close(static_cast<int>(file));
  return true;
}

void read_suppressions() {
  RuleFile rules{"suppressions", options.suppressions.c_str()};
  GrowingText text, annotations;
  if (!options.suppressions.empty() && read_rules(rules, text))
    suppressions->parse({text.data(), text.size()}, bad_rule, &rules);
  RuleFile unwatched{"annotations", options.annotations.c_str()};
  if (!options.annotations.empty() && read_rules(unwatched, annotations))
    suppressions->parse_annotations({annotations.data(), annotations.size()}, bad_rule, &unwatched);
}

}  // namespace

extern "C" __attribute__((weak, visibility("default"))) const char* __tsan_default_suppressions();

void reports_start() {
  sessions_start();
  told_start();
  open_log();
  suppressions = new (suppressions_memory) Suppressions(*new (arena_memory) Arena);
  if (__tsan_default_suppressions != nullptr)
    if (const char* text = __tsan_default_suppressions()) {
      RuleFile own{"suppressions", ""};
      suppressions->parse(text, bad_rule, &own);
    }
  read_suppressions();
  record_start();
}

bool list_suppressed() {
  bool any = false;
  if (suppressions == nullptr) return false;
  for (const Suppression& rule : suppressions->rules()) {
    GrowingText text;
    if (rule.hits == 0) {
      text.add("deadheat: suppression not used: %.*s\n", static_cast<int>(rule.written.size()), rule.written.data());
      write_log(text.data(), text.size());
      continue;
    }
    any = true;
    const bool library = rule.type == SuppressionType::kCalledFromLib;
    text.add("deadheat: suppressed: %lu %s%s by %.*s\n", rule.hits, library ? "module" : "report",
             rule.hits == 1 ? "" : "s", static_cast<int>(rule.written.size()), rule.written.data());
    write_log(text.data(), text.size());
  }
  return any;
}

void reports_finish() {
  GrowingText text;
  if (options.print_suppressions && suppressions != nullptr) {
    const uint64_t hits = suppressed_reports();
    if (hits != 0) {
      text.add("ThreadSanitizer: Matched %lu suppressions (pid=%d):\n", hits, sys::process_id());
      write_log(text.data(), text.size());
      for (const Suppression& rule : suppressions->rules()) {
        if (rule.hits == 0) continue;
        text.clear();
        text.add("%lu %.*s\n", rule.hits, static_cast<int>(rule.written.size()), rule.written.data());
        write_log(text.data(), text.size());
      }
    }
  }
  if (options.print_unused_suppressions && suppressions != nullptr) {
    for (const Suppression& rule : suppressions->rules()) {
      if (rule.hits != 0) continue;
      text.clear();
      text.add("deadheat: suppression not used: %.*s\n", static_cast<int>(rule.written.size()), rule.written.data());
      write_log(text.data(), text.size());
    }
  }
  if (reports_printed() == 0) return;
  text.clear();
  // Programs that read the known form pass over the second line.
  text.add("ThreadSanitizer: reported %lu warnings\n", reports_printed());
  text.add("Found by Deadheat %s; `deadheat run --format html --output FILE -- PROGRAM` shows more\n", kVersion);
  write_log(text.data(), text.size());
}

void reports_end() { record_end(reports_printed(), suppressed_reports(), repeated_reports()); }

void reports_after_fork() {
  // The other threads, which may have held these, do not exist in the child.
  writing.renew();
  matching.renew();
  log_after_fork();
  record_after_fork();
  symbols_after_fork();
  sessions_after_fork();
  halting.store(false);                         // the parent ends; the child has a last report of its own
  printed.store(0, std::memory_order_relaxed);  // a child's status tells of its own races
}

}  // namespace deadheat::live
