// Feeds a detector one event at a time, in the text notation, so that a test can look at the state after each step.
//
//   Steps<FastTrack> steps;
//   EXPECT_EQ(steps.run("T0|w(x)").rule, ...);
//   EXPECT_EQ(steps.variable("x").W(), ...);
//
// Only names, no byte ranges; no validation and no recursion: what the engine does around a detector is tested there.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "base/epoch.h"
#include "detect/detector.h"
#include "event/text_notation.h"

namespace deadheat::test {

// How the papers write clocks and epochs: "<4,8>" and "8@1".
template <class Clock>
std::string clock_text(const Clock& clock, uint32_t threads) {
  std::string text = "<";
  for (uint32_t i = 0; i < threads; ++i) text += (i > 0 ? "," : "") + std::to_string(clock[static_cast<Slot>(i)]);
  return text + ">";
}
inline std::string epoch_text(Epoch e) {
  return e.is_never() ? "never" : std::to_string(e.clock()) + "@" + std::to_string(index(e.slot()));
}

template <Detector D>
class Steps {
 public:
  Steps() : detector_(arena_) {}
  explicit Steps(const DetectorOptions& options) : Steps() { detector_.configure(options); }

  // Runs events separated by blanks; the outcome is that of the last one.
  Outcome run(std::string_view events) {
    Outcome outcome;
    while (!events.empty()) {
      const size_t end = events.find(' ');
      const std::string_view one = events.substr(0, end);
      if (!one.empty()) outcome = step(one);
      events.remove_prefix(end == std::string_view::npos ? events.size() : end + 1);
    }
    return outcome;
  }
  typename D::Var& variable(std::string_view name) { return variables_[index(names_.intern_variable(name))]; }
  ThreadId thread(std::string_view name) { return names_.threads.intern(name); }
  D& detector() { return detector_; }
  const Names& names() const { return names_; }

 private:
  Outcome step(std::string_view line) {
    Event e;
    std::string problem;
    if (!LineParser(names_).parse(line, e, problem)) throw std::invalid_argument(problem);
    const uint64_t number = events_++;
    const AccessKind kind = info(e.kind).access;
    if (kind == AccessKind::kNone) {
      detector_.sync(e);
      return {};
    }
    const bool atomic = is_atomic_access(e.kind);
    if (atomic) detector_.acquire_part(e);
    const Outcome outcome = access({e.thread, kind, e.location, number}, e.variable());
    if (atomic) detector_.release_part(e);
    return outcome;
  }
  Outcome access(const Access& a, VariableId v) {
    typename D::Var& x = variables_[index(v)];
    const VariableInfo& known = names_.variable_info[index(v)];
    Place place{false, index(v), 0, known.object, known.element};
    if constexpr (requires { detector_.take(a, place); }) {
      if (detector_.take(a, place)) return {};
    }
    if constexpr (requires { detector_.object_access(a, place); })
      if (const auto outcome = detector_.object_access(a, place)) return *outcome;
    if constexpr (requires { detector_.access(a, place, x); }) {
      return detector_.access(a, place, x);
    } else {
      return detector_.access(a, x);
    }
  }

  Arena arena_;
  D detector_;
  Names names_;
  std::map<size_t, typename D::Var> variables_;
  uint64_t events_ = 0;
};

}  // namespace deadheat::test
