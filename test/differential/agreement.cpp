#include "differential/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "differential/oracle.h"
#include "differential/well_formed.h"
#include "engine/analysis.h"
#include "support/memory_reader.h"

namespace deadheat::test {
namespace {

// Precise detectors that find a race later than at the access that completes it: the racy places are the same, and
// the pair they name is a race, ordered by event number, but not always the earliest.
constexpr std::string_view kMayNameALaterPair[] = {"slimstate"};

bool names_first_pair(std::string_view detector) {
  return std::find(std::begin(kMayNameALaterPair), std::end(kMayNameALaterPair), detector) ==
         std::end(kMayNameALaterPair);
}

// One trace, what the oracle knows of it, and what is wrong with what the detectors say.
class Judge {
 public:
  Judge(const TestTrace& trace, bool coarse) : trace_(trace), oracle_(trace, coarse), expected_(oracle_.first_races()) {
    for (size_t id = 0; id < oracle_.names().size(); ++id) places_.emplace(oracle_.names()[id], id);
  }

  // The races by default: one for each place.
  void judge_first_races(const std::string& who, bool first_pair, const std::vector<Finding>& races) {
    std::map<Place, size_t> seen;
    uint64_t last = 0;
    for (const Finding& race : races) {
      if (first_pair && race.sides[0].event < last) wrong("{}: event {} is not in order", who, race.sides[0].event);
      last = race.sides[0].event;
      for (const Place place : places_of(race.memory.name)) {
        if (!seen.emplace(place, race.sides[0].event).second) wrong("{}: {} is told twice", who, name(place));
        if (!expected_.contains(place)) wrong("{}: no race on {}", who, name(place));
        judge_pair(who, place, race);
      }
    }
    for (const auto& [place, expected] : expected_) {
      const auto found = seen.find(place);
      if (found == seen.end()) {
        wrong("{}: misses the race on {}, {} with {}", who, name(place), expected.firsts[0], expected.second);
      } else if (first_pair && found->second != expected.second) {
        wrong("{}: {} races first at {}, not {}", who, name(place), expected.second, found->second);
      }
    }
  }

  // With `all`: races, and among them the default ones.
  void judge_all(const std::string& who, const std::vector<Finding>& all, const std::vector<Finding>& few) {
    std::set<std::pair<Place, uint64_t>> listed;
    for (const Finding& race : all)
      for (const Place place : places_of(race.memory.name)) {
        judge_pair(who + " all", place, race);
        listed.insert({place, race.sides[0].event});
      }
    for (const Finding& race : few)
      for (const Place place : places_of(race.memory.name))
        if (!listed.contains({place, race.sides[0].event}))
          wrong("{} all: lacks the race on {} at {}", who, name(place), race.sides[0].event);
  }

  void judge_same(const std::string& who, const Findings& a, const Findings& b) {
    if (told(a) != told(b)) wrong("{}: the number of jobs changes what is told:\n{}---\n{}", who, told(a), told(b));
  }

  std::string verdict() const { return verdict_; }

 private:
  template <class... Args>
  void wrong(fmt::format_string<Args...> format, Args&&... args) {
    verdict_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  std::string name(const Place& place) const {
    return place.is_byte ? fmt::format("{:#x}", place.id) : oracle_.names()[place.id];
  }

  // "V3" is a variable, "0x10:8" eight bytes.
  std::vector<Place> places_of(std::string_view variable) {
    if (const auto found = places_.find(std::string(variable)); found != places_.end()) return {{false, found->second}};
    const size_t colon = variable.find(':');
    uint64_t address = 0, size = 0;
    if (variable.starts_with("0x") && colon != std::string::npos) {
      std::from_chars(variable.data() + 2, variable.data() + colon, address, 16);
      std::from_chars(variable.data() + colon + 1, variable.data() + variable.size(), size);
    }
    if (size == 0) wrong("no variable of the trace: {}", variable);
    std::vector<Place> places;
    for (uint64_t i = 0; i < size; ++i) places.push_back({true, address + i});
    return places;
  }

  void judge_pair(const std::string& who, const Place& place, const Finding& race) {
    if (race.earlier() == nullptr) return wrong("{}: {} without an earlier access", who, name(place));
    if (!oracle_.is_race(place, race.earlier()->event, race.sides[0].event))
      wrong("{}: {} and {} are no race on {}", who, race.earlier()->event, race.sides[0].event, name(place));
    judge_access(who, *race.earlier());
    judge_access(who, race.sides[0]);
  }

  void judge_access(const std::string& who, const Side& access) {
    if (access.event >= trace_.events.size()) return wrong("{}: there is no event {}", who, access.event);
    const Event& event = trace_.events[access.event];
    const std::string expected =
        fmt::format("{} {} {}", trace_.thread_name(event.thread), operation_name(info(event.kind).access),
                    trace_.location_name(event.location));
    const std::string found =
        fmt::format("{} {} {}", access.thread_name, operation_name(access.kind), access.location());
    if (found != expected) wrong("{}: event {} is '{}', told as '{}'", who, access.event, expected, found);
  }

  // All of a report that does not depend on the machine.
  static std::string told(const Findings& findings) {
    std::string text;
    for (const Finding& race : findings.races) {
      text += race.memory.name;
      for (const Side& side : race.sides)
        text += fmt::format(" [{} {} {} {}]", side.thread_name, side.event, operation_name(side.kind), side.location());
      text += "\n";
    }
    for (const auto& [path, value] : findings.stats.entries()) {
      if (path.starts_with("time/") || path.starts_with("memory/")) continue;
      std::visit([&](const auto& v) { text += fmt::format("{}: {}\n", path, v); }, value);
    }
    return text;
  }

  const TestTrace& trace_;
  const Oracle oracle_;
  const std::map<Place, FirstRace> expected_;
  std::unordered_map<std::string, size_t> places_;  // by name
  std::string verdict_;
};

// The analyses of one detector, in this order.
std::vector<AnalysisOptions> analyses_of(const DetectorInfo& detector, const Questions& questions) {
  AnalysisOptions plain;
  plain.detector = detector.name;
  plain.coarse = questions.coarse;
  plain.stats = questions.jobs;
  plain.filter = questions.filter;
  plain.detector_options = questions.options;
  std::vector<AnalysisOptions> analyses = {plain};
  for (const bool all : {false, true}) {
    if (all && !questions.all) continue;
    AnalysisOptions options = plain;
    options.all = all;
    if (all) analyses.push_back(options);
    options.jobs = 3;
    if (questions.jobs) analyses.push_back(options);
  }
  return analyses;
}

}  // namespace

std::string disagreement(const TestTrace& trace, const Questions& questions) {
  std::vector<AnalysisOptions> analyses;
  for (const DetectorInfo& detector : detectors())
    if (detector.precise)
      for (AnalysisOptions& options : analyses_of(detector, questions)) analyses.push_back(std::move(options));
  MemoryReader reader(trace, questions.batch);
  Losses losses;
  std::vector<AnalysisResult> results;
  try {
    results = analyze(reader, analyses, false, losses);
  } catch (const TraceError& error) {
    return fmt::format("a well-formed trace is turned away: {}\n", error.what());
  }
  Judge judge(trace, questions.coarse);
  // The results of a detector follow each other: first with one job, each later one is held against an earlier one.
  const Findings *first = nullptr, *one_job = nullptr;
  for (size_t i = 0; i < analyses.size(); ++i) {
    const AnalysisOptions& options = analyses[i];
    const Findings& found = results[i].findings;
    if (options.jobs > 1) {
      judge.judge_same(options.detector, *one_job, found);
      continue;
    }
    one_job = &found;
    if (options.all) {
      judge.judge_all(options.detector, found.races, first->races);
    } else {
      first = &found;
      judge.judge_first_races(options.detector, names_first_pair(options.detector), found.races);
    }
  }
  return judge.verdict();
}

TestTrace shrink(TestTrace trace, const std::function<bool(const TestTrace&)>& fails) {
  // Leaves out the events that `is_dropped` says, by their number, if what remains is well-formed and still fails.
  const auto try_without = [&](const auto& is_dropped) {
    TestTrace smaller = trace;
    smaller.events.clear();
    for (size_t i = 0; i < trace.events.size(); ++i)
      if (!is_dropped(i)) smaller.events.push_back(trace.events[i]);
    if (smaller.events.size() == trace.events.size() || !is_well_formed(smaller) || !fails(smaller)) return false;
    trace = std::move(smaller);
    return true;
  };
  for (size_t thread = 0; thread < trace.names[static_cast<size_t>(Operand::kThread)].size(); ++thread)
    try_without([&](size_t i) {
      const Event& event = trace.events[i];
      const bool is_about_threads = info(event.kind).operand == Operand::kThread;
      return index(event.thread) == thread || (is_about_threads && event.target == thread);
    });
  for (size_t chunk = trace.events.size() / 2; chunk > 0; chunk /= 2)
    for (size_t at = 0; at < trace.events.size();)
      if (!try_without([&](size_t i) { return i >= at && i < at + chunk; })) at += chunk;
  // Events that only make sense together, as a lock's two ends, go in pairs.
  constexpr size_t kFewEvents = 60;
  for (bool smaller = trace.events.size() <= kFewEvents; smaller;) {
    smaller = false;
    for (size_t a = 0; a < trace.events.size(); ++a)
      for (size_t b = a; b < trace.events.size(); ++b)
        if (try_without([&](size_t i) { return i == a || i == b; })) smaller = true;
  }
  return trace;
}

std::string check(const TestTrace& trace, const Questions& questions, const std::string& repeat) {
  if (disagreement(trace, questions).empty()) return {};
  const TestTrace small = shrink(trace, [&](const TestTrace& t) { return !disagreement(t, questions).empty(); });
  return fmt::format("{}in the trace\n{}repeat with: {}\n", disagreement(small, questions), to_text(small), repeat);
}

}  // namespace deadheat::test
