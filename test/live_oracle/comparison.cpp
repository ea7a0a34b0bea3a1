#include "live_oracle/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace deadheat::test {
namespace {

bool writes(AccessKind kind) {
  return kind == AccessKind::kWrite || kind == AccessKind::kAtomicWrite || kind == AccessKind::kFree;
}
bool atomically(AccessKind kind) { return kind == AccessKind::kAtomicRead || kind == AccessKind::kAtomicWrite; }

// Whatever conflicts with the one conflicts with the other.
bool supersedes(AccessKind now, AccessKind old) {
  return (writes(now) || !writes(old)) && (!atomically(now) || atomically(old));
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

// The races that the report is about, if `b` is the access that completed them: one at least for each of its bytes. One
// line may have made several accesses in the same circumstances, which are one report together.
std::vector<Comparison::Told> Comparison::races_of(size_t report, const std::vector<size_t>& firsts, size_t b) const {
  const LiveReport& it = run_.reports[report];
  const int block = trace_.span_of(trace_.trace().events[b].target).block;
  const uint64_t base = run_.base_of(block, trace_.step_of(b));
  const auto [begin, end] = trace_.places({block, it.address - base, it.address - base + it.size});
  std::vector<Told> races;
  for (uint64_t place = begin; place < end; ++place) {
    const size_t before = races.size();
    for (const size_t a : firsts)
      if (a < b && oracle_.is_race({true, place}, a, b)) races.push_back({a, b, place, report});
    if (races.size() == before) return {};
  }
  return races;
}

void Comparison::check_reports_are_real() {
  for (size_t number = 0; number < run_.reports.size(); ++number) {
    const LiveReport& report = run_.reports[number];
    const std::vector<size_t> seconds = events_that_fit(report.sides[0]), firsts = events_that_fit(report.sides[1]);
    bool is_real = false;
    for (const size_t b : seconds) {
      const std::vector<Told> races = races_of(number, firsts, b);
      is_real |= !races.empty();
      told_.insert(told_.end(), races.begin(), races.end());
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

void Comparison::check_first_races_are_there() {
  for (const First& first : first_races_) {
    const auto is_it = [&](const Told& told) {
      return told.place == first.place && told.second == first.second.event &&
             std::any_of(first.firsts.begin(), first.firsts.end(),
                         [&](const Access& a) { return a.event == told.first; });
    };
    if (std::none_of(told_.begin(), told_.end(), is_it))
      complaints_.push_back(fmt::format("not reported: {} completes a race on {}",
                                        describe(trace_.step_of(first.second.event)), describe(first.place)));
  }
}

void Comparison::check_racy_bytes_are_there() {
  for (const First& first : first_races_)
    if (std::none_of(told_.begin(), told_.end(), [&](const Told& told) { return told.place == first.place; }))
      complaints_.push_back(fmt::format("no race is reported on {}", describe(first.place)));
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
  for (const Told& it : told_) told[{trace_.step_of(it.second), it.place}].push_back(trace_.step_of(it.first));
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

// Globals are objects; so are all blocks that were allocated by the same stack of lines, and all mappings together.
std::string Comparison::object_of(int block) const {
  if (block < kGlobals) return fmt::format("global_{}", block);
  for (const Step& it : program_.steps) {
    const bool makes = (it.block == block && (it.operation == "malloc" || it.operation == "calloc")) ||
                       (it.block2 == block && it.operation == "realloc");
    if (makes) return fmt::format("blocks of {} called by {}", it.site, fmt::join(it.calls, ", "));
  }
  return "mappings";
}

Comparison::Pair Comparison::pair_of(size_t a, size_t b, uint64_t place) const {
  const int first = step(trace_.step_of(a)).site, second = step(trace_.step_of(b)).site;
  return {std::min(first, second), std::max(first, second), object_of(trace_.span_of(place).block)};
}

std::set<Comparison::Pair> Comparison::told_pairs() const {
  std::set<Pair> pairs;
  for (const Told& it : told_) pairs.insert(pair_of(it.first, it.second, it.place));
  return pairs;
}

std::string Comparison::describe(const Pair& pair) {
  return fmt::format("sites {} and {} on {}", std::get<0>(pair), std::get<1>(pair), std::get<2>(pair));
}

void Comparison::check_pairs_are_told_once() {
  std::map<Pair, std::set<size_t>> reports;
  for (const Told& it : told_) reports[pair_of(it.first, it.second, it.place)].insert(it.report);
  for (const auto& [pair, numbers] : reports)
    if (numbers.size() > 1) complaints_.push_back(fmt::format("told {} times: {}", numbers.size(), describe(pair)));
  for (const First& race : first_races_) {
    for (const Access& first : race.firsts) {
      if (std::any_of(race.firsts.begin(), race.firsts.end(), [&](const Access& other) {
            return stands_for(other, first) && reports.contains(pair_of(other.event, race.second.event, race.place));
          }))
        continue;
      complaints_.push_back(fmt::format("not told: {} races with {}\n  on {}, its first race: {}",
                                        describe(trace_.step_of(race.second.event)),
                                        describe(trace_.step_of(first.event)), describe(race.place),
                                        describe(pair_of(first.event, race.second.event, race.place))));
      break;
    }
  }
}

void Comparison::check_addresses() {
  for (const Told& it : told_) {
    const Step& first = step(trace_.step_of(it.first));
    const bool is_small = first.operation == "read" || first.operation == "write" || first.operation == "load" ||
                          first.operation == "store" || first.operation == "exchange" ||
                          first.operation.starts_with("cas");
    if (!is_small || first.size > 16 || (first.size & (first.size - 1)) != 0) continue;
    const LiveSide& side = run_.reports[it.report].sides[1];
    const uint64_t address = run_.base_of(first.block, trace_.step_of(it.second)) + first.offset;
    if (side.address != address || side.size != first.size)
      complaints_.push_back(fmt::format("shown as {} bytes at {:#x}, not {} at {:#x}: {}", side.size, side.address,
                                        first.size, address, describe(trace_.step_of(it.first))));
  }
}

}  // namespace deadheat::test
