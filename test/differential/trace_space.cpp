#include "differential/trace_space.h"

#include <fmt/format.h>

#include <algorithm>

#include "differential/well_formed.h"

namespace deadheat::test {
namespace {

constexpr uint64_t kBytesPerTrace = 0x1000;  // more than any space's addresses; see TracePacker

// The letters written as events of nobody: "r w acq" with every name, "ld(a,acquire)" with that one.
std::vector<Event> letters(const TraceSpace& space, std::string_view text) {
  std::string with_threads;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word(text.substr(at, end - at));
    with_threads += fmt::format("?|{}{} ", word, word.find('(') == std::string::npos ? "(*)" : "");
    at = end + 1;
  }
  TestTrace trace = parse_trace(with_threads);
  for (Event& event : trace.events) {
    const Operand operand = info(event.kind).operand;
    if (event.is_range || operand == Operand::kNone) continue;
    const std::string& name = trace.name(operand, event.target);
    const auto& table = space.names[static_cast<size_t>(operand)];
    const auto found = std::find(table.begin(), table.end(), name);
    event.target = name == "*" ? kAnyName : static_cast<uint64_t>(found - table.begin());
  }
  return trace.events;
}

struct SpaceText {
  std::string_view name;
  size_t threads, length, long_length;
  std::string_view variables, objects, others;  // others: the only lock, message, barrier, semaphore, if any
  std::string_view prefix, letters, last_letters;
};

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

TraceSpace make_space(const SpaceText& text) {
  TraceSpace space{text.name, text.threads, text.length, text.long_length, {}, text.prefix, {}, {}};
  for (size_t i = 0; i < text.threads; ++i)
    space.names[static_cast<size_t>(Operand::kThread)].push_back(fmt::format("T{}", i));
  space.names[static_cast<size_t>(Operand::kVariable)] = split(text.variables);
  space.names[static_cast<size_t>(Operand::kObject)] = split(text.objects);
  for (const Operand operand :
       {Operand::kLock, Operand::kMessage, Operand::kBarrier, Operand::kSemaphore, Operand::kCondition})
    space.names[static_cast<size_t>(operand)] = split(text.others);
  space.letters = letters(space, text.letters);
  space.last_letters = letters(space, text.last_letters);
  if (space.last_letters.empty())
    for (const Event& letter : space.letters)
      if (info(letter.kind).access != AccessKind::kNone) space.last_letters.push_back(letter);
  return space;
}

constexpr std::string_view kAtomicLetters =
    "ld(a,relaxed) ld(a,acquire) st(a,relaxed) st(a,release) rmw(a,relaxed) rmw(a,acquire) rmw(a,release) "
    "rmw(a,acq_rel) fence(acquire) fence(release)";
constexpr std::string_view kOrderLetters =
    "ld(a,consume) ld(a,seq_cst) st(a,seq_cst) st(a,relaxed) rmw(a,consume) rmw(a,seq_cst) cas(a,relaxed,ok) "
    "cas(a,acq_rel,ok) cas(a,relaxed,fail) cas(a,acquire,fail) cas(a,seq_cst,fail) fence(acq_rel) fence(seq_cst)";

constexpr SpaceText kSpaces[] = {
    {"locks, fork and join", 3, 5, 6, "x y", "", "m n", "", "r w acq rel fork join", ""},
    {"one lock and one variable", 3, 6, 7, "x", "", "m", "", "r w acq rel fork join", ""},
    {"many threads forked and joined", 5, 4, 5, "x", "", "m", "T0|w(x) T0|fork(T1)", "r w fork join", ""},
    {"reader locks", 3, 6, 7, "x", "", "m", "", "r w acq rel racq rrel", ""},
    {"reader locks after a locked write", 4, 5, 6, "x", "", "m", "T0|acq(m) T0|w(x) T0|rel(m)",
     "r(x) racq rrel acq rel", "r w"},
    {"barriers", 3, 6, 7, "x", "", "b", "", "r w benter bleave", ""},
    {"barriers after a write", 3, 6, 8, "x", "", "b", "T0|w(x)", "benter bleave", "r w"},
    {"semaphores and messages", 3, 4, 5, "x", "", "s", "", "r w post swait snd rcv", ""},
    {"conditions, begin and end", 3, 4, 5, "x", "", "c", "", "r w wait notify begin() end() gone acq rel", ""},
    {"volatiles", 3, 4, 5, "x y", "", "", "", "r w vr vw", ""},
    {"volatiles after a write", 3, 5, 6, "x v", "", "", "T0|w(x)", "vr(v) vw(v)", "r(x) w(x)"},
    {"atomics after a write", 3, 4, 5, "x a", "", "", "T0|w(x)", kAtomicLetters, "r(x)"},
    {"two threads with atomics after a write", 2, 5, 6, "x a", "", "", "T0|w(x)", kAtomicLetters, "r(x)"},
    {"more memory orders", 3, 3, 4, "x a", "", "", "T0|w(x)", kOrderLetters, "r(x) w(x)"},
    {"plain and atomic accesses of one variable", 3, 4, 5, "x", "", "", "",
     "r w ld(x,relaxed) ld(x,acquire) st(x,relaxed) st(x,release) rmw(x,acq_rel) cas(x,acquire,fail)", ""},
    {"plain and volatile accesses between messages", 3, 5, 6, "x", "", "q", "", "r w vr(x) vw(x) snd rcv", ""},
    {"allocation", 3, 4, 5, "A[0] A[1]", "A", "q", "", "r w alloc(A,2) free(A) snd rcv", ""},
    {"allocation around atomics", 3, 4, 5, "A.x A.a", "A", "", "T0|w(A.x)",
     "alloc(A,2) free(A) ld(A.a,acquire) st(A.a,release) vr(A.a) vw(A.a)", "r(A.x) w(A.x) free(A)"},
    {"bytes", 3, 4, 5, "", "", "q", "", "r(0x10:1) w(0x10:4) r(0x10:8) w(0x12:4) w(0x13:1) r(0x14:2) snd rcv", ""},
    {"blocks of bytes", 3, 4, 5, "", "", "q", "",
     "r(0x10:2) w(0x11:2) r(0x12:4) alloc(0x10,4) free(0x10) snd rcv ld(0x10:2,acquire) st(0x10:2,release)", ""},
};

// Depth first; `used` counts the names of each kind that have appeared, so that the next new one is known.
class Enumeration {
 public:
  Enumeration(const TraceSpace& space, size_t length, const std::function<void(const TestTrace&)>& visit)
      : space_(space), visit_(visit) {
    if (!space.prefix.empty()) trace_ = parse_trace(space.prefix);
    for (size_t kind = 0; kind < 9; ++kind) {
      used_[kind] = trace_.names[kind].size();
      // Names of the prefix come first in the tables of the space, in the same order: their ids are right already.
      trace_.names[kind] = space.names[kind];
    }
    length_ = trace_.events.size() + length;
    trace_.locations.clear();
    for (size_t i = 0; i < length_; ++i) trace_.locations.push_back(std::to_string(i));
    WellFormed rules;
    for (const Event& event : trace_.events) rules.accept(event);
    if (length > 0) extend(rules);
  }

 private:
  void extend(const WellFormed& rules) {
    const bool is_last = trace_.events.size() + 1 == length_;
    const std::vector<Event>& letters = is_last ? space_.last_letters : space_.letters;
    const auto threads = static_cast<size_t>(Operand::kThread);
    const size_t choices = std::min(used_[threads] + 1, space_.threads);
    for (size_t thread = 0; thread < choices; ++thread) {
      const size_t used_before = used_[threads];
      used_[threads] = std::max(used_before, thread + 1);
      for (Event event : letters) {
        event.thread = static_cast<ThreadId>(thread);
        event.location = static_cast<LocationId>(trace_.events.size());
        if (event.target != kAnyName || event.is_range) {
          append(rules, event);
        } else {
          extend_with_every_name(rules, event);
        }
      }
      used_[threads] = used_before;
    }
  }

  void extend_with_every_name(const WellFormed& rules, Event event) {
    const auto kind = static_cast<size_t>(info(event.kind).operand);
    const size_t used_before = used_[kind];
    for (size_t id = 0; id < std::min(used_before + 1, space_.names[kind].size()); ++id) {
      event.target = id;
      used_[kind] = std::max(used_before, id + 1);
      append(rules, event);
    }
    used_[kind] = used_before;
  }

  void append(const WellFormed& rules, const Event& event) {
    if (!rules.would_accept(event)) return;
    trace_.events.push_back(event);
    if (trace_.events.size() == length_) {
      visit_(trace_);
    } else {
      WellFormed next = rules;
      next.accept(event);
      extend(next);
    }
    trace_.events.pop_back();
  }

  const TraceSpace& space_;
  const std::function<void(const TestTrace&)>& visit_;
  size_t length_;
  std::array<size_t, 9> used_{};
  TestTrace trace_;
};

}  // namespace

std::span<const TraceSpace> trace_spaces() {
  static const std::vector<TraceSpace> spaces = [] {
    std::vector<TraceSpace> made;
    for (const SpaceText& text : kSpaces) made.push_back(make_space(text));
    return made;
  }();
  return spaces;
}

void for_each_trace(const TraceSpace& space, size_t length, const std::function<void(const TestTrace&)>& visit) {
  Enumeration(space, length, visit);
}

TracePacker::TracePacker(const TraceSpace& space, size_t capacity) : capacity_(capacity) {
  for (size_t kind = 0; kind < 9; ++kind) {
    stride_[kind] = space.names[kind].size();
    for (size_t copy = 0; copy < capacity; ++copy)
      for (const std::string& name : space.names[kind]) packed_.names[kind].push_back(fmt::format("c{}{}", copy, name));
  }
}

void TracePacker::add(const TestTrace& trace) {
  for (Event event : trace.events) {
    const size_t threads = stride_[static_cast<size_t>(Operand::kThread)];
    event.thread = static_cast<ThreadId>(index(event.thread) + traces_ * threads);
    if (event.is_range) {
      event.target += traces_ * kBytesPerTrace;
    } else {
      event.target += traces_ * stride_[static_cast<size_t>(info(event.kind).operand)];
    }
    const size_t number = packed_.events.size();
    if (number == packed_.locations.size()) packed_.locations.push_back(std::to_string(number));
    event.location = static_cast<LocationId>(number);
    packed_.events.push_back(event);
  }
  ++traces_;
}

void TracePacker::clear() {
  traces_ = 0;
  packed_.events.clear();
}

}  // namespace deadheat::test
