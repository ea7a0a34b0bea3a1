#include "report/explanation_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "race/fingerprint.h"
#include "report/finding_report.h"
#include "report/parts.h"

namespace deadheat {

namespace {

std::string thread_words(const Finding& finding, const Side& side) {
  if (!is_told_in_full(finding)) return std::string(side.thread_name);
  return side.thread == 0 ? "the main thread" : fmt::format("thread T{}", side.thread);
}

// "M1, created at cache.cpp:31"
std::string lock_words(const Finding& finding, uint64_t address) {
  for (size_t i = 0; i < finding.locks.size(); ++i) {
    if (finding.locks[i].address != address) continue;
    const StackFrame* const created = place_frame(finding.locks[i].created_at);
    return created == nullptr ? fmt::format("M{}", i) : fmt::format("M{}, created at {}", i, place_text(created));
  }
  return fmt::format("the mutex at {:#x}", address);
}

std::string held_words(const Finding& finding, const Side& side) {
  if (side.locks.empty()) return "no lock";
  std::string text;
  for (const SideLock& lock : side.locks)
    text += fmt::format("{}{}{}", text.empty() ? "" : " and ", lock_words(finding, lock.address),
                        lock.for_reading ? " (for reading)" : "");
  return text;
}

bool holds_common_lock(const Side& a, const Side& b) {
  return std::any_of(a.locks.begin(), a.locks.end(), [&b](const SideLock& x) {
    return std::any_of(b.locks.begin(), b.locks.end(), [&x](const SideLock& y) { return x.address == y.address; });
  });
}

std::string step_words(const SyncStep& step) {
  std::string text = std::string(step.op);
  if (!step.object.empty()) text += fmt::format(" of {}", step.object);
  if (const StackFrame* const frame = place_frame(step.stack)) text += " at " + place_text(frame);
  return text;
}

}  // namespace

std::vector<std::string> explanation_lines(const Finding& finding) {
  std::vector<std::string> lines;
  const Side* const earlier = finding.earlier();
  if (!finding.is_race() || earlier == nullptr) return lines;
  const Side* const sides[2] = {&finding.sides[0], earlier};
  const bool freed_before = finding.kind == FindingKind::kUseAfterFree;
  if (freed_before) {
    lines.push_back("The use comes after the free, in every run: the memory is not the program's any more.");
  } else if (is_told_in_full(finding)) {
    lines.push_back(fmt::format(
        "Why they race: {} held {}, {} held {}{}", thread_words(finding, *sides[0]), held_words(finding, *sides[0]),
        thread_words(finding, *sides[1]), held_words(finding, *sides[1]),
        holds_common_lock(*sides[0], *sides[1]) ? ", and a lock held only for reading keeps no other reader out."
                                                : ": no lock is common, and nothing else orders the two."));
  }
  if (finding.explanation == nullptr) return lines;
  const Explanation& why = *finding.explanation;
  for (unsigned i = 2; i-- > 0;) {
    std::string text = fmt::format("{}: ", thread_words(finding, *sides[i]));
    text += why.before[i].op.empty() ? "no synchronisation before its access"
                                     : "last before its access: " + step_words(why.before[i]);
    text += why.after[i].op.empty() ? "; none after it" : "; first after it: " + step_words(why.after[i]);
    lines.push_back(std::move(text));
  }
  if (!why.met_from.op.empty())
    lines.push_back(fmt::format("The two threads last met before the race by {}, then {}.", step_words(why.met_from),
                                step_words(why.met_to)));
  for (const LockUse& use : why.lock_uses) {
    if (use.held[0] && use.held[1]) continue;
    const std::string_view missing = !use.held[0] && !use.held[1] ? "these two do not"
                                     : use.held[0]                ? "the earlier of these two does not"
                                                                  : "the later of these two does not";
    lines.push_back(fmt::format("{} of {} hold {}; {}.", use.accesses,
                                counted(why.other_accesses, "other access", "other accesses"),
                                lock_words(finding, use.lock), missing));
  }
  return lines;
}

}  // namespace deadheat
