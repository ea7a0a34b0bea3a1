// RaceTrack: Figure 3 with the state after each step, a trace for every edge of the machine, and the two levels.
#include "detect/racetrack.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <thread>

#include "support/steps.h"

namespace deadheat::test {
namespace {

using Edge = RaceTrack::Edge;
using State = RaceTrackState::State;
using Setting = RaceTrackOptions::Setting;

DetectorOptions with(Setting setting) {
  DetectorOptions options;
  options.racetrack.setting = setting;
  return options;
}

class RaceTrackSteps : public Steps<RaceTrack> {
 public:
  explicit RaceTrackSteps(Setting setting) : Steps(with(setting)) {}

  std::string state_text(RaceTrackState x) {
    switch (x.state()) {
      case State::kVirgin:
        return "Virgin";
      case State::kExclusive0:
        return "Exclusive0 " + name(x.owner());
      case State::kExclusive1:
        return "Exclusive1 " + label(x.S());
      case State::kSharedRead:
        return "Shared-Read " + locks(x.C());
      case State::kSharedModify1:
        return "Shared-Modify1 " + locks(x.C());
      case State::kExclusive2:
        return "Exclusive2 " + label(x.S());
      case State::kSharedModify2:
        return "Shared-Modify2 " + locks(x.C()) + " " + threads(x.threadset());
      case State::kRaceDetected:
        return "Race-Detected " + name(x.first_thread()) +
               (x.second_thread() == 0                         ? ""
                : x.second_thread() == RaceTrackState::kEnough ? " and two"
                                                               : " " + name(ThreadId{x.second_thread() - 1}));
      case State::kRefined:
        break;
    }
    return "Refined";
  }
  std::string state_of(std::string_view variable_name) { return state_text(variable(variable_name)); }
  std::string state_of_object(std::string_view object) {
    for (size_t i = 0; i < names().objects.size(); ++i)
      if (names().objects[static_cast<ObjectId>(i)] == object)
        return state_text(detector().object(static_cast<ObjectId>(i)));
    return "unknown";
  }
  std::string locks(LocksetId C) {
    std::string text;
    for (const LockId lock : detector().machine().locksets()[C])
      text += (text.empty() ? "" : ",") + std::string(names().locks[lock]);
    return "{" + text + "}";
  }
  std::string threads(ThreadsetId S) {
    std::string text;
    for (const ThreadLabel& one : detector().machine().threadsets()[S]) text += (text.empty() ? "" : ",") + label(one);
    return "{" + text + "}";
  }

 private:
  std::string name(ThreadId id) { return std::string(names().threads[id]); }
  std::string label(ThreadLabel l) { return name(l.thread) + ":" + std::to_string(l.clock); }
};

// Figure 3, from the text of section 2.3. The basic algorithm keeps C and S of every variable.
TEST(RaceTrackFigures, Figure3) {
  RaceTrackSteps steps(Setting::kBasic);
  struct Step {
    std::string_view event, state;
  };
  for (const Step& s : {
           Step{"t|fork(u)", "Virgin"},
           Step{"t|acq(a)", "Virgin"},
           Step{"t|w(x)", "Shared-Modify2 {a} {t:2}"},
           Step{"t|rel(a)", "Shared-Modify2 {a} {t:2}"},
           Step{"u|acq(a)", "Shared-Modify2 {a} {t:2}"},
           Step{"u|w(x)", "Shared-Modify2 {a} {t:2,u:1}"},
           Step{"u|rel(a)", "Shared-Modify2 {a} {t:2,u:1}"},
           Step{"t|join(u)", "Shared-Modify2 {a} {t:2,u:1}"},
           Step{"t|w(x)", "Shared-Modify2 {} {t:2}"},
           Step{"t|fork(v)", "Shared-Modify2 {} {t:2}"},
           Step{"t|acq(a)", "Shared-Modify2 {} {t:2}"},
           Step{"t|w(x)", "Shared-Modify2 {a} {t:3}"},
           Step{"t|rel(a)", "Shared-Modify2 {a} {t:3}"},
           Step{"v|acq(a)", "Shared-Modify2 {a} {t:3}"},
           Step{"v|w(x)", "Shared-Modify2 {a} {t:3,v:1}"},
           Step{"v|rel(a)", "Shared-Modify2 {a} {t:3,v:1}"},
       }) {
    EXPECT_FALSE(steps.run(s.event).is_race) << s.event;
    EXPECT_EQ(steps.state_of("x"), s.state) << s.event;
  }
}

struct EdgeRow {
  std::string_view trace;  // after 0 forked 1 and 2; the last event is the one that counts
  Edge edge;
  std::string_view state;
  int rank = 0;  // of the warning
};

// The accesses that lead into each state, to begin rows with.
#define EXCLUSIVE1 "0|w(x) 1|w(x) "
#define SHARED_READ "0|w(x) 1|w(x) 0|acq(m) 0|acq(n) 0|r(x) 0|rel(n) 0|rel(m) "
#define SHARED_MODIFY1 "0|w(x) 1|w(x) 0|acq(m) 0|acq(n) 0|w(x) 0|rel(n) 0|rel(m) "
#define EXCLUSIVE2 "0|w(x) 1|w(x) 0|w(x) "
#define SHARED_MODIFY2 EXCLUSIVE2 "1|acq(m) 1|acq(n) 1|w(x) 1|rel(n) 1|rel(m) "
#define RACE EXCLUSIVE2 "1|w(x) "

constexpr EdgeRow kRows[] = {
    {"0|r(x)", Edge::kFirstAccess, "Exclusive0 0"},
    {"0|w(x)", Edge::kFirstAccess, "Exclusive0 0"},
    {"0|r(x) 0|w(x)", Edge::kSameThread, "Exclusive0 0"},
    {"0|w(x) 1|r(x)", Edge::kSecondThread, "Exclusive1 1:1"},
    {"0|w(x) 1|w(x)", Edge::kSecondThread, "Exclusive1 1:1"},
    // Exclusive1
    {EXCLUSIVE1 "1|w(x)", Edge::kOrdered1, "Exclusive1 1:1"},
    {EXCLUSIVE1 "0|join(1) 0|w(x)", Edge::kOrdered1, "Exclusive1 0:3"},
    {EXCLUSIVE1 "0|gone(1) 0|w(x)", Edge::kOrdered1, "Exclusive1 0:3"},
    {EXCLUSIVE1 "1|fork(3) 3|r(x)", Edge::kOrdered1, "Exclusive1 3:1"},
    {EXCLUSIVE1 "1|notify(c) 2|wait(c) 2|r(x)", Edge::kOrdered1, "Exclusive1 2:1"},
    {EXCLUSIVE1 "1|acq(m) 1|rel(m) 2|acq(m) 2|r(x)", Edge::kShareRead, "Shared-Read {m}"},  // a lock orders nothing
    {EXCLUSIVE1 "0|r(x)", Edge::kShareRead, "Shared-Read {}"},
    {EXCLUSIVE1 "0|racq(m) 0|r(x)", Edge::kShareRead, "Shared-Read {m}"},
    {EXCLUSIVE1 "0|acq(m) 0|w(x)", Edge::kShareModify, "Shared-Modify1 {m}"},
    {EXCLUSIVE1 "0|w(x)", Edge::kShareUnlocked, "Exclusive2 0:3", 5},
    {EXCLUSIVE1 "0|racq(m) 0|w(x)", Edge::kShareUnlocked, "Exclusive2 0:3", 5},  // a reader's lock does not protect it
    // Shared-Read
    {SHARED_READ "2|acq(m) 2|r(x)", Edge::kReadShared, "Shared-Read {m}"},
    {SHARED_READ "2|r(x)", Edge::kReadShared, "Shared-Read {}"},
    {SHARED_READ "2|acq(n) 2|w(x)", Edge::kModify, "Shared-Modify1 {n}"},
    {SHARED_READ "2|w(x)", Edge::kModifyUnlocked, "Exclusive2 2:1", 5},
    {SHARED_READ "2|r(x) 2|acq(m) 2|w(x)", Edge::kModifyUnlocked, "Exclusive2 2:1", 5},
    // Shared-Modify1
    {SHARED_MODIFY1 "2|acq(m) 2|r(x)", Edge::kLocked1, "Shared-Modify1 {m}"},
    {SHARED_MODIFY1 "2|acq(m) 2|acq(n) 2|w(x)", Edge::kLocked1, "Shared-Modify1 {m,n}"},
    {SHARED_MODIFY1 "2|r(x)", Edge::kUnlocked1, "Exclusive2 2:1", 5},
    {SHARED_MODIFY1 "2|racq(m) 2|w(x)", Edge::kUnlocked1, "Exclusive2 2:1", 5},
    // Exclusive2
    {EXCLUSIVE2 "0|r(x)", Edge::kOrdered2, "Exclusive2 0:3"},
    {EXCLUSIVE2 "0|fork(3) 3|w(x)", Edge::kOrdered2, "Exclusive2 3:1"},
    {EXCLUSIVE2 "1|acq(m) 1|w(x)", Edge::kShareAgain, "Shared-Modify2 {m} {0:3,1:1}"},
    {EXCLUSIVE2 "1|acq(m) 1|r(x)", Edge::kShareAgain, "Shared-Modify2 {m} {0:3,1:1}"},
    {EXCLUSIVE2 "1|w(x)", Edge::kShareAgainUnlocked, "Race-Detected 1", 7},
    {EXCLUSIVE2 "1|r(x)", Edge::kShareAgainUnlocked, "Race-Detected 1", 7},  // reads as well
    // Shared-Modify2
    {SHARED_MODIFY2 "0|join(1) 0|w(x)", Edge::kAlone, "Exclusive2 0:3"},
    {SHARED_MODIFY2 "0|acq(m) 0|w(x)", Edge::kLocked2, "Shared-Modify2 {m} {0:3,1:1}"},
    {SHARED_MODIFY2 "2|acq(n) 2|r(x)", Edge::kLocked2, "Shared-Modify2 {n} {0:3,1:1,2:1}"},
    {SHARED_MODIFY2 "1|fork(3) 1|acq(m) 1|r(x)", Edge::kLocked2, "Shared-Modify2 {m} {0:3,1:2}"},
    {SHARED_MODIFY2 "1|fork(3) 3|acq(m) 3|r(x)", Edge::kLocked2, "Shared-Modify2 {m} {0:3,3:1}"},
    {SHARED_MODIFY2 "2|w(x)", Edge::kRace, "Race-Detected 2", 7},
    {SHARED_MODIFY2 "1|r(x)", Edge::kRace, "Race-Detected 1", 7},
    // Race-Detected
    {RACE "1|w(x)", Edge::kAfterRace, "Race-Detected 1"},
    {RACE "0|r(x)", Edge::kAnotherThread, "Race-Detected 1 0", 7},
    {RACE "0|r(x) 0|w(x)", Edge::kAfterRace, "Race-Detected 1 0"},
    {RACE "0|r(x) 2|w(x)", Edge::kAnotherThread, "Race-Detected 1 and two", 7},
    {RACE "0|r(x) 2|w(x) 0|fork(3) 3|w(x)", Edge::kAfterRace, "Race-Detected 1 and two"},
    // Atomic accesses
    {"0|st(x,relaxed)", Edge::kNotWatched, "Virgin"},
    {EXCLUSIVE1 "0|vw(x)", Edge::kNotWatched, "Exclusive1 1:1"},
};

constexpr EdgeRow kBasicRows[] = {
    {"0|w(x)", Edge::kBasicAlone, "Shared-Modify2 {} {0:3}"},
    {"0|w(x) 0|acq(m) 0|w(x)", Edge::kBasicAlone, "Shared-Modify2 {m} {0:3}"},
    {"1|w(x) 0|join(1) 0|w(x)", Edge::kBasicAlone, "Shared-Modify2 {} {0:3}"},
    {"0|acq(m) 0|w(x) 0|rel(m) 1|acq(m) 1|w(x)", Edge::kBasicShared, "Shared-Modify2 {m} {0:3,1:1}"},
    {"0|acq(m) 0|w(x) 0|rel(m) 1|acq(n) 1|w(x)", Edge::kBasicRace, "Shared-Modify2 {} {0:3,1:1}", 7},
    {"0|w(x) 1|w(x)", Edge::kBasicRace, "Shared-Modify2 {} {0:3,1:1}", 7},
    {"0|r(x) 1|r(x)", Edge::kBasicRace, "Shared-Modify2 {} {0:3,1:1}", 7},
    {"0|r(x) 1|r(x) 0|r(x)", Edge::kBasicRace, "Shared-Modify2 {} {0:3,1:1}", 7},
};

// Without threadsets: Eraser's machine with a state for what was found.
constexpr EdgeRow kLocksetRows[] = {
    {"0|w(x)", Edge::kFirstAccess, "Exclusive0 0"},
    {"0|w(x) 1|r(x)", Edge::kShareRead, "Shared-Read {}"},
    {"0|w(x) 1|acq(m) 1|w(x)", Edge::kShareModify, "Shared-Modify1 {m}"},
    {"0|w(x) 1|w(x)", Edge::kShareUnlocked, "Race-Detected 1", 5},
    {"0|w(x) 1|r(x) 1|w(x)", Edge::kModifyUnlocked, "Race-Detected 1", 5},
    {"0|w(x) 1|acq(m) 1|w(x) 0|r(x)", Edge::kUnlocked1, "Race-Detected 0", 5},
    {"0|w(x) 1|w(x) 0|w(x)", Edge::kAnotherThread, "Race-Detected 1 0", 5},
};

void expect_rows(Setting setting, std::span<const EdgeRow> rows) {
  for (const EdgeRow& row : rows) {
    RaceTrackSteps steps(setting);
    steps.run("0|fork(1) 0|fork(2)");
    const Outcome outcome = steps.run(row.trace);
    EXPECT_EQ(static_cast<Edge>(outcome.rule), row.edge) << row.trace;
    EXPECT_EQ(outcome.is_race, row.rank > 0) << row.trace;
    EXPECT_EQ(outcome.rank, row.rank) << row.trace;
    EXPECT_EQ(steps.state_of("x"), row.state) << row.trace;
  }
}

TEST(RaceTrackMachine, EveryRow) { expect_rows(Setting::kThreadset, kRows); }
TEST(RaceTrackMachine, EveryRowOfTheBasicAlgorithm) { expect_rows(Setting::kBasic, kBasicRows); }
TEST(RaceTrackMachine, EveryRowOfTheLocksetSetting) { expect_rows(Setting::kLockset, kLocksetRows); }

TEST(RaceTrackMachine, EveryEdgeHasARow) {
  std::set<Edge> seen;
  for (const EdgeRow& row : kRows) seen.insert(row.edge);
  for (const EdgeRow& row : kBasicRows) seen.insert(row.edge);
  EXPECT_EQ(seen.size(), size_t{RaceTrackMachine::kEdgeCount});
}

// At the level of objects the same machine runs, and what would be Race-Detected means that the variables take over.
TEST(RaceTrackGranularity, TheObjectGoesTheSameWayAndIsRefined) {
  for (const EdgeRow& row : kRows) {
    if (row.edge == Edge::kAfterRace || row.edge == Edge::kAnotherThread) continue;
    RaceTrackSteps steps(Setting::kGranularity);
    steps.run("0|fork(1) 0|fork(2)");
    const Outcome outcome = steps.run(row.trace);
    EXPECT_EQ(static_cast<Edge>(outcome.rule), row.edge) << row.trace;
    EXPECT_EQ(outcome.rank, row.rank == 0 ? 0 : row.rank - rank::kVariableLevel) << row.trace;
    const bool is_race = RaceTrackMachine::is_race(row.edge);
    EXPECT_EQ(steps.state_of_object("x"), is_race ? "Refined" : row.state) << row.trace;
    EXPECT_EQ(steps.state_of("x"), "Virgin") << row.trace;
  }
}

TEST(RaceTrackGranularity, VariablesBeginAsVirginAndHaveStatesOfTheirOwn) {
  RaceTrackSteps steps(Setting::kGranularity);
  steps.run("0|fork(1) 0|w(o.a) 1|w(o.b) 0|w(o.a)");  // different fields, one object
  EXPECT_EQ(steps.state_of_object("o"), "Exclusive2 0:2");
  EXPECT_EQ(steps.run("1|w(o.b)").rank, 3);
  EXPECT_EQ(steps.state_of_object("o"), "Refined");
  EXPECT_FALSE(steps.run("0|w(o.a) 1|w(o.b) 0|w(o.a) 1|w(o.b)").is_race);
  EXPECT_EQ(steps.state_of("o.a"), "Exclusive0 0");
  EXPECT_EQ(steps.state_of("o.b"), "Exclusive0 1");
  EXPECT_FALSE(steps.run("0|w(o.b)").is_race);
  EXPECT_EQ(steps.run("1|w(o.b)").rank, 5);
  EXPECT_EQ(steps.run("0|w(o.b)").rank, 7);
  steps.run("0|alloc(o,16)");
  EXPECT_EQ(steps.state_of_object("o"), "Virgin");
}

TEST(RaceTrackGranularity, LargeArraysAreWatchedAtThreePlaces) {
  const auto watched = [](uint64_t elements, uint64_t element) {
    RaceTrackSteps steps(Setting::kThreadset);
    const std::string x = "A[" + std::to_string(element) + "]";
    const Outcome outcome = steps.run("0|alloc(A," + std::to_string(elements) + ") 0|w(" + x + ")");
    return static_cast<Edge>(outcome.rule) != Edge::kNotWatched;
  };
  for (const uint64_t element : {0, 127, 128, 200, 256, 383}) EXPECT_TRUE(watched(384, element)) << element;
  for (const uint64_t element : {0, 127, 436, 563, 872, 999}) EXPECT_TRUE(watched(1000, element)) << element;
  for (const uint64_t element : {128, 435, 564, 871}) EXPECT_FALSE(watched(1000, element)) << element;
  // No allocation, no length: no gaps.
  for (const Setting setting : {Setting::kThreadset, Setting::kGranularity}) {
    RaceTrackSteps unknown(setting);
    unknown.run("0|fork(1) 0|w(A[1]) 1|w(A[1]) 0|w(A[1]) 1|w(A[1])");
    EXPECT_EQ(static_cast<Edge>(unknown.run("0|w(A[5000])").rule), Edge::kFirstAccess);
  }
}

// A heap block by its address: one access to one range of its bytes.
class Blocks {
 public:
  explicit Blocks(Setting setting) : detector_(arena_) { detector_.configure(with(setting)); }
  void allocate(uint64_t address, uint64_t bytes) {
    Event e;
    e.kind = EventKind::kAlloc;
    e.is_range = true;
    e.target = address;
    e.size = bytes;
    detector_.sync(e);
  }
  // The place is that of the whole block if the block was looked at as such.
  Edge access(uint32_t thread, uint64_t address, uint64_t bytes, AccessKind kind = AccessKind::kWrite) {
    const Access a{static_cast<ThreadId>(thread), kind};
    place = Place{true, address, bytes};
    if (const auto outcome = detector_.object_access(a, place)) return static_cast<Edge>(outcome->rule);
    return static_cast<Edge>(detector_.access(a, place, bytes_[address]).rule);
  }
  RaceTrack& detector() { return detector_; }
  Place place;

 private:
  Arena arena_;
  RaceTrack detector_;
  std::map<uint64_t, RaceTrackState> bytes_;
};

TEST(RaceTrackGranularity, ABlockIsAnObjectUntilItIsRefined) {
  Blocks blocks(Setting::kGranularity);
  blocks.allocate(0x100, 64);
  EXPECT_EQ(blocks.access(0, 0x100, 8), Edge::kFirstAccess);
  EXPECT_EQ(blocks.place.target, 0x100u);
  EXPECT_EQ(blocks.place.bytes, 64u);
  EXPECT_EQ(blocks.access(1, 0x120, 8), Edge::kSecondThread);
  EXPECT_EQ(blocks.access(0, 0x110, 8), Edge::kShareUnlocked);
  EXPECT_EQ(blocks.access(1, 0x120, 8), Edge::kShareAgainUnlocked);
  EXPECT_EQ(blocks.access(1, 0x120, 8), Edge::kFirstAccess);  // the bytes begin as Virgin
  EXPECT_EQ(blocks.place.bytes, 8u);
  EXPECT_EQ(blocks.access(0, 0x110, 8), Edge::kFirstAccess);
  EXPECT_EQ(blocks.access(0, 0x200, 8), Edge::kFirstAccess);  // in no block: watched as bytes from the start
  blocks.allocate(0x100, 64);
  EXPECT_EQ(blocks.detector().block(0x100).state(), State::kVirgin);
}

// 0x100 to 0x140 and 0x148 to 0x150 are blocks.
TEST(RaceTrackGranularity, AnAccessIsDividedWhereBlocksBeginAndEnd) {
  Blocks blocks(Setting::kGranularity);
  blocks.allocate(0x100, 64);
  blocks.allocate(0x148, 8);
  const auto pieces = [&](uint64_t address, uint64_t bytes) {
    std::vector<uint64_t> list;
    while (bytes > 0) {
      list.push_back(blocks.detector().bytes_of_one_object(address, bytes));
      address += list.back();
      bytes -= list.back();
    }
    return list;
  };
  using Pieces = std::vector<uint64_t>;
  EXPECT_EQ(pieces(0x100, 64), (Pieces{64}));
  EXPECT_EQ(pieces(0x13c, 4), (Pieces{4}));
  EXPECT_EQ(pieces(0x13c, 8), (Pieces{4, 4}));
  EXPECT_EQ(pieces(0xf8, 16), (Pieces{8, 8}));
  EXPECT_EQ(pieces(0x140, 8), (Pieces{8}));
  EXPECT_EQ(pieces(0xf0, 0x70), (Pieces{16, 64, 8, 8, 16}));
}

// Of 1000 words the first, middle and last 128; an access counts if any word of it is watched.
TEST(RaceTrackGranularity, LargeBlocksAreWatchedAtThreePlaces) {
  Blocks blocks(Setting::kThreadset);
  blocks.allocate(0, 8000);
  for (const uint64_t word : {0, 127, 436, 563, 872, 999})
    EXPECT_NE(blocks.access(0, 8 * word, 8), Edge::kNotWatched) << word;
  for (const uint64_t word : {128, 435, 564, 871}) EXPECT_EQ(blocks.access(0, 8 * word, 8), Edge::kNotWatched) << word;
  EXPECT_NE(blocks.access(0, 8 * 435, 16), Edge::kNotWatched);
  EXPECT_EQ(blocks.access(0, 8 * 434, 16), Edge::kNotWatched);
  // Bytes that come by themselves, as part of a wide access or because objects are not asked.
  RaceTrackState x;
  const auto edge = [&](AccessKind kind, uint64_t word) {
    return static_cast<Edge>(blocks.detector().access({ThreadId{0}, kind}, Place{true, 8 * word, 8}, x).rule);
  };
  EXPECT_EQ(edge(AccessKind::kWrite, 435), Edge::kNotWatched);
  EXPECT_EQ(edge(AccessKind::kAtomicWrite, 436), Edge::kNotWatched);
  EXPECT_EQ(edge(AccessKind::kWrite, 436), Edge::kFirstAccess);
  Blocks basic(Setting::kBasic);  // the basic algorithm has no gaps
  basic.allocate(0, 8000);
  EXPECT_NE(basic.access(0, 8 * 200, 8), Edge::kNotWatched);
}

TEST(RaceTrackGranularity, AFreeIsAWriteAndNoAccess) {
  Blocks blocks(Setting::kThreadset);
  blocks.access(0, 0x100, 8);
  blocks.access(1, 0x100, 8);
  EXPECT_EQ(blocks.access(0, 0x100, 8, AccessKind::kFree), Edge::kShareUnlocked);
}

class Counters : public CounterSink {
 public:
  void add(std::string_view path, uint64_t value, Scope, uint64_t) override { values[std::string(path)] = value; }
  void add_rule(std::string_view rule, AccessKind, uint64_t count) override { values[std::string(rule)] = count; }
  std::map<std::string, uint64_t> values;
};

// Table 3. One of two objects is refined: seven accesses to objects, four of them in Exclusive0, then two to a
// variable.
TEST(RaceTrackCounters, Table3) {
  RaceTrackSteps steps(Setting::kGranularity);
  steps.run("0|alloc(o,16) 0|alloc(p,16) 0|fork(1) 0|notify(c) 1|wait(c) 0|w(p.a) 0|r(p.b) 0|r(p.b)");
  steps.run("0|w(o.a) 1|w(o.a) 0|w(o.a) 1|w(o.a) 0|w(o.a) 1|w(o.a) 1|st(o.a,relaxed)");
  Access free{steps.thread("0"), AccessKind::kFree};
  Place p{false, 0, 0, ObjectId{1}};
  steps.detector().object_access(free, p);
  Counters counters;
  steps.detector().count(counters);
  const std::map<std::string, uint64_t> expected = {
      {"thread clock ticks", 2},  // the fork and the notification
      {"objects/allocated", 2},
      {"objects/refined", 1},
      {"monitored accesses/all", 9},
      {"monitored accesses/at object level", 7},
      {"monitored accesses/of these in Exclusive0", 4},
      {"share again unlocked", 1},
      {"not watched", 1},
  };
  for (const auto& [name, value] : expected) EXPECT_EQ(counters.values[name], value) << name;
}

TEST(RaceTrackTables, ThreadsetsAreSweptAndStayBounded) {
  RaceTrackSteps steps(Setting::kBasic);
  steps.run("0|fork(1) 0|w(x) 1|w(x)");
  const ThreadId zero = steps.thread("0");
  RaceTrack& detector = steps.detector();
  uint32_t most = 0;
  for (uint64_t i = 0; i < 100000; ++i) {
    detector.sync({.thread = zero, .kind = EventKind::kNotify});  // the clock ticks: a new threadset
    detector.access({zero, AccessKind::kWrite}, Place{}, steps.variable("x"));
    most = std::max(most, detector.machine().threadsets().size());
  }
  EXPECT_LE(most, 1100u);
  EXPECT_GT(detector.machine().threadsets().sweeps(), 90u);
  EXPECT_EQ(steps.state_of("x"), "Shared-Modify2 {} {0:100002,1:1}");
}

// Without any synchronisation, too: every set of twelve threads comes by once.
TEST(RaceTrackTables, AccessesAloneSweep) {
  RaceTrackSteps steps(Setting::kBasic);
  RaceTrack& detector = steps.detector();
  uint32_t most = 0;
  for (uint32_t threads = 1; threads < 1u << 12; ++threads) {
    RaceTrackState x;
    for (uint32_t t = 0; t < 12; ++t)
      if ((threads >> t & 1) != 0) detector.access({static_cast<ThreadId>(t), AccessKind::kWrite}, Place{}, x);
    detector.forget(x);
    most = std::max(most, detector.machine().threadsets().size());
  }
  EXPECT_LE(most, 1100u);
}

// Ever new locks and clocks. What variables had is given back when they are forgotten, and not before.
TEST(RaceTrackTables, ForgettingGivesTheSetsBack) {
  RaceTrackSteps steps(Setting::kThreadset);
  steps.run("0|fork(1) 0|fork(2) " SHARED_MODIFY2);
  RaceTrack& detector = steps.detector();
  RaceTrackState copy = detector.clone(steps.variable("x"));
  detector.forget(steps.variable("x"));
  EXPECT_EQ(steps.state_of("x"), "Virgin");
  const ThreadId zero = steps.thread("0"), one = steps.thread("1");
  uint32_t most = 0;
  for (uint32_t i = 0; i < 5000; ++i) {
    RaceTrackState x;
    const auto write = [&](ThreadId t) { detector.access({t, AccessKind::kWrite}, Place{}, x); };
    write(zero);
    write(one);
    write(zero);  // Exclusive2
    detector.sync({.target = 100 + i, .thread = one, .kind = EventKind::kAcquire});
    write(one);
    ASSERT_EQ(x.state(), State::kSharedModify2);
    detector.sync({.target = 100 + i, .thread = one, .kind = EventKind::kRelease});
    detector.sync({.thread = one, .kind = EventKind::kNotify});
    detector.forget(x);
    most = std::max({most, detector.machine().threadsets().size(), detector.machine().locksets().size()});
  }
  EXPECT_LE(most, 1100u);
  EXPECT_EQ(steps.state_text(copy), "Shared-Modify2 {m,n} {0:3,1:1}");
  detector.forget(copy);
}

TEST(RaceTrackClocks, ABoundedClockForgetsTheOldest) {
  DetectorOptions options = with(Setting::kThreadset);
  options.racetrack.clock_entries = 4;
  Steps<RaceTrack> steps(options);
  steps.run("0|fork(1) 0|w(x) 1|w(x) 0|join(1)");
  steps.run("0|fork(2) 0|join(2) 0|fork(3) 0|join(3) 0|fork(4) 0|join(4)");  // five threads: 1 is forgotten
  EXPECT_TRUE(steps.run("0|w(x)").is_race);
}

TEST(RaceTrackState, IsNotReplacedIfItChangedMeanwhile) {
  RaceTrackState x;
  const RaceTrackState old = x.load();
  const RaceTrackState mine = RaceTrackState::exclusive0(ThreadId{1}), theirs = RaceTrackState::exclusive0(ThreadId{2});
  EXPECT_TRUE(x.replace(old, theirs));
  EXPECT_FALSE(x.replace(old, mine));
  EXPECT_EQ(x, theirs);
}

// Both words change together or not at all, whatever other threads change.
TEST(RaceTrackState, IsReplacedAtomically) {
  RaceTrackState x = RaceTrackState::exclusive1({ThreadId{0}, 0});
  const auto count = [&x] {
    for (int i = 0; i < 20000;) {
      const RaceTrackState old = x.load();
      const uint32_t n = old.S().clock + 1;
      i += x.replace(old, RaceTrackState::exclusive1({static_cast<ThreadId>(n), n}));
    }
  };
  std::thread other(count);
  count();
  other.join();
  EXPECT_EQ(x.S(), (ThreadLabel{ThreadId{40000}, 40000}));
}

}  // namespace
}  // namespace deadheat::test
