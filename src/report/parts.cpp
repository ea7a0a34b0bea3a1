#include "report/parts.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "report/explanation.h"

namespace deadheat {

std::string harmless(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const auto c = static_cast<unsigned char>(text[at]);
    const size_t length = utf8_length(rest);
    const bool is_control =
        c < 0x20 || c == 0x7f || (length == 2 && c == 0xc2 && static_cast<unsigned char>(rest[1]) < 0xa0);
    if (length == 0 || is_control) {
      for (size_t i = 0; i < std::max<size_t>(length, 1); ++i)
        result += fmt::format("\\x{:02x}", static_cast<unsigned char>(rest[i]));
    } else {
      result += rest.substr(0, length);
    }
    at += std::max<size_t>(length, 1);
  }
  return result;
}

namespace {

class HarmlessCopy {
 public:
  explicit HarmlessCopy(FindingStore& store) : store_(store) {}

  Finding of(Finding finding) {
    text(finding.external_type);
    std::vector<Side> sides(finding.sides.begin(), finding.sides.end());
    for (Side& side : sides) {
      text(side.thread_name);
      stack(side.stack);
    }
    finding.sides = store_.copy<Side>(sides);
    stack(finding.sleep);
    std::vector<FindingStack> stacks(finding.stacks.begin(), finding.stacks.end());
    for (FindingStack& shown : stacks) {
      text(shown.thread_name);
      stack(shown.stack);
    }
    finding.stacks = store_.copy<FindingStack>(stacks);
    text(finding.memory.name);
    text(finding.memory.module);
    stack(finding.memory.stack);
    frame(finding.memory.declared);
    std::vector<FindingLock> locks(finding.locks.begin(), finding.locks.end());
    for (FindingLock& lock : locks) stack(lock.created_at);
    finding.locks = store_.copy<FindingLock>(locks);
    std::vector<FindingThread> threads(finding.threads.begin(), finding.threads.end());
    for (FindingThread& thread : threads) {
      text(thread.name);
      stack(thread.created_at);
    }
    finding.threads = store_.copy<FindingThread>(threads);
    if (finding.explanation != nullptr) finding.explanation = explanation(*finding.explanation);
    return finding;
  }

 private:
  void text(std::string_view& text) { text = store_.text(harmless(text)); }
  void frame(StackFrame& frame) {
    text(frame.function);
    text(frame.file);
    text(frame.module);
  }
  void stack(StackView& stack) {
    std::vector<StackFrame> frames(stack.begin(), stack.end());
    for (StackFrame& each : frames) frame(each);
    stack = store_.copy<StackFrame>(frames);
  }

  void step(SyncStep& step) {
    text(step.op);
    text(step.object);
    stack(step.stack);
  }
  const Explanation* explanation(Explanation why) {
    for (SyncStep* const each :
         {&why.before[0], &why.before[1], &why.after[0], &why.after[1], &why.met_from, &why.met_to})
      step(*each);
    std::vector<TimelineStep> timeline(why.timeline.begin(), why.timeline.end());
    for (TimelineStep& each : timeline) step(each.step);
    why.timeline = store_.copy<TimelineStep>(timeline);
    return store_.copy<Explanation>({&why, 1}).data();
  }

  FindingStore& store_;
};

}  // namespace

Finding harmless(const Finding& finding, FindingStore& store) { return HarmlessCopy(store).of(finding); }

std::vector<std::string> explanation_lines(const Finding& finding) {
  FindingStore store;
  std::string text;
  Sink sink([](void* to, std::string_view part) { static_cast<std::string*>(to)->append(part); }, &text);
  write_explanation(harmless(finding, store), sink);  // no name has the end of a line
  std::vector<std::string> lines;
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    lines.push_back(text.substr(begin, end - begin));
  return lines;
}

ReportStyle style_of(const Findings& findings) {
  return {.process = findings.process, .precise = findings.precise, .detector = findings.detector};
}

std::string counted(uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string counts_text(const TraceCounts& trace) {
  return fmt::format("{} ({}, {}, {})", counted(trace.events, "event", "events"),
                     counted(trace.threads, "thread", "threads"), counted(trace.variables, "variable", "variables"),
                     counted(trace.locks, "lock", "locks"));
}

Json counts_json(const TraceCounts& trace) {
  return {{"events", trace.events}, {"threads", trace.threads}, {"variables", trace.variables}, {"locks", trace.locks}};
}

}  // namespace deadheat
