// A report as one HTML file that needs no network.
//
// Idea     The page is fixed (src/report/page). Beside its script it has the data, one JSON text, which the script shows.
//          Frames, stacks and lines of source are in tables, each once, since a thousand bugs have most of them in
//          common.
// Promises Names, paths and source may have any bytes. In the data `<`, `>`, `&` and all that is not ASCII are escaped,
//          and bytes that are not UTF-8 are replaced, so the data cannot end their element. Very long texts and stacks
//          are cut.
// Tested by test/unit/model_html_test.cpp, test/browser
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/version.h"
#include "race/code_place.h"
#include "report/finding_report.h"
#include "report/formats.h"
#include "report/html_page.h"
#include "report/parts.h"
#include "report/source_excerpt.h"

namespace deadheat {

namespace {

constexpr size_t kLongestText = 2000;
constexpr size_t kLongestLine = 400;  // of source
constexpr size_t kMostFrames = 200;
constexpr size_t kMostExamples = 5;
constexpr size_t kMostRuns = 1000;  // of one bug

// The beginning of a text that is longer. A letter that is cut in two is not UTF-8 and becomes a replacement character.
std::string cut(std::string_view text, size_t longest = kLongestText) {
  if (text.size() <= longest) return std::string(text);
  return fmt::format("{} [{} more bytes]", text.substr(0, longest), text.size() - longest);
}

std::string hex(uint64_t number) { return fmt::format("{:x}", number); }

class PageData {
 public:
  PageData(const ReportModel& model, const FormatStyle& style)
      : model_(model), with_source_(style.with_source), files_(style.source_root) {}

  Json build() {
    Json groups = Json::array(), gone = Json::array(), runs = Json::array();
    for (const ReportRun& run : model_.runs) runs.push_back(json_of(run));
    for (const Group& group : model_.groups) groups.push_back(json_of(group));
    for (const Group& group : model_.gone)
      gone.push_back(
          {{"title", cut(group.title)}, {"fingerprint", group.fingerprint}, {"last", group.history.last_seen}});
    return {{"version", kVersion},
            {"command", cut(model_.command)},
            {"records", model_.records},
            {"suppressed", model_.suppressed},
            {"hiddenKnown", model_.hidden_known},
            {"hasBaseline", model_.has_baseline},
            {"hasDatabase", model_.has_database},
            {"notes", texts(model_.notes)},
            {"unused", texts(model_.unused_suppressions)},
            {"runs", std::move(runs)},
            {"groups", std::move(groups)},
            {"gone", std::move(gone)},
            {"frames", std::move(frames_)},
            {"stacks", std::move(stacks_)},
            {"excerpts", std::move(excerpts_)}};
  }

 private:
  static Json texts(const std::vector<std::string>& all) {
    Json list = Json::array();
    for (const std::string& text : all) list.push_back(cut(text));
    return list;
  }

  // ---- tables ----

  // [function, file, line, column, module, offset, flags]; flags: 1 inlined, 2 ours, 4 of a library's header, 8 not
  // instrumented.
  size_t id_of(const StackFrame& frame) {
    const auto [file, line] = file_and_line(frame);
    const int flags = (frame.inlined ? 1 : 0) | (frame.ours ? 2 : 0) | (is_system_header(frame.file) ? 4 : 0) |
                      (frame.foreign ? 8 : 0);
    Json json = {cut(frame.function), cut(file), line, frame.column, cut(frame.module), hex(frame.offset), flags};
    const auto [known, is_new] =
        frame_ids_.try_emplace(json.dump(-1, ' ', false, Json::error_handler_t::replace), frames_.size());
    if (is_new) frames_.push_back(std::move(json));
    return known->second;
  }
  // Null for no stack.
  Json id_of(StackView stack) {
    if (stack.empty()) return nullptr;
    std::vector<size_t> ids;
    for (const StackFrame& frame : stack.subspan(0, std::min(stack.size(), kMostFrames))) ids.push_back(id_of(frame));
    if (stack.size() > kMostFrames) {
      const std::string words = fmt::format("({} more frames)", stack.size() - kMostFrames);
      ids.push_back(id_of(StackFrame{.function = words, .ours = true}));
    }
    const auto [known, is_new] = stack_ids_.try_emplace(ids, stacks_.size());
    if (is_new) stacks_.push_back(ids);
    return known->second;
  }
  // Of the place in a stack that belongs to the program; null if there is no source.
  Json excerpt_of(StackView stack, uint64_t run_started) {
    const StackFrame* const frame = with_source_ ? own_frame(stack) : nullptr;
    if (frame == nullptr) return nullptr;
    const auto [file, line] = file_and_line(*frame);
    const auto [known, is_new] = excerpt_ids_.try_emplace(fmt::format("{}:{}:{}", run_started, line, file), nullptr);
    if (!is_new) return known->second;
    const SourceExcerpt excerpt = files_.around(*frame, run_started, 4);
    if (excerpt.empty()) return nullptr;
    Json lines = Json::array();
    for (const SourceExcerpt::Line& shown : excerpt.lines)
      lines.push_back({shown.number, cut(shown.text, kLongestLine), shown.is_place});
    known->second = excerpts_.size();
    excerpts_.push_back({{"newer", excerpt.is_newer}, {"lines", std::move(lines)}});
    return known->second;
  }
  // The innermost frame of the program that has a file; readableFrame of page.js finds the same one.
  static const StackFrame* own_frame(StackView stack) {
    const StackFrame* other = nullptr;
    for (const StackFrame& frame : stack) {
      if (frame.ours) continue;
      if (!frame.file.empty() && !is_system_header(frame.file)) return &frame;
      if (other == nullptr) other = &frame;
    }
    return other;
  }

  // ---- runs and groups ----

  static Json json_of(const ReportRun& run) {
    Json arguments = Json::array();
    std::string_view rest = run.facts.arguments;
    while (!rest.empty() && arguments.size() < 100) {
      const size_t end = std::min(rest.find('\0'), rest.size());
      arguments.push_back(cut(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (!arguments.empty()) arguments.erase(0);  // the program itself
    return {{"program", cut(run.facts.program)},   {"arguments", std::move(arguments)},
            {"process", run.facts.process},        {"started", run.facts.started},
            {"host", cut(run.facts.host)},         {"label", cut(run.facts.label)},
            {"detector", cut(run.facts.detector)}, {"ended", run.ended}};
  }

  static std::string kind_text(const Group& group) {
    if (group.kind == FindingKind::kRace && !group.pair.empty()) return group.pair + " race";
    return finding_name(group.kind);
  }
  // 2 may destroy data, 1 is a bug, 0 should be known.
  static int severity(const Group& group) {
    switch (group.kind) {
      case FindingKind::kRace:
        return group.pair == "write-write" || group.pair.find("free") != std::string::npos ? 2 : 1;
      case FindingKind::kVptrRace:
      case FindingKind::kFreeRace:
      case FindingKind::kUseAfterFree:
      case FindingKind::kFreeVptrRace:
      case FindingKind::kInvalidMutex:
      case FindingKind::kDoubleLock:
        return 2;
      case FindingKind::kThreadLeak:
      case FindingKind::kSignalUnsafe:
      case FindingKind::kSpoiledErrno:
      case FindingKind::kIgnoringEnd:
        return 0;
      default:
        return 1;
    }
  }

  Json json_of(const Group& group) {
    Json reasons = Json::array(), runs = Json::array(), places = Json::array(), examples = Json::array();
    for (const RankReason& reason : group.reasons) reasons.push_back({reason.points, cut(reason.why)});
    for (const auto& [run, records] : group.runs)
      if (runs.size() < kMostRuns) runs.push_back({run, records});
    for (const auto& [place, count] : group.places) places.push_back({cut(place), count});
    for (const Example& example : group.examples)
      if (examples.size() < kMostExamples) examples.push_back(json_of(example));
    Json history = nullptr;
    if (model_.has_database)
      history = {{"first", group.history.first_seen},
                 {"last", group.history.last_seen},
                 {"firstLabel", cut(group.history.first_label)},
                 {"lastLabel", cut(group.history.last_label)},
                 {"seen", group.history.runs_seen},
                 {"since", group.history.runs_since}};
    return {{"fingerprint", group.fingerprint},
            {"fingerprints", group.fingerprints},
            {"kindText", kind_text(group)},
            {"severity", severity(group)},
            {"title", cut(group.title)},
            {"pair", group.pair},
            {"rank", group.rank},
            {"reasons", std::move(reasons)},
            {"records", group.records},
            {"races", group.races},
            {"objects", group.objects},
            {"variants", group.variants},
            {"runs", std::move(runs)},
            {"places", std::move(places)},
            {"foreign", cut(group.foreign_module)},
            {"suppressions", texts(group.suppressions)},
            {"known", group.known},
            {"state", group.history.state},
            {"history", std::move(history)},
            {"examples", std::move(examples)}};
  }

  // ---- an example ----

  Json json_of(const Example& example) {
    const Finding& finding = example.finding;
    const uint64_t started = example.run < model_.runs.size() ? model_.runs[example.run].facts.started : 0;
    const bool traced = !is_told_in_full(finding);  // threads and locks have names only
    Json sides = Json::array(), stacks = Json::array(), locks = Json::array(), threads = Json::array();
    for (const Side& side : finding.sides)
      if (side.kind != AccessKind::kNone) sides.push_back(json_of(side, finding, traced, started));
    for (const FindingStack& stack : finding.stacks)
      stacks.push_back({{"head", head_of(stack, finding)},
                        {"stack", id_of(stack.stack)},
                        {"excerpt", excerpt_of(stack.stack, started)}});
    for (size_t i = 0; i < finding.locks.size(); ++i) {
      const FindingLock& lock = finding.locks[i];
      locks.push_back({{"name", fmt::format("M{}", i)},
                       {"address", hex(lock.address)},
                       {"destroyed", lock.destroyed},
                       {"stack", id_of(lock.created_at)}});
    }
    for (const FindingThread& thread : finding.threads)
      threads.push_back({{"number", thread.number},
                         {"name", cut(thread.name)},
                         {"traced", traced},
                         {"os", thread.os_id},
                         {"running", thread.running},
                         {"parent", thread.parent},
                         {"known", thread.creation_known},
                         {"stack", id_of(thread.created_at)}});
    std::vector<std::string> why = explanation_lines(finding);
    constexpr std::string_view kTextHead = "Why they race: ";  // the page has a headline that says it
    for (std::string& line : why)
      if (line.starts_with(kTextHead)) line.erase(0, kTextHead.size());
    std::string cycle;
    for (unsigned i = 0; finding.cycle_length != 0 && i <= finding.cycle_length; ++i)
      cycle += fmt::format("{}M{}", i == 0 ? "" : " \u2192 ", i % finding.cycle_length);
    return {{"run", example.run},
            {"records", example.records},
            {"sides", std::move(sides)},
            {"sleep", id_of(finding.sleep)},
            {"stacks", std::move(stacks)},
            {"memory", memory_of(finding)},
            {"locks", std::move(locks)},
            {"threads", std::move(threads)},
            {"repeated", finding.repeated},
            {"cycle", cycle},
            {"why", texts(why)},
            {"timeline", timeline_of(finding)}};
  }

  Json json_of(const Side& side, const Finding& finding, bool traced, uint64_t started) {
    std::string_view name = side.thread_name;
    for (const FindingThread& thread : finding.threads)
      if (!traced && name.empty() && thread.number == side.thread) name = thread.name;
    Json locks = Json::array();
    for (const SideLock& lock : side.locks)
      locks.push_back({{"address", hex(lock.address)}, {"reading", lock.for_reading}});
    return {{"kind", words_for(side.kind)},
            {"thread", side.thread},
            {"threadName", cut(name)},
            {"traced", traced},
            {"event", side.event == 0 && !traced ? Json(nullptr) : Json(side.event)},
            {"address", side.address == 0 ? std::string() : hex(side.address)},
            {"bytes", side.bytes},
            {"stack", id_of(side.stack)},
            {"excerpt", excerpt_of(side.stack, started)},
            {"locks", std::move(locks)},
            {"locksKnown", !traced}};
  }
  static std::string_view words_for(AccessKind kind) {
    switch (kind) {
      case AccessKind::kAtomicRead:
        return "atomic read";
      case AccessKind::kAtomicWrite:
        return "atomic write";
      default:
        return op_name(kind);
    }
  }

  static std::string thread_words(uint32_t number) {
    return number == 0 ? "the main thread" : fmt::format("T{}", number);
  }
  static size_t lock_number(const Finding& finding, uint64_t address) {
    size_t number = 0;
    while (number + 1 < finding.locks.size() && finding.locks[number].address != address) ++number;
    return number;
  }
  static std::string head_of(const FindingStack& stack, const Finding& finding) {
    switch (stack.head) {
      case FindingStack::kPlain:
        return {};
      case FindingStack::kAnd:
        return "And here";
      case FindingStack::kSignal:
        return fmt::format("Handler of signal {}", stack.signal);
      case FindingStack::kCreatedAt:
        return fmt::format("{} was created here", stack.thread == 0 ? "The main thread" : thread_words(stack.thread));
      case FindingStack::kIgnoredSince:
        return "Ignored since";
      case FindingStack::kAcquiredWhileHolding:
        return fmt::format("M{} is acquired while {} holds M{}", lock_number(finding, stack.lock),
                           thread_words(stack.thread), lock_number(finding, stack.held));
      case FindingStack::kAcquiredBefore:
        return fmt::format("M{} was acquired before by the same thread", lock_number(finding, stack.lock));
    }
    return {};
  }

  Json memory_of(const Finding& finding) {
    const Memory& memory = finding.memory;
    std::string text, stack_is;
    switch (memory.kind) {
      case Memory::kUnknown:
        break;
      case Memory::kVariable:
        text = fmt::format("Variable {}", memory.name);
        break;
      case Memory::kGlobal:
        text = memory.name.empty()
                   ? "Global data without a name"
                   : fmt::format("Global {} of {}", memory.name, counted(memory.bytes, "byte", "bytes"));
        if (!memory.module.empty()) text += fmt::format(" ({}+{:#x})", memory.module, memory.offset);
        break;
      case Memory::kHeap:
        text = fmt::format("Heap block of {} at {:#x}", counted(memory.bytes, "byte", "bytes"), memory.begin);
        stack_is = fmt::format("allocated by {}:", thread_words(memory.thread));
        break;
      case Memory::kStack:
        text = memory.name.empty()
                   ? fmt::format("Stack of {}", thread_words(memory.thread))
                   : fmt::format("Variable {} on the stack of {}", memory.name, thread_words(memory.thread));
        stack_is = "its function:";
        break;
      case Memory::kThreadLocal:
        text = fmt::format("Thread-local data of {}", thread_words(memory.thread));
        break;
      case Memory::kDescriptor:
        text = fmt::format("File descriptor {}", memory.fd);
        stack_is = fmt::format("{} by {}:", memory.fd_closed ? "closed" : "opened", thread_words(memory.thread));
        break;
    }
    if (finding.is_race() && memory.bytes != 0 && finding.both_begin >= memory.begin &&
        finding.both_end <= memory.begin + memory.bytes && finding.both_end - finding.both_begin < memory.bytes)
      text +=
          fmt::format(", bytes {} to {} of it", finding.both_begin - memory.begin, finding.both_end - memory.begin - 1);
    return {{"text", cut(text)},
            {"stackIs", stack_is},
            {"stack", id_of(memory.stack)},
            {"declared", memory.declared.file.empty() ? Json(nullptr) : Json(id_of(memory.declared))}};
  }

  Json json_of(const SyncStep& step) {
    return {{"op", cut(step.op)},
            {"object", cut(step.object)},
            {"address", step.address == 0 ? std::string() : hex(step.address)},
            {"event", step.event},
            {"stack", id_of(step.stack)}};
  }
  // What the picture shows. Without a timeline: what is known around each access, in the order of the run where that is
  // known.
  Json timeline_of(const Finding& finding) {
    Json timeline = Json::array();
    if (finding.explanation == nullptr || finding.earlier() == nullptr) return timeline;
    const Explanation& why = *finding.explanation;
    const auto add = [&](const SyncStep& step, unsigned side, bool is_access, int orders) {
      if (step.op.empty()) return;
      Json json = json_of(step);
      json["column"] = side == 1 ? 0 : 1;
      json["access"] = is_access;
      json["orders"] = orders;
      timeline.push_back(std::move(json));
    };
    for (const TimelineStep& step : why.timeline) add(step.step, step.side, step.is_access, step.orders);
    if (!timeline.empty()) return timeline;
    for (unsigned side = 2; side-- > 0;) {
      const Side& access = finding.sides[side];
      add(why.before[side], side, false, -1);
      add({.op = words_for(access.kind), .event = access.event, .stack = access.stack}, side, true, -1);
      add(why.after[side], side, false, -1);
    }
    std::stable_sort(timeline.begin(), timeline.end(),
                     [](const Json& a, const Json& b) { return a["event"] < b["event"]; });
    return timeline;
  }

  const ReportModel& model_;
  bool with_source_;
  SourceFiles files_;
  Json frames_ = Json::array(), stacks_ = Json::array(), excerpts_ = Json::array();
  std::map<std::string, size_t> frame_ids_;
  std::map<std::vector<size_t>, size_t> stack_ids_;
  std::map<std::string, Json> excerpt_ids_;
};

// All of it ASCII, and without what could end the element that it stands in. These characters are in texts only.
std::string escaped_for_html(const Json& json) {
  const std::string plain = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string text;
  text.reserve(plain.size() + plain.size() / 16);
  for (const char c : plain) {
    if (c == '<')
      text += "\\u003c";
    else if (c == '>')
      text += "\\u003e";
    else if (c == '&')
      text += "\\u0026";
    else
      text += c;
  }
  return text;
}

}  // namespace

void write_html(const ReportModel& model, const FormatStyle& style, std::FILE* out) {
  put(out, kPageBeforeData);
  put(out, escaped_for_html(PageData(model, style).build()));
  put(out, kPageAfterData);
}

}  // namespace deadheat
