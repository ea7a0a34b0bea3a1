// RaceTrack against Figure 2 written down directly, against Eraser, and what its levels promise.
#include "detect/racetrack.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "differential/trace_random.h"
#include "engine/analysis.h"
#include "replay/validator.h"
#include "support/memory_reader.h"

namespace deadheat::test {
namespace {

using Setting = RaceTrackOptions::Setting;

// Figure 2, line by line, with maps and sets. A write counts only locks held as a writer.
class Figure2 {
 public:
  using Map = std::map<ThreadId, uint32_t>;

  void sync(const Event& e) {
    const ThreadId t = e.thread;
    start(t);
    switch (e.kind) {
      case EventKind::kAcquire:
        L_[t].insert(e.lock());
        as_writer_[t].insert(e.lock());
        break;
      case EventKind::kReadAcquire:
        L_[t].insert(e.lock());
        break;
      case EventKind::kRelease:
      case EventKind::kReadRelease:
        L_[t].erase(e.lock());
        as_writer_[t].erase(e.lock());
        break;
      case EventKind::kFork: {
        const ThreadId u = e.other_thread();
        B_[u] = B_[t];
        B_[u][u] = 1;
        ++B_[t][t];
        break;
      }
      case EventKind::kJoin:
        start(e.other_thread());
        for (const auto& [u, clock] : B_[e.other_thread()]) B_[t][u] = std::max(B_[t][u], clock);
        break;
      default:
        break;
    }
  }

  // Whether it reports a race.
  bool access(ThreadId t, bool is_write, uint64_t x) {
    start(t);
    const std::set<LockId>& L = is_write ? as_writer_[t] : L_[t];
    Map& S = S_[x];
    std::erase_if(S, [&](const auto& label) {
      const auto known = B_[t].find(label.first);
      return known != B_[t].end() && label.second <= known->second;
    });
    S[t] = B_[t][t];
    std::set<LockId>& C = C_[x];
    if (S.size() > 1) {
      std::erase_if(C, [&](LockId lock) { return !L.contains(lock); });
    } else {
      C = L;
    }
    return S.size() > 1 && C.empty();
  }

  const Map& S(uint64_t x) { return S_[x]; }
  const std::set<LockId>& C(uint64_t x) { return C_[x]; }

 private:
  void start(ThreadId t) {
    if (B_[t].empty()) B_[t][t] = 1;
  }
  std::map<ThreadId, Map> B_;
  std::map<ThreadId, std::set<LockId>> L_, as_writer_;
  std::map<uint64_t, Map> S_;
  std::map<uint64_t, std::set<LockId>> C_;
};

TEST(RaceTrackRelation, WithoutRefinementsItIsFigure2) {
  size_t reports = 0, accesses = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    const TestTrace trace = random_trace(seed);
    MemoryReader reader(trace, trace.events.size());
    Batch batch;
    Losses losses;
    reader.next(batch);
    Validator(reader, /*lenient=*/false, losses).check(batch);

    Arena arena;
    RaceTrack racetrack(arena);
    DetectorOptions options;
    options.racetrack.setting = Setting::kBasic;
    racetrack.configure(options);
    std::map<uint64_t, RaceTrackState> variables;
    Figure2 figure2;
    for (size_t i = 0; i < batch.events.size(); ++i) {
      const Event& e = batch.events[i];
      if (e.kind >= EventKind::kAcquire && e.kind <= EventKind::kJoin) {
        racetrack.sync(e);
        figure2.sync(e);
      }
      if (!is_plain_access(e.kind) || e.is_range) continue;
      const bool is_write = e.kind == EventKind::kWrite;
      const bool warns =
          racetrack.access({e.thread, info(e.kind).access, e.location, i}, Place{}, variables[e.target]).is_race;
      ASSERT_EQ(warns, figure2.access(e.thread, is_write, e.target)) << "seed " << seed << ", event " << i << "\n"
                                                                     << to_text(trace);
      const RaceTrackState x = variables[e.target];
      Figure2::Map S;
      for (const ThreadLabel& label : racetrack.machine().threadsets()[x.threadset()]) S[label.thread] = label.clock;
      ASSERT_EQ(S, figure2.S(e.target)) << "seed " << seed << ", event " << i;
      const auto C = racetrack.machine().locksets()[x.C()];
      ASSERT_EQ(std::set<LockId>(C.begin(), C.end()), figure2.C(e.target)) << "seed " << seed << ", event " << i;
      reports += warns;
      ++accesses;
    }
  }
  EXPECT_GT(reports, 1000u);
  EXPECT_GT(accesses - reports, 1000u);
}

// Of the one result; the texts stay as long as the store does.
struct Warnings : std::vector<Finding> {
  explicit Warnings(const Findings& findings) : std::vector<Finding>(findings.races), store(findings.store) {}
  std::shared_ptr<FindingStore> store;
};
Warnings warnings(const TestTrace& trace, const std::string& detector, Setting setting = Setting::kGranularity) {
  AnalysisOptions options;
  options.detector = detector;
  options.detector_options.racetrack.setting = setting;
  MemoryReader reader(trace);
  Losses losses;
  return Warnings(analyze(reader, {&options, 1}, /*lenient=*/false, losses).front().findings);
}

// With locksets alone it is Eraser: the same variables, at the same access.
TEST(RaceTrackRelation, WithLocksetsAloneItIsEraser) {
  const auto first_warnings = [](const Warnings& races) {
    std::map<std::string, uint64_t> first;
    for (const Finding& race : races) first.emplace(race.memory.name, race.sides[0].event);
    return first;
  };
  size_t found = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    TestTrace trace = random_trace(seed);
    // Atomic accesses are not watched here, but count in Eraser; bytes are cut differently in reports.
    std::erase_if(trace.events, [](const Event& e) { return is_atomic_access(e.kind) || e.is_range; });
    const auto eraser = first_warnings(warnings(trace, "eraser"));
    ASSERT_EQ(first_warnings(warnings(trace, "racetrack", Setting::kLockset)), eraser) << "seed " << seed << "\n"
                                                                                       << to_text(trace);
    found += eraser.size();
  }
  EXPECT_GT(found, 500u);
}

// What is handed over by fork, join or notification: Eraser warns, RaceTrack does not, in any setting with threadsets.
TEST(RaceTrackRelation, HandingOverIsNoRace) {
  for (const std::string_view text : {
           "0|w(x) 0|fork(1) 1|w(x) 0|join(1) 0|w(x) 0|fork(2) 2|w(x) 0|join(2) 0|w(x)",
           "0|fork(1) 0|fork(2) 1|w(x) 1|notify(c) 2|wait(c) 2|w(x) 2|notify(d) 1|wait(d) 1|w(x)",
           "0|fork(1) 0|fork(2) 1|w(x) 1|snd(m) 2|rcv(m) 2|w(x) 2|w(x)",
           "0|fork(1) 0|w(x) 0|post(s) 1|swait(s) 1|w(x) 1|post(t) 0|swait(t) 0|w(x)",
           "0|fork(1) 0|w(x) 0|benter(b) 1|benter(b) 0|bleave(b) 1|bleave(b) 1|w(x) 1|benter(b) 0|benter(b) "
           "1|bleave(b) 0|bleave(b) 0|w(x)",
       }) {
    const TestTrace trace = parse_trace(text);
    EXPECT_EQ(warnings(trace, "eraser").size(), 1u) << text;
    for (const Setting setting : {Setting::kBasic, Setting::kThreadset, Setting::kGranularity})
      EXPECT_TRUE(warnings(trace, "racetrack", setting).empty()) << text;
  }
}

// Fields with a lock each: as an object they look unprotected, one by one they do not.
TEST(RaceTrackRelation, TheObjectIsSuspectedButNotItsVariables) {
  std::string text = "0|fork(1) ";
  for (int i = 0; i < 4; ++i)
    text +=
        "0|acq(m) 0|w(o.a) 0|rel(m) 1|acq(n) 1|w(o.b) 1|rel(n) 0|acq(n) 0|w(o.b) 0|rel(n) 1|acq(m) 1|w(o.a) 1|rel(m) ";
  const Warnings found = warnings(parse_trace(text), "racetrack");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].memory.name, "o");
  EXPECT_EQ(found[0].rank, 3);  // by the whole machine, both times at accesses of one thread
  EXPECT_TRUE(warnings(parse_trace(text), "racetrack", Setting::kThreadset).empty());
}

// One variable, one warning: the first suspicion, then what the whole machine says, then two more threads.
TEST(RaceTrackWarnings, CollectAccessesAndRank) {
  const Warnings found = warnings(
      parse_trace(
          "0|fork(1) 0|fork(2) 0|fork(3) 0|w(x) 1|w(x) 0|w(x)|low 1|w(x)|race 1|w(x) 2|r(x)|third 3|w(x)|fourth "
          "0|w(x)|late"),
      "racetrack", Setting::kThreadset);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rank, 8);
  EXPECT_EQ(found[0].earlier(), nullptr);
  EXPECT_EQ(found[0].sides[0].location(), "low");
  ASSERT_EQ(found[0].later().size(), 3u);
  EXPECT_EQ(found[0].later()[0].location(), "race");
  EXPECT_EQ(found[0].later()[1].location(), "third");
  EXPECT_EQ(found[0].later()[2].location(), "fourth");

  const Warnings alone = warnings(parse_trace("0|fork(1) 0|w(x) 1|w(x) 0|w(x)|low"), "racetrack", Setting::kThreadset);
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_EQ(alone[0].rank, 5);
}

TEST(RaceTrackWarnings, BlocksOfBytes) {
  const Warnings found = warnings(
      parse_trace("0|fork(1) 0|alloc(0x100,64) 0|w(0x100:8) 1|w(0x120:8) 0|w(0x100:8) 1|w(0x120:8) "  // refined
                  "0|w(0x110:4) 1|w(0x110:4) 0|w(0x110:4) 1|w(0x110:4) 0|w(0x108:8) 0|w(0x108:8)"),
      "racetrack");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].memory.name, "0x110:4");
  EXPECT_EQ(found[0].rank, 8);
  EXPECT_EQ(found[1].memory.name, "0x100:64");
  EXPECT_EQ(found[1].rank, 4);
}

std::string told(const std::string& text, Setting setting = Setting::kGranularity) {
  std::string list;
  const auto found = warnings(parse_trace(text), "racetrack", setting);
  for (const Finding& race : found) list += (list.empty() ? "" : " ") + std::string(race.memory.name);
  return list;
}
// What takes a block, or bytes, through the whole machine: writes by both threads in turn.
std::string in_turns(const std::string& range, int turns = 2) {
  std::string text;
  for (int i = 0; i < turns; ++i) text += "0|w(" + range + ") 1|w(" + range + ") ";
  return text;
}

TEST(RaceTrackBytes, ABlockIsRefinedToTheBytesThatAreAccessed) {
  const std::string start = "0|fork(1) 0|alloc(0x100,64) ";
  EXPECT_EQ(told(start + in_turns("0x104:4")), "0x100:64");
  EXPECT_EQ(told(start + in_turns("0x104:4", 4)), "0x104:4 0x100:64");
  // Halves of a word of their own, one of them racy; then the same word in bytes, and a range over several words.
  EXPECT_EQ(told(start + in_turns("0x104:4") + "0|w(0x108:4) 1|w(0x10c:4) " + in_turns("0x108:4")), "0x108:4 0x100:64");
  EXPECT_EQ(told(start + in_turns("0x104:4") + in_turns("0x109:1")), "0x109:1 0x100:64");
  EXPECT_EQ(told(start + in_turns("0x104:4") + in_turns("0x106:13")), "0x106:13 0x100:64");
  // Fresh memory begins as a whole again.
  EXPECT_EQ(told(start + in_turns("0x104:4") + "0|free(0x100) 0|alloc(0x100,64) " + in_turns("0x104:4")), "0x100:64");
  EXPECT_EQ(told(start + in_turns("0x104:4", 4), Setting::kThreadset), "0x104:4");
}

TEST(RaceTrackBytes, OutsideOfBlocksTheyAreWatchedFromTheStart) {
  EXPECT_EQ(told("0|fork(1) " + in_turns("0x104:4")), "0x104:4");
  EXPECT_EQ(told("0|fork(1) 0|alloc(0x100,4) " + in_turns("0x104:4")), "0x104:4");
  EXPECT_EQ(told("0|fork(1) 0|w(0x100:4) 1|w(0x104:4) " + in_turns("0x100:2")), "0x100:2");
}

TEST(RaceTrackBytes, AnAccessAcrossABorderIsAnAccessToEachBlock) {
  const std::string start = "0|fork(1) 0|alloc(0x100,16) 0|alloc(0x110,16) ";
  // Both blocks, which the same two accesses make one warning.
  EXPECT_EQ(told(start + in_turns("0x10c:8")), "0x100:32");
  // Out of a block: the block as a whole, and bytes of none.
  EXPECT_EQ(told(start + in_turns("0x118:16")), "0x120:8 0x110:16");
  EXPECT_EQ(told(start + in_turns("0xfc:8")), "0xfc:4 0x100:16");
}

}  // namespace
}  // namespace deadheat::test
