// The annotation file: its lines, its errors, and that what it names is not watched.
#include "engine/annotations.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "engine/analysis.h"
#include "support/memory_reader.h"

namespace deadheat::test {
namespace {

TEST(Annotations, NamesAreWholeUnlessTheyHaveStars) {
  const Annotations a =
      Annotations::parse("# not ours\nField Hashtable.count\n\n  Method get_*  \r\nClass File\n", "f");
  EXPECT_TRUE(a.hides_field("Hashtable.count"));
  EXPECT_FALSE(a.hides_field("Hashtable.counter"));
  EXPECT_FALSE(a.hides_field("MyHashtable.count"));
  EXPECT_TRUE(a.hides_method("get_trace"));
  EXPECT_FALSE(a.hides_method("forget_trace"));
  EXPECT_TRUE(a.hides_class("File"));
  EXPECT_FALSE(a.hides_class("Hashtable"));
}

TEST(Annotations, ALineThatMakesNoSenseIsAnError) {
  for (const std::string text : {"Feld x", "Field", "Class  "}) {
    try {
      Annotations::parse("Class ok\n" + text, "file");
      ADD_FAILURE() << text;
    } catch (const AnnotationError& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with("file:2: ")) << error.what();
    }
  }
  EXPECT_THROW(Annotations::read("/nonexistent/annotations"), AnnotationError);
}

TEST(Annotations, TheFunctionOfALocation) {
  EXPECT_EQ(function_of("bank.c:12 deposit"), "deposit");
  EXPECT_EQ(function_of("a.cpp:3 std::pair<int, int>::swap(std::pair<int, int>&)"),
            "std::pair<int, int>::swap(std::pair<int, int>&)");
  for (const std::string_view plain : {"deposit", "bank.c:12", "a b", "std::vector<int, std::allocator<int> >", "f: g",
                                       "12 deposit", "bank.c:1x deposit", ""})
    EXPECT_EQ(function_of(plain), plain);
}

// One event a line: locations have blanks.
TestTrace parse_lines(std::string_view lines) {
  TestTrace trace;
  std::map<std::string, LocationId, std::less<>> known;
  std::string events;
  std::vector<std::string> locations;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    const size_t bar = line.rfind('|');
    events += std::string(line.substr(0, bar)) + ' ';
    locations.emplace_back(line.substr(bar + 1));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
  }
  trace = parse_trace(events);
  trace.locations.clear();
  for (size_t i = 0; i < locations.size(); ++i) {
    const auto [at, is_new] = known.emplace(locations[i], static_cast<LocationId>(trace.locations.size()));
    if (is_new) trace.locations.push_back(locations[i]);
    trace.events[i].location = at->second;
  }
  return trace;
}

std::set<std::string> racy(const TestTrace& trace, const std::string& annotations, std::string_view detector) {
  MemoryReader reader(trace);
  Losses losses;
  AnalysisOptions options;
  options.detector = detector;
  const Annotations parsed = Annotations::parse(annotations, "file");
  const std::vector<AnalysisResult> results = analyze(reader, {&options, 1}, /*lenient=*/false, losses, {}, &parsed);
  std::set<std::string> variables;
  for (const Finding& race : results.front().findings.races) variables.emplace(race.memory.name);
  return variables;
}

std::set<std::string> racy(const std::string& annotations) {
  return racy(parse_trace("0|fork(1) 0|w(o.a)|f 1|w(o.a)|g 0|w(o.b)|f 1|w(o.b)|g 0|w(p)|f 1|w(p)|h 0|w(0x10:4)|f "
                          "1|w(0x10:4)|h 0|st(q,relaxed)|f 1|w(q)|h"),
              annotations, "fasttrack");
}

TEST(Annotations, WhatTheyNameIsNotWatched) {
  using Set = std::set<std::string>;
  EXPECT_EQ(racy(""), (Set{"o.a", "o.b", "p", "0x10:4", "q"}));
  EXPECT_EQ(racy("Field o.a"), (Set{"o.b", "p", "0x10:4", "q"}));
  EXPECT_EQ(racy("Class o"), (Set{"p", "0x10:4", "q"}));
  EXPECT_EQ(racy("Method h"), (Set{"o.a", "o.b"}));
  EXPECT_EQ(racy("Method f"), (Set{"q"}));  // an atomic access stays: it may order threads
  EXPECT_EQ(racy("Class o\nField p\nField q"), (Set{"0x10:4"}));
}

TEST(Annotations, AMethodIsALocationOrItsFunction) {
  const TestTrace trace =
      parse_lines("0|fork(1)|m.c:1 main\n0|w(x)|m.c:2 f\n1|w(x)|m.c:3 g\n0|w(y)|m.c:4 f\n1|w(y)|m.c:9 operator new");
  using Set = std::set<std::string>;
  EXPECT_EQ(racy(trace, "", "fasttrack"), (Set{"x", "y"}));
  EXPECT_EQ(racy(trace, "Method g", "fasttrack"), (Set{"y"}));
  EXPECT_EQ(racy(trace, "Method f", "fasttrack"), (Set{}));
  EXPECT_EQ(racy(trace, "Method m.c:4 f", "fasttrack"), (Set{"x"}));
  EXPECT_EQ(racy(trace, "Method operator new", "fasttrack"), (Set{"x"}));
  EXPECT_EQ(racy(trace, "Method m.c", "fasttrack"), (Set{"x", "y"}));
}

// A block of bytes is named by the place of its allocation: a function, or a global if the trace calls it so.
TEST(Annotations, AClassIsAnObjectOrTheBlocksAllocatedSomewhere) {
  const TestTrace trace = parse_lines(
      "0|fork(1)|m.c:1 main\n0|alloc(0x100,16)|m.c:2 make\n0|alloc(0x110,16)|hits\n"
      "0|w(0x100:8)|a\n1|w(0x100:8)|b\n0|w(0x118:4)|a\n1|w(0x118:4)|b\n0|w(0x10c:8)|a\n1|w(0x10c:8)|b");
  using Set = std::set<std::string>;
  EXPECT_EQ(racy(trace, "", "fasttrack"), (Set{"0x100:8", "0x118:4", "0x10c:8"}));
  EXPECT_EQ(racy(trace, "Class make", "fasttrack"), (Set{"0x118:4", "0x10c:8"}));  // out of the block: watched
  EXPECT_EQ(racy(trace, "Class hits", "fasttrack"), (Set{"0x100:8", "0x10c:8"}));
  EXPECT_EQ(racy(trace, "Class m.c:2 make", "fasttrack"), (Set{"0x118:4", "0x10c:8"}));
  // The memory is given anew, elsewhere.
  const TestTrace again = parse_lines(
      "0|fork(1)|m\n0|alloc(0x100,16)|make\n0|free(0x100)|m\n0|alloc(0x108,16)|other\n"
      "0|w(0x108:4)|a\n1|w(0x108:4)|b");
  EXPECT_EQ(racy(again, "Class make", "fasttrack"), (Set{"0x108:4"}));
  EXPECT_EQ(racy(again, "Class other", "fasttrack"), (Set{}));
}

// Turns of both threads: a lock, x, an unlock.
TestTrace with_lock(std::string_view lock, std::string_view unlock) {
  std::string lines = "0|fork(1)|m.c:1 main\n";
  const auto put = [&lines](char thread, std::string_view ops) {
    while (!ops.empty()) {
      const std::string_view op = ops.substr(0, ops.find(';'));
      lines += std::string(1, thread) + '|' + std::string(op) + '\n';
      ops.remove_prefix(std::min(ops.size(), op.size() + 1));
    }
  };
  for (int turn = 0; turn < 4; ++turn) {
    for (const char thread : {'0', '1'}) {
      put(thread, lock);
      put(thread, "w(x)|m.c:5 f");
      if (thread == '0' && turn % 2 == 0) put('1', lock.substr(0, lock.find(';')));  // the other one tries meanwhile
      put(thread, unlock);
    }
  }
  lines.pop_back();
  return parse_lines(lines);
}

TEST(Annotations, FunctionsThatAreLocks) {
  using Set = std::set<std::string>;
  const std::string locks = "Acquire spin_lock\nRelease spin_unlock";
  const TestTrace spin =
      with_lock("rmw(l,relaxed)|s.c:1 spin_lock;rmw(l,relaxed)|s.c:1 spin_lock", "st(l,relaxed)|s.c:9 spin_unlock");
  const TestTrace ticket = with_lock("rmw(0x10:4,relaxed)|s.c:1 spin_lock;ld(0x14:4,relaxed)|s.c:2 spin_lock",
                                     "st(0x14:4,relaxed)|s.c:9 spin_unlock");
  for (const TestTrace& trace : {spin, ticket}) {
    for (const DetectorInfo& detector : detectors()) {
      if (detector.name == "empty") continue;
      EXPECT_EQ(racy(trace, "", detector.name), (Set{"x"})) << detector.name;
      EXPECT_EQ(racy(trace, locks, detector.name), (Set{})) << detector.name;
      // Half a lock protects nothing.
      if (detector.precise) {
        EXPECT_EQ(racy(trace, "Acquire spin_lock", detector.name), (Set{"x"})) << detector.name;
      }
    }
  }
}

TEST(Annotations, AUserLockIsHeldFromItsAcquireToItsRelease) {
  using Set = std::set<std::string>;
  const std::string locks = "Acquire lock\nRelease unlock";
  // y is written after the release, z under another lock, v under a lock of the trace with the same number.
  std::string lines = "0|fork(1)|m\n";
  for (int turn = 0; turn < 4; ++turn)
    for (const char* t : {"0", "1"}) {
      const std::string own = t[0] == '0' ? "a" : "b";
      for (const std::string& op :
           {std::string("rmw(l,relaxed)|lock"), std::string("w(x)|f"), std::string("st(l,relaxed)|unlock"),
            std::string("w(y)|f"), "rmw(" + own + ",relaxed)|lock", std::string("w(z)|f"),
            "st(" + own + ",relaxed)|unlock", std::string("acq(m)|f"), std::string("w(v)|f"), std::string("rel(m)|f"),
            std::string("rmw(c,relaxed)|f"), std::string("st(c,relaxed)|unlock")})
        lines += std::string(t) + '|' + op + '\n';
    }
  lines.pop_back();
  for (const std::string_view detector : {"eraser", "racetrack"})
    EXPECT_EQ(racy(parse_lines(lines), locks, detector), (Set{"y", "z"})) << detector;
}

}  // namespace
}  // namespace deadheat::test
