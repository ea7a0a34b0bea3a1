#include "live_oracle/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace deadheat::test {
namespace {

bool writes(AccessKind kind) {
  return kind == AccessKind::kWrite || kind == AccessKind::kAtomicWrite || kind == AccessKind::kFree;
}
bool is_atomic(AccessKind kind) { return kind == AccessKind::kAtomicRead || kind == AccessKind::kAtomicWrite; }

// Whatever conflicts with the one conflicts with the other.
bool supersedes(AccessKind now, AccessKind old) {
  return (writes(now) || !writes(old)) && (!is_atomic(now) || is_atomic(old));
}

// How a report shows an access of the event.
std::string_view shown_as(const Step& step, AccessKind kind) {
  if (kind == AccessKind::kFree && step.operation != "free" && step.operation != "realloc") return "write";
  return operation_name(kind);
}

}  // namespace

Comparison::Comparison(const Program& program, const LiveRun& run)
    : program_(program), run_(run), trace_(program), oracle_(trace_.trace()), complaints_(run.complaints) {
  find_first_races();
}

void Comparison::find_first_races() {
  for (const auto& [place, history] : oracle_.histories()) {
    for (const std::vector<Access>& accesses : history) {
      First found{place.id, {}, {}};
      for (size_t b = 0; b < accesses.size() && found.firsts.empty(); ++b) {
        found.second = accesses[b];
        std::copy_if(accesses.begin(), accesses.begin() + static_cast<std::ptrdiff_t>(b),
                     std::back_inserter(found.firsts), [&](const Access& a) { return oracle_.race(a, accesses[b]); });
      }
      if (!found.firsts.empty()) first_races_.push_back(std::move(found));
    }
  }
}

std::string Comparison::describe(int number) const {
  return fmt::format("step {} ({})", number, to_text(step(number)));
}
std::string Comparison::describe(uint64_t place) const {
  const Span span = trace_.span_of(place);
  return fmt::format("bytes {}..{} of block {} ({:#x} in the trace)", span.begin, span.end, span.block, place);
}

// The accesses that were made there, by that thread, with these locks and this stack.
std::vector<size_t> Comparison::events_that_fit(const LiveSide& side) const {
  std::vector<size_t> events;
  if (side.sites.empty()) return events;
  for (int number = 0; number < static_cast<int>(program_.steps.size()); ++number) {
    const Step& it = step(number);
    if (it.site != side.sites[0] || it.thread != side.thread || it.operation == "call") continue;
    std::vector<HeldLock> locks = it.locks;
    std::sort(locks.begin(), locks.end());
    if (locks != side.locks) continue;
    if (!std::equal(it.calls.begin(), it.calls.end(), side.sites.begin() + 1, side.sites.end())) continue;
    const auto [first, end] = trace_.events_of(number);
    for (size_t event = first; event < end; ++event) {
      const AccessKind kind = info(trace_.trace().events[event].kind).access;
      if (kind != AccessKind::kNone && shown_as(it, kind) == side.operation) events.push_back(event);
    }
  }
  return events;
}

bool Comparison::is_race_on(const LiveReport& report, size_t a, size_t b, Told& told) const {
  const int first = trace_.step_of(a), second = trace_.step_of(b);
  const Event& event = trace_.trace().events[b];
  const int block = trace_.span_of(event.target).block;
  const uint64_t base = run_.base_of(block, second);
  const Span span = {block, report.address - base, report.address - base + report.size};
  const auto [begin, end] = trace_.places(span);
  told = {first, second, begin, end};
  for (uint64_t place = begin; place < end; ++place)
    if (!oracle_.is_race({true, place}, a, b)) return false;
  return begin < end;
}

void Comparison::check_reports_are_real() {
  for (const LiveReport& report : run_.reports) {
    const std::vector<size_t> seconds = events_that_fit(report.sides[0]), firsts = events_that_fit(report.sides[1]);
    bool is_real = false;
    for (const size_t b : seconds) {
      for (const size_t a : firsts) {
        Told told{};
        if (a >= b || !is_race_on(report, a, b, told)) continue;
        is_real = true;
        told_.push_back(told);
      }
    }
    if (is_real) continue;
    std::string text = "a report that is no race:";
    for (const auto& [name, fit] : {std::pair{"second", &seconds}, std::pair{"first", &firsts}}) {
      text += fmt::format("\n  {}:", name);
      for (const size_t event : *fit) text += " " + describe(trace_.step_of(event)) + ";";
    }
    complaints_.push_back(text + "\n  " + report.text);
  }
}

bool Comparison::same_epoch(size_t a, size_t b) const {
  const auto& events = trace_.trace().events;
  if (events[a].thread != events[b].thread) return false;
  for (size_t i = std::min(a, b); i < std::max(a, b); ++i) {
    const Event& event = events[i];
    if (event.thread != events[a].thread) continue;
    switch (event.kind) {
      case EventKind::kRelease:
      case EventKind::kReadRelease:
      case EventKind::kFork:
      case EventKind::kPost:
      case EventKind::kSend:
        return false;
      case EventKind::kAtomicStore:
      case EventKind::kAtomicRmw:
      case EventKind::kCasOk:
      case EventKind::kFence:
        if (releases(event.order)) return false;
        break;
      default:
        break;
    }
  }
  return true;
}

bool Comparison::stands_for(const Access& told, const Access& untold) const {
  if (told.event == untold.event) return true;
  if (!supersedes(told.kind, untold.kind)) return false;
  return (untold.event < told.event && oracle_.ordered(untold.event, told.event)) ||
         same_epoch(told.event, untold.event);
}

void Comparison::check_first_races_are_told() {
  std::map<std::pair<int, uint64_t>, std::vector<int>> told;  // the second step and a place: the first steps
  for (const Told& it : told_)
    for (uint64_t place = it.begin; place < it.end; ++place) told[{it.second, place}].push_back(it.first);
  for (const First& race : first_races_) {
    const int second = trace_.step_of(race.second.event);
    const std::vector<int>& firsts = told[{second, race.place}];
    const auto is_told = [&](const Access& access) {
      return std::find(firsts.begin(), firsts.end(), trace_.step_of(access.event)) != firsts.end();
    };
    for (const Access& first : race.firsts) {
      if (std::any_of(race.firsts.begin(), race.firsts.end(),
                      [&](const Access& other) { return is_told(other) && stands_for(other, first); }))
        continue;
      complaints_.push_back(fmt::format("not told: {} races with {}\n  on {}, its first race; told of it and steps {}",
                                        describe(second), describe(trace_.step_of(first.event)), describe(race.place),
                                        fmt::join(firsts, ", ")));
      break;
    }
  }
}

}  // namespace deadheat::test
