// From findings to groups: fingerprints, merging, ranks, and what every format makes of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "race/fingerprint.h"
#include "race/merge.h"
#include "race/ranking.h"
#include "race/suppressions.h"
#include "report/formats.h"
#include "report/parts.h"
#include "report/source_excerpt.h"
#include "support/temporary_folder.h"

namespace deadheat::test {
namespace {

// Findings with as little as a test is about.
struct Maker {
  std::shared_ptr<FindingStore> store = std::make_shared<FindingStore>();

  // "f@a.c:3 g@a.c:9" is a stack, innermost first.
  StackView stack(std::string_view text) {
    std::vector<StackFrame> frames;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find(' ', begin), text.size());
      const std::string_view part = text.substr(begin, end - begin);
      const size_t at = part.find('@'), colon = part.rfind(':');
      frames.push_back({.function = store->text(part.substr(0, at)),
                        .file = store->text(part.substr(at + 1, colon - at - 1)),
                        .line = std::atoi(std::string(part.substr(colon + 1)).c_str())});
      begin = end + 1;
    }
    return store->copy<StackFrame>(frames);
  }
  Memory global(std::string_view name) { return {.kind = Memory::kGlobal, .name = store->text(name), .bytes = 4}; }
  Memory local(std::string_view name, std::string_view function) {
    return {.kind = Memory::kStack, .name = store->text(name), .bytes = 4, .stack = stack(function)};
  }
  static Memory thread_local_of(uint32_t thread) { return {.kind = Memory::kThreadLocal, .thread = thread}; }
  Memory heap(std::string_view where) { return {.kind = Memory::kHeap, .bytes = 64, .stack = stack(where)}; }

  Finding race(std::string_view second, std::string_view first, const Memory& memory,
               AccessKind kind = AccessKind::kWrite, AccessKind earlier = AccessKind::kRead, uint64_t address = 64) {
    const Side sides[] = {{.kind = kind, .thread = 1, .address = address, .bytes = 4, .stack = stack(second)},
                          {.kind = earlier, .thread = 2, .address = address, .bytes = 4, .stack = stack(first)}};
    Finding finding;
    finding.sides = store->copy<Side>(sides);
    finding.memory = memory;
    finding.both_begin = address;
    finding.both_end = address + 4;
    return finding;
  }
};

ReportModel merged(const std::vector<Finding>& findings, std::shared_ptr<FindingStore> store,
                   const std::set<std::string>* known = nullptr) {
  Merge merge(std::move(store));
  for (const Finding& finding : findings) merge.add(finding, "run", 1);
  return merge.finish(known);
}

TEST(Fingerprint, LinesFoldersAndOrderDoNotCount) {
  Maker m;
  const uint64_t one = fingerprint_of(m.race("put@/a/q.c:3 main@m.c:1", "get@/a/q.c:9", m.global("x")));
  EXPECT_EQ(one, fingerprint_of(m.race("put@/b/q.c:7 other@o.c:1", "get@/b/q.c:2", m.global("x"))));
  EXPECT_EQ(one, fingerprint_of(
                     m.race("get@/a/q.c:9", "put@/a/q.c:3", m.global("x"), AccessKind::kRead, AccessKind::kWrite)));
  EXPECT_EQ(one, fingerprint_of(m.race("put.constprop.0@/a/q.c:3", "get.part.1@/a/q.c:9", m.global("x"))));
  EXPECT_NE(one, fingerprint_of(m.race("put@/a/q.c:3", "get@/a/q.c:9", m.global("y"))));
  EXPECT_NE(one, fingerprint_of(m.race("put@/a/q.c:3", "peek@/a/q.c:9", m.global("x"))));
  EXPECT_NE(one, fingerprint_of(m.race("put@/a/q.c:3", "get@/a/other.c:9", m.global("x"))));
}

TEST(Fingerprint, InterceptorsAndHeadersOfTheSystemAreNoPlaces) {
  Maker m;
  Finding finding = m.race("push_back@/usr/include/c++/12/bits/stl_vector.h:9 put@q.c:3", "get@q.c:9", m.global("x"));
  EXPECT_EQ(fingerprint_of(finding), fingerprint_of(m.race("put@q.c:3", "get@q.c:9", m.global("x"))));
}

TEST(Fingerprint, CodeOfTheStandardLibraryIsNoPlaceWithoutItsFileEither) {
  Maker m;
  const StackFrame moved[] = {{.function = "void std::__sort<int*, main::$_30>(int*, int*)", .module = "q"},
                              {.function = "put", .file = "q.c", .line = 3}};
  const StackFrame own[] = {{.function = "std::vector<int> moved<int>(int)", .module = "q"},
                            {.function = "put", .file = "q.c", .line = 3}};
  EXPECT_EQ(place_frame(moved), &moved[1]);
  EXPECT_EQ(place_frame(own), &own[0]) << "a function of the program that returns something of the library";
}

TEST(Fingerprint, IsTheSameInAllVersions) {
  Maker m;
  EXPECT_EQ(fingerprint_text(fingerprint_of(m.race("put@q.c:3", "get@q.c:9", m.global("x")))), "aaf69d9ca054990d");
}

TEST(Fingerprint, CompilersNameLambdasAndInitialisersAsTheyLike) {
  const auto of = [](std::string_view reader, std::string_view maker) {
    StackFrame frames[] = {{.function = reader, .file = "q.c", .line = 3}};
    StackFrame made[] = {{.function = maker, .file = "q.c", .line = 1}};
    const Side sides[] = {{.kind = AccessKind::kRead, .stack = frames}, {.kind = AccessKind::kWrite, .stack = frames}};
    Finding finding;
    finding.sides = sides;
    finding.memory = {.kind = Memory::kHeap, .stack = made};
    return fingerprint_of(finding);
  };
  const uint64_t one = of("main::{lambda(int)#1}::operator()(int) const", "make");
  EXPECT_EQ(one, of("main::{lambda(int)#2}::operator()(int) const", "make"));
  EXPECT_EQ(one, of("main::$_17::operator()(int) const", "make"));
  EXPECT_NE(one, of("other::$_17::operator()(int) const", "make"));
  EXPECT_EQ(one, of("main::{lambda}::operator()", "make"));
  EXPECT_NE(one, of("main::{lambda}::operator()::{lambda}::operator()", "make"));
  EXPECT_EQ(of("f(int)::$_0::operator()(int (*)(int)) const::$_1::operator()() const", "make"),
            of("f(int)::{lambda}::operator()::{lambda}::operator()", "make"));
  const uint64_t initialised = of("f", "__static_initialization_and_destruction_0(int, int)");
  EXPECT_EQ(initialised, of("f", "__cxx_global_var_init.2"));
  EXPECT_EQ(initialised, of("f", "_GLOBAL__sub_I_names"));
  EXPECT_NE(initialised, of("f", "init"));
}

TEST(StableName, IsWhatDebugInformationHasOfAFunctionAtEveryLevel) {
  const struct {
    const char* written;
    const char* stable;
  } kNames[] = {
      {"f", "f"},
      {"f(int, char const*)", "f"},
      {"f(int (*)(int)) [clone .isra.0]", "f"},
      {"a::B<int, std::vector<long> >::put(int) const", "a::B::put"},
      {"a::B<(x::E)3>::put() const &", "a::B::put"},
      {"void Store::each<Store::total()::$_0>(Store::total()::$_0)", "Store::each"},
      {"Store::each<Store::total()::<lambda(Item&)> >", "Store::each"},
      {"int const* find<int>(int)", "find"},
      {"decltype (x.y) get<A>(A&&)", "get"},
      {"(anonymous namespace)::Sell::run()", "(anonymous namespace)::Sell::run"},
      {"f[abi:cxx11](int)", "f"},
      {"main::$_1::operator()() const", "main::{lambda}"},
      {"main::{lambda}::operator()", "main::{lambda}"},
      {"main::{lambda(int)#2}::operator()(int) const", "main::{lambda}"},
      {"auto main::{lambda(auto:1)#1}::operator()<int>(int) const", "main::{lambda}"},
      {"main::{lambda}::operator()<int>", "main::{lambda}"},
      {"main::'lambda0'(int)::operator()(int) const", "main::{lambda}"},
      {"f()::$_0::operator()() const::{lambda()#1}::operator()() const", "f::{lambda}::{lambda}"},
      {"{unnamed type#1}::go()", "{unnamed}::go"},
      {"B::operator()(int) const", "B::operator()"},
      {"operator<<(std::ostream&, B const&)", "operator<<"},
      {"std::ostream& operator<< <char>(std::ostream&, char)", "operator<<"},
      {"bool operator< <int>(B<int>, B<int>)", "operator<"},
      {"B::operator->() const", "B::operator->"},
      {"B::operator std::vector<int>() const", "B::operator std::vector"},
      {"operator new(unsigned long)", "operator new"},
      {"operator delete[](void*, unsigned long)", "operator delete[]"},
      {"my_operator(int)", "my_operator"},
      {"f(", "f"},
      {"<", "<"},
      {"$_", "{lambda}"},
      {"'lambda", "{lambda}"},
      {"operator", "operator"},
  };
  for (const auto& [written, stable] : kNames) EXPECT_EQ(stable_name(written), stable) << written;
}

TEST(Fingerprint, StaticLocalsOfC) {
  Maker m;
  const auto of = [&m](std::string_view global) {
    return fingerprint_of(m.race("put@q.c:3", "get@q.c:9", m.global(global)));
  };
  EXPECT_EQ(of("work.count"), of("count"));
  EXPECT_NE(of("work.count"), of("work.sum"));
  EXPECT_NE(of("A::count"), of("count"));
}

TEST(StableFunction, SuffixesOfOptimisersGo) {
  EXPECT_EQ(stable_function("f(int) [clone .constprop.0]"), "f(int)");
  EXPECT_EQ(stable_function("f.isra.0.part.2"), "f");
  EXPECT_EQ(stable_function("f.cold"), "f");
  EXPECT_EQ(stable_function("operator()"), "operator()");
}

TEST(Merge, OneBugFromManyCallersOnManyObjectsIsOneGroup) {
  Maker m;
  std::vector<Finding> findings;
  for (int i = 0; i < 1000; ++i)
    findings.push_back(m.race("put@q.c:3 caller" + std::to_string(i % 10) + "@m.c:1", "get@q.c:9 main@m.c:2",
                              m.heap("make@q.c:1"), AccessKind::kWrite, AccessKind::kRead,
                              4096 + 64 * static_cast<uint64_t>(i)));
  const ReportModel model = merged(findings, m.store);
  ASSERT_EQ(model.groups.size(), 1u);
  EXPECT_EQ(model.groups[0].records, 1000u);
  EXPECT_EQ(model.groups[0].objects, 1000u);
  EXPECT_LE(model.groups[0].examples.size(), 8u);
}

TEST(Merge, OtherFunctionsOrMemoryAreOtherBugs) {
  Maker m;
  const ReportModel model = merged({m.race("put@q.c:3 a@m.c:1", "get@q.c:9 b@m.c:2", m.global("x")),
                                    m.race("add@q.c:30 c@m.c:1", "sub@q.c:90 d@m.c:2", m.global("x")),
                                    m.race("put@q.c:3 e@m.c:1", "get@q.c:9 f@m.c:2 g@m.c:3 h@m.c:4", m.global("y"))},
                                   m.store);
  EXPECT_EQ(model.groups.size(), 3u);
}

TEST(Merge, AlikeStacksOnTheSameMemoryAreOneBugWithTwoFingerprints) {
  Maker m;
  const ReportModel model = merged({m.race("put@q.c:3 work@m.c:1", "get@q.c:9 work@m.c:2 main@m.c:5", m.global("x")),
                                    m.race("put@q.c:3 work@m.c:1", "peek@q.c:12 work@m.c:2 main@m.c:5", m.global("x"))},
                                   m.store);
  ASSERT_EQ(model.groups.size(), 1u);
  EXPECT_EQ(model.groups[0].fingerprints.size(), 2u);
  EXPECT_EQ(model.groups[0].fingerprint, model.groups[0].fingerprints[0]);
}

TEST(Merge, FramesThatAllThreadsHaveDoNotMakeStacksAlike) {
  Maker m;
  std::string start;  // more frames than the program has
  for (const std::string name : {"invoke", "run", "call", "start", "go"})
    start += " " + name + "@/usr/include/c++/12/thread:1";
  const auto race = [&](const char* writer, const char* reader, const char* maker) {
    return m.race(writer + start, reader + start, m.heap(maker));
  };
  EXPECT_EQ(
      merged({race("put@q.c:3", "get@q.c:9", "make@q.c:1"), race("add@q.c:13", "sub@q.c:19", "make@q.c:1")}, m.store)
          .groups.size(),
      2u);
  // Blocks of different globals.
  const char *const put = "put@q.c:3 a@m.c:1 b@m.c:2", *const take = "take@q.c:30 a@m.c:1 b@m.c:2";
  EXPECT_EQ(merged({race(put, put, "make@q.c:1"), race(take, take, "make@q.c:1")}, m.store).groups.size(), 1u);
  EXPECT_EQ(merged({race(put, put, "__cxx_global_var_init@q.c:1"), race(take, take, "__cxx_global_var_init.1@q.c:2")},
                   m.store)
                .groups.size(),
            2u);
}

TEST(Merge, TwoGlobalsAreTwoBugsEvenAtTheSameLines) {
  Maker m;
  const char* const put = "put@q.c:3 work@m.c:1 main@m.c:5";
  const char* const get = "get@q.c:9 work@m.c:2 main@m.c:5";
  EXPECT_EQ(merged({m.race(put, get, m.global("x")), m.race(put, get, m.global("y"))}, m.store).groups.size(), 2u);
  // Blocks that different functions allocate may well be one kind of object.
  const ReportModel model =
      merged({m.race(put, get, m.heap("make@q.c:1")), m.race(put, get, m.heap("copy@q.c:2"))}, m.store);
  EXPECT_EQ(model.groups.size(), 1u);
}

// Titles and whether they are known, of groups that a baseline with `old` in it leaves.
std::string told_against(const std::vector<Finding>& old, const std::vector<Finding>& findings, Maker& m) {
  std::set<std::string> known;
  for (const Finding& finding : old) known.insert(fingerprint_text(fingerprint_of(finding)));
  std::multiset<std::string> lines;
  const ReportModel model = merged(findings, m.store, &known);
  EXPECT_TRUE(model.has_baseline);
  for (const Group& group : model.groups)
    lines.insert(std::string(group.known ? "known " : "new ") + std::to_string(group.fingerprints.size()));
  std::string text;
  for (const std::string& line : lines) text += line + "; ";
  return text;
}

TEST(Merge, TwoLocalsOfAFunctionAreTwoBugsAndItsMembersAreOne) {
  Maker m;
  const std::string one = "main::{lambda}::operator()@m.cpp:7", other = "main::{lambda}::operator()@m.cpp:9";
  const ReportModel model = merged(
      {m.race(one, other, m.local("first", "main@m.cpp:20")), m.race(one, other, m.local("second", "main@m.cpp:20")),
       m.race(one, other, m.local("pair.a", "main@m.cpp:20")),
       m.race(one, "main@m.cpp:11", m.local("pair.b[3]", "main@m.cpp:22")), m.race(one, other, m.global("x")),
       m.race(one, other, m.thread_local_of(3))},
      m.store);
  EXPECT_EQ(model.groups.size(), 5u);
  // A function of the same beginning is another one.
  EXPECT_EQ(fingerprint_of(m.race("main2@m.cpp:7", "main2@m.cpp:7", m.local("first", "main@m.cpp:20"))),
            fingerprint_of(m.race("main2@m.cpp:7", "main2@m.cpp:7", m.local("second", "main@m.cpp:20"))));
}

TEST(Merge, ObjectsOnTheStacksOfManyCallersAreOneBug) {
  Maker m;
  std::vector<Finding> findings;
  for (const std::string caller : {"a", "b", "c"})
    findings.push_back(m.race("Counter::add@c.cpp:3 " + caller + "@m.cpp:8",
                              "Counter::add@c.cpp:3 " + caller + "@m.cpp:9",
                              m.local("mine_" + caller, caller + "@m.cpp:5")));
  EXPECT_EQ(merged(findings, m.store).groups.size(), 1u);
}

TEST(Merge, AKnownBugHidesNoOtherPairOfFunctions) {
  Maker m;
  const Finding get = m.race("put@q.c:3 work@m.c:1", "get@q.c:9 work@m.c:2 main@m.c:5", m.global("x"));
  const Finding peek = m.race("put@q.c:3 work@m.c:1", "peek@q.c:12 work@m.c:2 main@m.c:5", m.global("x"));
  const Finding look = m.race("put@q.c:3 work@m.c:1", "look@q.c:15 work@m.c:2 main@m.c:5", m.global("x"));
  ASSERT_EQ(merged({get, peek, look}, m.store).groups.size(), 1u);
  EXPECT_EQ(told_against({get}, {get, peek, look}, m), "known 1; new 2; ");
  EXPECT_EQ(told_against({get, peek, look}, {get, peek, look}, m), "known 3; ");
  EXPECT_EQ(told_against({}, {get, peek, look}, m), "new 3; ");
  // What is not there says nothing of the others.
  EXPECT_EQ(told_against({get, look}, {peek}, m), "new 1; ");
}

TEST(Merge, AKnownPairOfLinesIsKnownUnderAnotherName) {
  Maker m;
  const Finding known = m.race("put@q.c:3 work@m.c:1", "get@q.c:9 work@m.c:2", m.heap("make@q.c:1"));
  const Finding inlined = m.race("put@q.c:3 work@m.c:1", "take@q.c:9 get@q.c:20 work@m.c:2", m.heap("make@q.c:1"));
  EXPECT_EQ(told_against({known}, {known, inlined}, m), "known 2; ");
  // But not on another variable that has a name.
  const Finding x = m.race("put@q.c:3 work@m.c:1", "get@q.c:9 work@m.c:2", m.global("x"));
  const Finding y = m.race("put@q.c:3 work@m.c:1", "get@q.c:9 work@m.c:2", m.global("y"));
  EXPECT_EQ(told_against({x}, {x, y}, m), "known 1; new 1; ");
}

TEST(Merge, TheOrderOfTheRecordsDoesNotMatter) {
  Maker m;
  std::vector<Finding> findings;
  for (const char* variable : {"a", "b", "c"})
    for (const char* writer : {"put@q.c:3 work@m.c:1", "add@q.c:5 work@m.c:1", "set@s.c:5 idle@m.c:9 main@m.c:1"})
      findings.push_back(m.race(writer, "get@q.c:9 work@m.c:2", m.global(variable)));
  const auto summary = [](const ReportModel& model) {
    std::string text;
    for (const Group& group : model.groups)
      text += group.fingerprint + " " + std::to_string(group.rank) + " " + std::to_string(group.records) + "\n";
    return text;
  };
  const std::string expected = summary(merged(findings, m.store));
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(findings.begin(), findings.end(), random);
    EXPECT_EQ(summary(merged(findings, m.store)), expected);
  }
}

// Highest first.
TEST(Ranking, FreedMemoryThenTwoWritesThenReadsThenCountersThenForeignCode) {
  Maker m;
  Finding freed = m.race("use@a.c:1", "drop@a.c:2", m.heap("make@a.c:3"), AccessKind::kRead, AccessKind::kFree);
  freed.kind = FindingKind::kFreeRace;
  const Finding writes = m.race("b1@b.c:1", "b2@b.c:2", m.global("b"), AccessKind::kWrite, AccessKind::kWrite);
  const Finding reads = m.race("c1@c.c:1", "c2@c.c:2", m.global("c"));
  const Finding counter = m.race("d1@d.c:1", "d1@d.c:1", m.global("d"), AccessKind::kWrite, AccessKind::kWrite);
  std::vector<StackFrame> frames = {{.function = "e1", .file = "e.c", .line = 1},
                                    {.function = "call", .module = "/lib/libplain.so", .offset = 16, .foreign = true}};
  Finding foreign = m.race("e1@e.c:1", "e2@e.c:2", m.global("e"), AccessKind::kWrite, AccessKind::kWrite);
  std::vector<Side> sides(foreign.sides.begin(), foreign.sides.end());
  sides[0].stack = frames;
  foreign.sides = sides;
  const ReportModel model = merged({counter, foreign, reads, freed, writes}, m.store);
  ASSERT_EQ(model.groups.size(), 5u);
  std::string order;
  for (const Group& group : model.groups) order += std::string(group.finding().memory.name) + ",";
  EXPECT_EQ(order, ",b,c,d,e,");
  EXPECT_EQ(model.groups[4].foreign_module, "libplain.so");
  EXPECT_EQ(model.groups[0].pair, "free-read");
  EXPECT_EQ(model.groups[1].pair, "write-write");
}

TEST(Suppressing, EveryLineHidesItsFindingAndNoOther) {
  Maker m;
  const Finding one = m.race("put(int*)@q.c:3 main@m.c:1", "get@q.c:9 main@m.c:2", m.global("x"));
  const Finding other = m.race("put(int*)@q.c:3 main@m.c:1", "peek@q.c:9 main@m.c:2", m.global("y"));
  for (const std::string& line : suppressions_for(one)) {
    Arena arena;
    Suppressions rules(arena);
    rules.parse(line, [](void*, uint32_t, std::string_view, const char*) { FAIL(); }, nullptr);
    EXPECT_NE(rules.match(one), nullptr) << line;
    EXPECT_EQ(rules.match(other), nullptr) << line;
  }
  EXPECT_EQ(suppressions_for(one).front(), "race:^get$ && ^put(int*)$");
}

TEST(Suppressing, ByModuleAndOffsetWhereThereAreNoNames) {
  const StackFrame a = {.module = "/lib/liba.so", .offset = 0x1f30}, b = {.module = "/bin/b", .offset = 0x40};
  const Side sides[] = {{.kind = AccessKind::kWrite, .bytes = 4, .stack = {&a, 1}},
                        {.kind = AccessKind::kRead, .bytes = 4, .stack = {&b, 1}}};
  Finding finding;
  finding.sides = sides;
  EXPECT_EQ(suppressions_for(finding).front(), "race:b+0x40 && liba.so+0x1f30");
  Arena arena;
  Suppressions rules(arena);
  rules.parse(
      suppressions_for(finding).front(), [](void*, uint32_t, std::string_view, const char*) { FAIL(); }, nullptr);
  EXPECT_NE(rules.match(finding), nullptr);
}

// ---- formats ----

std::string written(const Format& format, const ReportModel& model) {
  char* text = nullptr;
  size_t length = 0;
  std::FILE* const out = open_memstream(&text, &length);
  FormatStyle style;
  style.with_source = false;
  format.write(model, style, out);
  std::fclose(out);
  std::string result(text, length);
  std::free(text);
  return result;
}

const std::string kEvil =
    std::string("<script>\"'&]]>\x1b[31m\x07\xff\xc2\x9b") + '\0' + "\\u0000\n" + std::string(5000, 'x');

ReportModel hostile_model() {
  Maker m;
  const StackFrame frames[] = {{.function = m.store->text(kEvil),
                                .file = m.store->text("/s/" + kEvil + ".c"),
                                .module = m.store->text(kEvil),
                                .line = 3}};
  const Side sides[] = {
      {.kind = AccessKind::kWrite, .thread = 1, .bytes = 4, .stack = m.store->copy<StackFrame>(frames)},
      {.kind = AccessKind::kRead, .bytes = 4, .stack = m.store->copy<StackFrame>(frames)}};
  const FindingThread threads[] = {{.number = 1,
                                    .name = m.store->text(kEvil),
                                    .creation_known = true,
                                    .created_at = m.store->copy<StackFrame>(frames)}};
  Finding finding;
  finding.sides = m.store->copy<Side>(sides);
  finding.threads = m.store->copy<FindingThread>(threads);
  finding.memory = {.kind = Memory::kGlobal, .name = m.store->text(kEvil)};
  Merge merge(m.store);
  merge.add_run({.id = m.store->text("id" + kEvil), .program = m.store->text(kEvil), .label = m.store->text(kEvil)});
  merge.add(finding, "id" + kEvil, 1);
  ReportModel model = merge.finish();
  model.notes.push_back(kEvil);
  model.unused_suppressions.push_back(kEvil);
  return model;
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
  });
}

TEST(Formats, HostileNamesDoNoHarm) {
  const ReportModel model = hostile_model();
  for (const Format& format : formats()) {
    const std::string text = written(format, model);
    EXPECT_FALSE(has_control(text)) << format.name;
    EXPECT_EQ(text.find("<script>alert"), std::string::npos);
    for (size_t at = 0; at < text.size();) {
      const size_t length = utf8_length(std::string_view(text).substr(at));
      ASSERT_NE(length, 0u) << format.name << " is not UTF-8 at " << at;
      at += length;
    }
    const bool is_json = format.name == "json" || format.name == "sarif";
    EXPECT_FALSE(is_json && nlohmann::json::parse(text, nullptr, false).is_discarded()) << format.name;
    // The page has a script of its own.
    EXPECT_FALSE(format.name == "junit" && text.find("<script") != std::string::npos);
    EXPECT_FALSE(format.name == "html" && text.find("<script>\"'") != std::string::npos);
  }
}

TEST(Formats, AReportOfNothingIsWhole) {
  const ReportModel model;
  for (const Format& format : formats()) EXPECT_FALSE(written(format, model).empty()) << format.name;
}

// What text says, every other format says, too.
TEST(Formats, NothingIsLost) {
  Maker m;
  ReportModel model = merged({m.race("put@q.c:3 main@m.c:1", "get@q.c:9 main@m.c:2", m.global("x")),
                              m.race("put@q.c:4 main@m.c:1", "get@q.c:10 main@m.c:2", m.global("x"))},
                             m.store);
  ASSERT_EQ(model.groups.size(), 1u);
  Group gone = model.groups[0];
  gone.title = "a bug of yore";
  gone.history.last_run = "run-0";
  gone.history.state = "gone";
  GroupHistory& history = model.groups[0].history;
  history.first_run = "run-7";
  history.first_label = "v1.2";
  history.runs_seen = 3;
  history.runs_since = 5;
  history.state = "flaky";
  model.has_database = true;
  model.gone.push_back(gone);
  model.suppressed = 17;
  model.hidden_known = 23;
  model.unused_suppressions.push_back("race:idle");
  model.notes.push_back("something is missing");
  for (const Format& format : formats()) {
    const std::string text = written(format, model);
    for (const std::string_view words :
         {"put", "get", "q.c", "x", "flaky", "v1.2", "a bug of yore", "17", "23", "race:idle", "something is missing"})
      EXPECT_NE(text.find(words), std::string::npos) << format.name << " does not say: " << words;
    EXPECT_NE(text.find(model.groups[0].fingerprint), std::string::npos) << format.name;
    EXPECT_NE(text.find("q.c:10"), std::string::npos) << format.name << " has not the other pair of lines";
    for (const RankReason& reason : model.groups[0].reasons)
      EXPECT_TRUE(reason.points == 50 || text.find(reason.why) != std::string::npos)
          << format.name << ": " << reason.why;
  }
}

TEST(Formats, SarifHasTwoThreadFlowsAndStableFingerprints) {
  Maker m;
  const ReportModel model = merged({m.race("put@q.c:3 main@m.c:1", "get@q.c:9 main@m.c:2", m.global("x"))}, m.store);
  const auto sarif = nlohmann::json::parse(written(*find_format("sarif"), model));
  const auto& result = sarif["runs"][0]["results"][0];
  EXPECT_EQ(result["codeFlows"][0]["threadFlows"].size(), 2u);
  EXPECT_EQ(result["partialFingerprints"]["deadheat/v1"], model.groups[0].fingerprint);
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "q.c");
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["region"]["startLine"], 3);
  EXPECT_EQ(result["relatedLocations"].size(), 1u);
  const auto& rule = sarif["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"].get<size_t>()];
  EXPECT_EQ(rule["id"], result["ruleId"]);
}

TEST(Harmless, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(harmless("a\x1b[2Jb\n"), "a\\x1b[2Jb\\x0a");
  EXPECT_EQ(harmless("\xc2\x9b\xff\xc3\xa9"), "\\xc2\\x9b\\xff\xc3\xa9");
  // What turns the direction of the text around it, an end of a line, a character of no width; letters of 3 and 4 bytes.
  EXPECT_EQ(harmless("\xe2\x80\xae \xe2\x80\xa8 \xef\xbb\xbf"), "\\xe2\\x80\\xae \\xe2\\x80\\xa8 \\xef\\xbb\\xbf");
  EXPECT_EQ(harmless("\xe2\x82\xac \xf0\x9f\x90\x8e"), "\xe2\x82\xac \xf0\x9f\x90\x8e");
}

TEST(SourceFiles, LinesAroundAPlace) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.c", "one\ntwo\r\nthree\nfour");
  SourceFiles files;
  const StackFrame frame = {.file = path, .line = 2};
  const SourceExcerpt excerpt = files.around(frame, 0, 1);
  ASSERT_EQ(excerpt.lines.size(), 3u);
  EXPECT_EQ(excerpt.lines[1].text, "two");
  EXPECT_TRUE(excerpt.lines[1].is_place);
  EXPECT_FALSE(excerpt.is_newer);
  EXPECT_TRUE(files.around(frame, 1, 1).is_newer);
  EXPECT_TRUE(files.around({.file = path, .line = 9}, 0).empty());
  EXPECT_TRUE(files.around({.file = "/nowhere/a.c", .line = 1}, 0).empty());
  const std::string location = path + ":4";
  EXPECT_EQ(files.around({.file = location}, 0, 0).lines.at(0).text, "four");
}

}  // namespace
}  // namespace deadheat::test
