#include "race/ranking.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "race/code_place.h"
#include "race/fingerprint.h"
#include "race/suppressions.h"

namespace deadheat {

namespace {

std::string_view word_for(AccessKind kind) {
  return kind == AccessKind::kFree ? "free" : is_write(kind) ? "write" : "read";
}

// "write-read": what does more harm first.
std::string pair_of(const Finding& finding) {
  if (!finding.is_race()) return "";
  const Side* const earlier = finding.earlier();
  if (earlier == nullptr) return fmt::format("{}-unknown", word_for(finding.sides[0].kind));
  const auto harm = [](AccessKind kind) { return kind == AccessKind::kFree ? 2 : is_write(kind) ? 1 : 0; };
  AccessKind a = finding.sides[0].kind, b = earlier->kind;
  if (harm(a) < harm(b)) std::swap(a, b);
  return fmt::format("{}-{}", word_for(a), word_for(b));
}

std::string memory_words(const Memory& memory) {
  switch (memory.kind) {
    case Memory::kGlobal:
      return memory.name.empty() ? "a global" : fmt::format("global '{}'", memory.name);
    case Memory::kHeap:
      if (const StackFrame* const frame = place_frame(memory.stack); frame != nullptr && !frame->function.empty())
        return fmt::format("memory allocated in {}", frame->function);
      return "memory of the heap";
    case Memory::kStack:
      return memory.name.empty() ? "a stack" : fmt::format("local '{}'", memory.name);
    case Memory::kThreadLocal:
      return "thread-local memory";
    case Memory::kDescriptor:
      return fmt::format("file descriptor {}", memory.fd);
    case Memory::kVariable:
      return fmt::format("'{}'", memory.name);
    case Memory::kUnknown:
      break;
  }
  return "";
}

std::string title_of(const Group& group) {
  const Finding& finding = group.finding();
  std::string title = finding.kind == FindingKind::kExternalRace ? fmt::format("race on {}", finding.external_type)
                                                                 : finding_title(finding.kind);
  if (finding.kind == FindingKind::kRace && !group.pair.empty()) title = group.pair + " race";
  if (const std::string memory = memory_words(finding.memory); !memory.empty() && finding.is_race())
    title += " on " + memory;
  return title;
}

bool is_same_line(const Finding& finding) {
  const Side* const earlier = finding.earlier();
  return earlier != nullptr && place_of(finding.sides[0]).is_known() &&
         place_of(finding.sides[0]) == place_of(*earlier);
}

constexpr uint64_t kWidestNumber = 8;
bool is_number(const Side& side) { return side.bytes != 0 && side.bytes <= kWidestNumber; }

// Libraries that are not instrumented and need not be: what orders threads in them is intercepted. The stack of every
// std::thread ends in one.
bool is_understood(std::string_view module) {
  for (const std::string_view library :
       {"libc.so.", "libstdc++.so.", "libc++.so.", "libpthread.so.", "libgomp.so.", "libomp.so"})
    if (base_name(module).starts_with(library)) return true;
  return false;
}

const StackFrame* foreign_frame(const Finding& finding) {
  for (const Side& side : finding.sides)
    for (const StackFrame& frame : side.stack)
      if (frame.foreign && !frame.ours && !is_understood(frame.module)) return &frame;
  return nullptr;
}

void rank_race(const Group& group, std::vector<RankReason>& reasons) {
  const auto add = [&reasons](int points, std::string why) { reasons.push_back({points, std::move(why)}); };
  const Finding& finding = group.finding();
  const Side* const earlier = finding.earlier();
  const bool frees = group.pair.starts_with("free") || finding.kind == FindingKind::kUseAfterFree;
  const bool atomic = is_atomic(finding.sides[0].kind) || (earlier != nullptr && is_atomic(earlier->kind));
  if (frees)
    add(50, "memory is freed while it is in use");
  else if (finding.kind == FindingKind::kVptrRace)
    add(40, "an object is constructed or destroyed while its virtual functions are called");
  else if (earlier != nullptr && is_same_line(finding) && is_number(finding.sides[0]) && is_number(*earlier))
    add(-15, "both accesses are the same line and a number at most: probably a counter");
  else if (earlier != nullptr && finding.sides[0].bytes == 1 && earlier->bytes == 1)
    add(-15, "one byte: probably a flag");
  else if (group.pair == "write-write")
    add(25, "two writes: one of them is lost");
  if (atomic) add(-5, "one access is atomic");
  if (earlier == nullptr) add(-30, "the other access is not known");
  for (const Side& side : finding.sides)
    if (side.kind != AccessKind::kNone && side.stack.empty()) {
      add(-10, "the stack of an access is not known");
      break;
    }
}

void rank_other(FindingKind kind, std::vector<RankReason>& reasons) {
  if (kind == FindingKind::kLockOrder)
    reasons.push_back({10, "locks are taken in orders that can deadlock"});
  else if (kind == FindingKind::kThreadLeak)
    reasons.push_back({-40, "a thread is neither joined nor detached: no race"});
  else
    reasons.push_back({-10, "misuse, not a race"});
}

// A pattern that stands for exactly this name; a line holds one name, so blanks at its ends do not count.
std::string exact(std::string_view name) { return fmt::format("^{}$", name); }

bool fits_in_a_pattern(std::string_view name) {
  return !name.empty() && name.find(" && ") == std::string_view::npos &&
         std::none_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

// Of a frame: the function, else module and offset; empty if neither is known.
std::string pattern_for(const StackFrame* frame, SuppressBy by) {
  if (frame == nullptr) return "";
  if (by == SuppressBy::kFunctions && fits_in_a_pattern(frame->function)) return exact(frame->function);
  const std::string_view module = base_name(frame->module);
  if (fits_in_a_pattern(module) && frame->offset != 0) return fmt::format("{}+{:#x}", module, frame->offset);
  return frame->module.empty() && fits_in_a_pattern(frame->file) ? exact(frame->file) : "";
}

}  // namespace

std::vector<std::string> suppressions_for(const Finding& finding, SuppressBy by) {
  std::vector<std::string> lines;
  const std::string type(to_string(suppression_type(finding.kind)));
  const std::vector<StackView> stacks = stacks_of(finding);
  const std::string first = stacks.empty() ? "" : pattern_for(place_frame(stacks[0]), by);
  if (const StackFrame* const foreign = foreign_frame(finding))
    if (const std::string_view module = base_name(foreign->module); fits_in_a_pattern(module))
      lines.push_back(fmt::format("{}:{}", type, module));
  if (finding.is_race() && stacks.size() > 1) {
    const std::string second = pattern_for(place_frame(stacks[1]), by);
    // Also where both are one function: alone it would hide every other race of that function.
    // Which of the two came first differs from run to run.
    const auto [a, b] = std::minmax(first, second);
    if (!first.empty() && !second.empty()) lines.insert(lines.begin(), fmt::format("{}:{} && {}", type, a, b));
  }
  if (lines.empty() && !first.empty()) lines.push_back(fmt::format("{}:{}", type, first));
  if (by == SuppressBy::kOffsets) return lines;
  const bool has_name = finding.memory.kind == Memory::kGlobal || finding.memory.kind == Memory::kVariable;
  if (finding.is_race() && has_name && fits_in_a_pattern(finding.memory.name))
    lines.push_back(fmt::format("{}:{}", type, exact(finding.memory.name)));
  return lines;
}

void rank_group(Group& group) {
  const Finding& finding = group.finding();
  group.kind = finding.kind;
  group.pair = pair_of(finding);
  group.title = title_of(group);
  group.reasons.clear();
  group.reasons.push_back({50, "every bug begins here"});
  if (finding.is_race())
    rank_race(group, group.reasons);
  else
    rank_other(finding.kind, group.reasons);
  if (finding.rank != 0) group.reasons.push_back({finding.rank, "the detector's own rank"});
  if (const StackFrame* const foreign = foreign_frame(finding)) {
    group.foreign_module = base_name(foreign->module);
    group.reasons.push_back({-40, fmt::format("a stack runs through {}, which is not instrumented: something in it may "
                                              "order the two accesses",
                                              group.foreign_module)});
  }
  if (group.runs.size() > 1) group.reasons.push_back({5, fmt::format("seen in {} runs", group.runs.size())});
  group.rank = 0;
  for (const RankReason& reason : group.reasons) group.rank += reason.points;
  group.suppressions = suppressions_for(finding);
}

}  // namespace deadheat
