// ReX: the paper's figures with their tries step by step, what starts a new context, what ends a history, and the
// traces that the unsound variants lose.
#include "filter/rex.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/test_trace.h"

// Options are given by name; the others keep their defaults.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace deadheat::test {
namespace {

class RexSteps {
 public:
  explicit RexSteps(const DetectorOptions& options = {}) : options_(options), filter_(arena_) {
    filter_.configure(options);
  }

  // Runs a trace; of its accesses, the numbers of those that were dropped.
  std::string dropped(std::string_view text) {
    const TestTrace trace = parse_trace(text);
    std::string numbers;
    for (size_t i = 0; i < trace.events.size(); ++i) {
      const Event& e = trace.events[i];
      if (!is_plain_access(e.kind)) {
        filter_.sync(e);
        continue;
      }
      if (drops(trace, i)) numbers += (numbers.empty() ? "" : " ") + std::to_string(i + 1);
    }
    return numbers;
  }
  // Runs a trace step by step. For each access, the node of its location's trie that it comes to, as the path from the
  // root, and the threads in that node afterwards: "12 1<g1 L1>: T0". A path is written down from Definition 5 and
  // must be the same context whenever it comes up, and no other path may be.
  std::vector<std::string> nodes(std::string_view text) {
    const TestTrace trace = parse_trace(text);
    std::map<ThreadId, std::string> published;
    std::map<ThreadId, std::set<std::string>> held;
    std::map<std::string, ContextId> contexts;
    std::map<ContextId, std::string> paths;
    std::vector<std::string> lines;
    for (size_t i = 0; i < trace.events.size(); ++i) {
      const Event& e = trace.events[i];
      if (is_plain_access(e.kind)) {
        std::string path = options_.rex_third_thread ? "" : trace.thread_name(e.thread) + ":";
        path += published[e.thread];
        for (const std::string& lock : held[e.thread]) path += " " + lock;
        const ContextId context = filter_.context(e.thread);
        EXPECT_EQ(contexts.emplace(path, context).first->second, context) << i + 1;
        EXPECT_EQ(paths.emplace(context, path).first->second, path) << i + 1;
        const bool dropped = drops(trace, i);
        lines.push_back(fmt::format("{} {}<{}>: {}{}", i + 1, trace.location_name(e.location), path, stack(i + 1),
                                    dropped ? " dropped" : ""));
        continue;
      }
      filter_.sync(e);
      if (e.kind == EventKind::kFork) published[e.thread] += " g" + std::to_string(e.target);
      if (e.kind != EventKind::kAcquire && e.kind != EventKind::kRelease) continue;
      const std::string& lock = trace.name(Operand::kLock, e.target);
      if (!options_.rex_lockset) {
        if (e.kind == EventKind::kRelease) published[e.thread] += " " + lock;
      } else if (e.kind == EventKind::kAcquire) {
        held[e.thread].insert(lock);
      } else {
        held[e.thread].erase(lock);
      }
    }
    return lines;
  }
  // The threads in the node that access `number` (counted from 1, as the paper does) came to, the earliest first.
  std::string stack(size_t number) {
    for (const Seen& seen : accesses_)
      if (seen.number + 1 == number) {
        const Rex::Stack stack = filter_.history(seen.access, seen.place, seen.context);
        std::string text;
        for (const uint32_t thread : {stack.threads[1], stack.threads[0]})
          if (thread != 0) text += fmt::format("{}T{}", text.empty() ? "" : " ", thread - 1);
        return text;
      }
    return "no such access";
  }
  ContextId context(size_t number) {
    for (const Seen& seen : accesses_)
      if (seen.number + 1 == number) return seen.context;
    throw std::out_of_range("no such access");
  }
  Rex& filter() { return filter_; }
  Arena& arena() { return arena_; }

 private:
  struct Seen {
    size_t number;
    ContextId context;
    Access access;
    Place place;
  };
  bool drops(const TestTrace& trace, size_t i) {
    const Event& e = trace.events[i];
    const Access a{e.thread, info(e.kind).access, e.location, i};
    Place place{e.is_range, e.target, e.size, ObjectId{}, VariableInfo::kNotAnElement};
    if (!e.is_range) place.object = static_cast<ObjectId>(trace.object_of(e.target));
    accesses_.push_back({i, filter_.context(e.thread), a, place});
    return filter_.is_redundant(a, place);
  }

  DetectorOptions options_;
  Arena arena_;
  Rex filter_;
  std::vector<Seen> accesses_;
};

// ---- Figures ------------------------------------------------------------------------------------------------------

// T0 reads x ten times from 1, then writes it ten times from 2 under A; T1 to T5 write it from 3 under A, T6 to T10
// without.
std::string figure3() {
  std::string text;
  for (int i = 1; i <= 10; ++i) text += "T0|r(x)|1 ";
  for (int i = 1; i <= 10; ++i) text += "T0|acq(A)|0 T0|w(x)|2 T0|rel(A)|0 ";
  for (int i = 1; i <= 10; ++i)
    text += i <= 5 ? fmt::format("T{0}|acq(A)|0 T{0}|w(x)|3 T{0}|rel(A)|0 ", i) : fmt::format("T{}|w(x)|3 ", i);
  return text;
}

TEST(RexFigures, Figure3) {
  // Every release opens a context, so only the reads repeat something.
  EXPECT_EQ(RexSteps().dropped(figure3()), "2 3 4 5 6 7 8 9 10");
  // The published rule drops all writes from 3 but those of T1 and T2: none of these threads has released anything yet.
  RexSteps published({.rex_third_thread = true});
  EXPECT_EQ(published.dropped(figure3()), "2 3 4 5 6 7 8 9 10 48 51 54 56 57 58 59 60");
  EXPECT_EQ(published.stack(42), "T1 T2");
  // Locks alone: T0's writes from 2 are one, and so are those from 3 with, and those without, the lock.
  RexSteps locksets({.rex_lockset = true, .rex_third_thread = true});
  EXPECT_EQ(locksets.dropped(figure3()), "2 3 4 5 6 7 8 9 10 15 18 21 24 27 30 33 36 39 48 51 54 58 59 60");
  EXPECT_EQ(locksets.stack(42), "T1 T2");
  EXPECT_EQ(locksets.stack(56), "T6 T7");
}

// The trace of Figure 4b, with the garbled names set right: e9 to e11 use L2, e13 to e15 L3, e21 to e25 are T2's.
constexpr std::string_view kFigure4 =
    "T0|fork(T1) T0|fork(T2) T0|fork(T3) "
    "T0|r(x)|1 T0|acq(L1) T0|w(x)|2 T0|rel(L1) T0|r(x)|1 T0|acq(L2) T0|w(x)|2 T0|rel(L2) "
    "T0|r(x)|1 T0|acq(L3) T0|w(x)|2 T0|rel(L3) "
    "T1|begin T1|w(x)|3 T1|acq(L1) T1|w(x)|4 T1|rel(L1) "
    "T2|begin T2|w(x)|3 T2|acq(L2) T2|w(x)|4 T2|rel(L2) "
    "T3|begin T3|w(x)|3 T3|acq(L3) T3|w(x)|4 T3|rel(L3)";

TEST(RexFigures, Figure4WithTheSameThreadRule) {
  RexSteps steps;
  EXPECT_EQ(steps.dropped(kFigure4), "");
  for (const size_t e : {12, 14}) EXPECT_EQ(steps.stack(e), "T0") << e;
  for (const size_t e : {4, 6, 8, 10}) EXPECT_EQ(steps.stack(e), "") << e;  // contexts that T0 has left
  EXPECT_EQ(steps.stack(17), "T1");
  EXPECT_EQ(steps.stack(22), "T2");
  EXPECT_EQ(steps.stack(27), "T3");
  EXPECT_EQ(steps.context(4), steps.context(6));  // an acquire opens no context
  EXPECT_NE(steps.context(6), steps.context(8));  // a release does
}

// Figure 5. Location 4 is not as the text has it ("a different stack" for each lock): Algorithm 1 appends a lock when
// it is released, so T1, T2 and T3 are still in the empty context there.
TEST(RexFigures, Figure5WithTheThirdThreadRule) {
  RexSteps steps({.rex_third_thread = true});
  EXPECT_EQ(steps.dropped(kFigure4), "27 29");
  // Locations 1 and 2: g1 g2 g3, then L1 below it, then L2 below that.
  for (const size_t e : {4, 6, 8, 10, 12, 14}) EXPECT_EQ(steps.stack(e), "T0") << e;
  EXPECT_EQ(steps.context(4), steps.context(6));
  EXPECT_EQ(steps.context(8), steps.context(10));
  EXPECT_EQ(steps.context(12), steps.context(14));
  EXPECT_NE(steps.context(4), steps.context(8));
  EXPECT_NE(steps.context(8), steps.context(12));
  // Locations 3 and 4: the root.
  EXPECT_EQ(steps.context(17), steps.context(22));
  EXPECT_EQ(steps.stack(17), "T1 T2");
  EXPECT_EQ(steps.stack(19), "T1 T2");
}

TEST(RexFigures, Figure6WithLocksets) {
  RexSteps steps({.rex_lockset = true, .rex_third_thread = true});
  EXPECT_EQ(steps.dropped(kFigure4), "8 12 27");
  EXPECT_EQ(steps.context(4), steps.context(8));   // location 1: g1 g2 g3, no lock
  EXPECT_NE(steps.context(6), steps.context(10));  // location 2: g1 g2 g3 and one lock each
  EXPECT_EQ(steps.stack(17), "T1 T2");             // location 3: no lock
  EXPECT_EQ(steps.stack(19), "T1");                // location 4: one lock each
  EXPECT_EQ(steps.stack(24), "T2");
  EXPECT_EQ(steps.stack(29), "T3");
}

// Figure 7 is a picture; this is what its text says: the first write from 2 happens before the one from 3, the second
// does not, and locksets cannot tell the two apart.
TEST(RexFigures, Figure7LocksetsLoseARace) {
  constexpr std::string_view kTrace = "T1|w(x)|2 T1|acq(L) T1|rel(L) T1|w(x)|2 T2|acq(L) T2|rel(L) T2|w(x)|3";
  EXPECT_EQ(RexSteps({.rex_lockset = true}).dropped(kTrace), "4");
  EXPECT_EQ(RexSteps().dropped(kTrace), "");
}

// The tries of Figures 3, 4 and 7, node by node, in the order of the trace.
using Nodes = std::vector<std::string>;

TEST(RexFigures, Figure3NodeByNode) {
  // The loops of the figure: ten reads from 1, ten writes from 2 each with one more release of A behind it, then a
  // write from 3 by each of ten threads that have published nothing, five of them with A.
  Nodes same_thread, third_thread, locksets;
  std::string published;
  for (int e = 1; e <= 10; ++e) {
    const char* dropped = e > 1 ? " dropped" : "";
    same_thread.push_back(fmt::format("{} 1<T0:>: T0{}", e, dropped));
    third_thread.push_back(fmt::format("{} 1<>: T0{}", e, dropped));
    locksets.push_back(fmt::format("{} 1<>: T0{}", e, dropped));
  }
  for (int e = 12; e <= 39; e += 3, published += " A") {
    same_thread.push_back(fmt::format("{} 2<T0:{}>: T0", e, published));
    third_thread.push_back(fmt::format("{} 2<{}>: T0", e, published));
    locksets.push_back(fmt::format("{} 2< A>: T0{}", e, e > 12 ? " dropped" : ""));
  }
  for (int t = 1; t <= 10; ++t) {
    const int e = t <= 5 ? 39 + 3 * t : 50 + t;
    same_thread.push_back(fmt::format("{0} 3<T{1}:>: T{1}", e, t));
    third_thread.push_back(fmt::format("{} 3<>: T1{}", e, t == 1 ? "" : t == 2 ? " T2" : " T2 dropped"));
    const int first = t <= 5 ? 1 : 6;
    const std::string more = t == first ? "" : fmt::format(" T{}{}", first + 1, t == first + 1 ? "" : " dropped");
    locksets.push_back(fmt::format("{} 3<{}>: T{}{}", e, t <= 5 ? " A" : "", first, more));
  }
  EXPECT_EQ(RexSteps().nodes(figure3()), same_thread);
  EXPECT_EQ(RexSteps({.rex_third_thread = true}).nodes(figure3()), third_thread);
  EXPECT_EQ(RexSteps({.rex_lockset = true, .rex_third_thread = true}).nodes(figure3()), locksets);
}

TEST(RexFigures, Figure4NodeByNode) {
  EXPECT_EQ(
      RexSteps().nodes(kFigure4),
      (Nodes{"4 1<T0: g1 g2 g3>: T0", "6 2<T0: g1 g2 g3>: T0", "8 1<T0: g1 g2 g3 L1>: T0", "10 2<T0: g1 g2 g3 L1>: T0",
             "12 1<T0: g1 g2 g3 L1 L2>: T0", "14 2<T0: g1 g2 g3 L1 L2>: T0", "17 3<T1:>: T1", "19 4<T1:>: T1",
             "22 3<T2:>: T2", "24 4<T2:>: T2", "27 3<T3:>: T3", "29 4<T3:>: T3"}));
  EXPECT_EQ(RexSteps({.rex_third_thread = true}).nodes(kFigure4),
            (Nodes{"4 1< g1 g2 g3>: T0", "6 2< g1 g2 g3>: T0", "8 1< g1 g2 g3 L1>: T0", "10 2< g1 g2 g3 L1>: T0",
                   "12 1< g1 g2 g3 L1 L2>: T0", "14 2< g1 g2 g3 L1 L2>: T0", "17 3<>: T1", "19 4<>: T1",
                   "22 3<>: T1 T2", "24 4<>: T1 T2", "27 3<>: T1 T2 dropped", "29 4<>: T1 T2 dropped"}));
  EXPECT_EQ(RexSteps({.rex_lockset = true, .rex_third_thread = true}).nodes(kFigure4),
            (Nodes{"4 1< g1 g2 g3>: T0", "6 2< g1 g2 g3 L1>: T0", "8 1< g1 g2 g3>: T0 dropped",
                   "10 2< g1 g2 g3 L2>: T0", "12 1< g1 g2 g3>: T0 dropped", "14 2< g1 g2 g3 L3>: T0", "17 3<>: T1",
                   "19 4< L1>: T1", "22 3<>: T1 T2", "24 4< L2>: T2", "27 3<>: T1 T2 dropped", "29 4< L3>: T3"}));
}

TEST(RexFigures, Figure7NodeByNode) {
  constexpr std::string_view kTrace = "T0|begin T1|w(x)|2 T1|acq(L) T1|rel(L) T1|w(x)|2 T2|acq(L) T2|rel(L) T2|w(x)|3";
  EXPECT_EQ(RexSteps().nodes(kTrace), (Nodes{"2 2<T1:>: T1", "5 2<T1: L>: T1", "8 3<T2: L>: T2"}));
  EXPECT_EQ(RexSteps({.rex_third_thread = true}).nodes(kTrace), (Nodes{"2 2<>: T1", "5 2< L>: T1", "8 3< L>: T2"}));
  EXPECT_EQ(RexSteps({.rex_lockset = true}).nodes(kTrace),
            (Nodes{"2 2<T1:>: T1", "5 2<T1:>: T1 dropped", "8 3<T2:>: T2"}));
}

// Why the third-thread rule is off: T1 and T2 race, and T2's write is what it drops.
TEST(RexFigures, TheThirdThreadRuleLosesARace) {
  constexpr std::string_view kTrace = "T0|acq(m) T0|w(x)|1 T0|rel(m) T1|acq(m) T1|w(x)|1 T2|w(x)|1";
  EXPECT_EQ(RexSteps({.rex_third_thread = true}).dropped(kTrace), "6");
  EXPECT_EQ(RexSteps().dropped(kTrace), "");
}

// ---- Contexts -----------------------------------------------------------------------------------------------------

TEST(RexContexts, WhateverPublishesOpensOne) {
  for (const std::string_view event :
       {"rel(m)", "rrel(m)", "fork(T1)", "benter(b)", "post(s)", "snd(g)", "vw(v)", "st(a,release)", "st(a,seq_cst)",
        "rmw(a,release)", "rmw(a,acq_rel)", "cas(a,acq_rel,ok)", "fence(release)", "fence(seq_cst)"})
    for (const bool third : {false, true})
      EXPECT_EQ(RexSteps({.rex_third_thread = third}).dropped(fmt::format("T0|w(x)|1 T0|{} T0|w(x)|1", event)), "")
          << event;
}

TEST(RexContexts, NothingElseDoes) {
  for (const std::string_view event :
       {"acq(m)", "racq(m)", "join(T1)", "bleave(b)", "swait(s)", "rcv(g)", "vr(v)", "ld(a,seq_cst)", "st(a,relaxed)",
        "rmw(a,acquire)", "cas(a,seq_cst,fail)", "fence(acquire)", "begin", "r(x)|1", "w(y)|1"})
    EXPECT_EQ(RexSteps().dropped(fmt::format("T0|w(x)|1 T0|{} T0|w(x)|1", event)), "3") << event;
}

TEST(RexContexts, AnotherThreadsPublicationDoesNot) {
  EXPECT_EQ(RexSteps().dropped("T0|w(x)|1 T1|rel(m) T0|w(x)|1"), "3");
}

TEST(RexContexts, LocationKindAddressAndSizeMatter) {
  for (const bool third : {false, true}) {
    const DetectorOptions options{.rex_third_thread = third};
    for (const std::string_view other : {"r(x)|1", "w(x)|2", "w(y)|1", "w(0x10:4)|1"})
      EXPECT_EQ(RexSteps(options).dropped(fmt::format("T0|w(x)|1 T0|{}", other)), "") << other;
    EXPECT_EQ(RexSteps(options).dropped("T0|w(0x10:4)|1 T0|w(0x10:8)|1 T0|w(0x14:4)|1 T0|r(0x10:4)|1 T0|w(0x10:4)|1"),
              "5");
  }
}

// Eight neighbours have a line of the history together: each is one of its own there, and what lies askew, or has
// another size, is in none of them.
TEST(RexContexts, NeighboursAreToldApart) {
  std::string sweep;
  for (int i = 0; i < 64; ++i) sweep += fmt::format("T0|w({:#x}:4)|1 ", 0x1000 + 4 * i);
  EXPECT_EQ(RexSteps().dropped(sweep), "");
  std::string again;
  for (int i = 65; i <= 128; ++i) again += fmt::format("{}{}", i == 65 ? "" : " ", i);
  EXPECT_EQ(RexSteps().dropped(sweep + sweep), again);
  EXPECT_EQ(RexSteps().dropped("T0|w(0x10:4)|1 T0|w(0x11:4)|1 T0|w(0x10:3)|1 T0|w(0x2:4)|1 T0|w(0x80:16)|1 "
                               "T0|w(0x8:4)|1 T0|w(0x11:4)|1 T0|w(0x10:3)|1 T0|w(0x2:4)|1 T0|w(0x80:16)|1"),
            "7 8 9 10");
  EXPECT_EQ(RexSteps().dropped("T0|w(0x2:4)|1 T0|w(0x40:4)|1"), "");
  EXPECT_EQ(RexSteps().dropped("T0|w(0x10:4)|1 T0|w(0x20:8)|1"), "");  // both are the fifth of their size
  // The fifth object, and four bytes at 0x10: both are number 4 of their kind.
  EXPECT_EQ(RexSteps().dropped("T0|w(a)|1 T0|w(b)|1 T0|w(c)|1 T0|w(d)|1 T0|w(e)|1 T0|w(0x10:4)|1"), "");
  EXPECT_EQ(RexSteps().dropped("T0|w(0x10:4)|1 T1|w(0x10:4)|1 T1|w(0x10:4)|1 T0|w(0x10:4)|1"), "3 4");
}

// What was found last from a place in the code is not taken for what is there now.
TEST(RexContexts, APlaceInTheCodeMayComeElsewhere) {
  EXPECT_EQ(
      RexSteps().dropped("T0|w(0x10:4)|1 T0|w(0x1010:4)|1 T0|w(0x10:4)|1 T0|rel(m) T0|w(0x10:4)|1 T0|w(0x14:4)|1"),
      "3");
}

TEST(RexContexts, AReentrantLockIsHeldUntilItsLastRelease) {
  RexSteps steps({.rex_lockset = true});
  EXPECT_EQ(steps.dropped("T0|acq(m) T0|w(x)|1 T0|acq(m) T0|w(x)|1 T0|rel(m) T0|w(x)|1 T0|rel(m) T0|w(x)|1 T0|w(x)|1"),
            "4 6 9");
}

TEST(RexContexts, ASetOfLocksIsOneInWhateverOrderTheyWereTaken) {
  constexpr std::string_view kTrace =
      "T0|acq(a) T0|acq(b) T0|w(x)|1 T0|rel(b) T0|rel(a) T0|acq(b) T0|acq(a) T0|w(x)|1 T0|rel(a) T0|w(x)|1";
  EXPECT_EQ(RexSteps({.rex_lockset = true}).dropped(kTrace), "8");
}

TEST(RexContexts, TheModeOfALockMatters) {
  constexpr std::string_view kTrace =
      "T0|acq(m) T0|r(x)|1 T0|rel(m) T0|racq(m) T0|r(x)|1 T0|r(x)|1 T0|rrel(m) T0|r(x)|1";
  EXPECT_EQ(RexSteps({.rex_lockset = true}).dropped(kTrace), "6");
}

// ---- Histories ----------------------------------------------------------------------------------------------------

TEST(RexHistories, AllocationAndFreeEndThem) {
  for (const bool third : {false, true}) {
    const DetectorOptions options{.rex_third_thread = third};
    const auto dropped = [&](const std::string& text) { return RexSteps(options).dropped(text); };
    for (const std::string_view event : {"alloc(A,4)", "free(A)"})
      EXPECT_EQ(dropped(fmt::format("T0|w(A[1])|1 T0|w(B[1])|1 T1|{} T0|w(A[1])|1 T0|w(B[1])|1", event)), "5");
    // A block that begins or ends within the access, one that fills a page, and one that lies elsewhere.
    for (const std::string_view block : {"0xff8,16", "0x1004,1", "0x1007,64", "0x0,8192", "0x800,1073741824"})
      EXPECT_EQ(dropped(fmt::format("T0|w(0x1000:8)|1 T0|alloc({}) T0|w(0x1000:8)|1", block)), "") << block;
    EXPECT_EQ(dropped("T0|w(0x1000:8)|1 T0|alloc(0x2000,64) T0|w(0x1000:8)|1"), "3");
    EXPECT_EQ(dropped("T0|w(0x103c:8)|1 T0|alloc(0x1040,8) T0|w(0x103c:8)|1"), "");  // over two lines
  }
}

// A context that its thread has left makes room; one that its thread is in stays.
TEST(RexHistories, WhatCanStillMatchIsKept) {
  std::string text, hot;
  for (int i = 0; i < 400; ++i) hot += fmt::format("T0|w(x{})|1 ", i);
  for (int i = 0; i < 5000; ++i) text += fmt::format("T1|w(y{})|{} T1|rel(m)|0 ", i % 100, i + 2);
  RexSteps steps;
  EXPECT_EQ(steps.dropped(hot + text), "");
  EXPECT_LE(steps.filter().history_size(), 1024u);
  size_t dropped = 0;
  for (const char c : steps.dropped(hot)) dropped += c == ' ';
  EXPECT_EQ(dropped + 1, 400u);
}

// One context and ever new variables.
TEST(RexHistories, AContextThatNeverEndsIsBoundedToo) {
  Arena arena;
  Rex filter(arena);
  filter.configure({.rex_limit = 4096});
  for (uint64_t i = 0; i < 100'000; ++i) {
    const Place place{false, i, 0, ObjectId{}, VariableInfo::kNotAnElement};
    ASSERT_FALSE(filter.is_redundant({ThreadId{0}, AccessKind::kWrite, LocationId{1}, i}, place));
    ASSERT_LE(filter.history_size(), 4096u);
  }
}

// Contexts are numbered anew when the trie is full: nothing of the old numbers may be left in the history.
TEST(RexHistories, AfterStartingAgainNothingMatches) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += fmt::format("T0|rel(m{})|0 T0|w(x)|1 ", i);
  EXPECT_EQ(RexSteps({.rex_third_thread = true, .rex_limit = 16}).dropped(text), "");
}

// Many contexts and many addresses: what is forgotten only lets accesses pass.
TEST(RexHistories, MemoryIsBounded) {
  for (const bool lockset : {false, true})
    for (const bool third : {false, true}) {
      Arena arena;
      Rex filter(arena);
      filter.configure({.rex_lockset = lockset, .rex_third_thread = third, .rex_limit = 4096});
      Event event;
      size_t early = 0;
      for (uint64_t i = 0; i < 400'000; ++i) {
        event.kind = i % 3 == 0 ? EventKind::kSend : i % 3 == 1 ? EventKind::kAcquire : EventKind::kRelease;
        event.thread = static_cast<ThreadId>(i / 3 % 5);
        event.target = i / 3 % 11;
        filter.sync(event);
        const Access a{event.thread, AccessKind::kWrite, LocationId{1}, i};
        const Place place{false, i * 7919 % 100'000, 0, ObjectId{}, VariableInfo::kNotAnElement};
        ASSERT_FALSE(filter.is_redundant(a, place) && i < 300);  // all of the first are new
        ASSERT_TRUE(filter.is_redundant(a, place)) << i;
        if (i == 100'000) early = arena.bytes_in_use();
      }
      EXPECT_LE(arena.bytes_in_use(), early + 4096) << lockset << third;
    }
}

}  // namespace
}  // namespace deadheat::test
