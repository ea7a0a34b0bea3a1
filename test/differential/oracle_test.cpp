// The test of the test: every rule of order, with the edge there (no race) and with it not there (a race), and what
// counts as an access. Verdicts are written by hand as `place:earlier,earlier-second`; "" is no race.
#include "differential/oracle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "differential/well_formed.h"

namespace deadheat::test {
namespace {

std::string place_name(const TestTrace& trace, const Place& place) {
  return place.is_byte ? fmt::format("{:#x}", place.id) : trace.name(Operand::kVariable, place.id);
}

std::string verdict(const TestTrace& trace) {
  std::string text;
  for (const auto& [place, race] : Oracle(trace).first_races())
    text += fmt::format("{}{}:{}-{}", text.empty() ? "" : " ", place_name(trace, place), fmt::join(race.firsts, ","),
                        race.second);
  return text;
}

struct Case {
  const char* rule;
  const char* trace;
  const char* verdict;
};

const Case kCases[] = {
    // Accesses.
    {"reads do not conflict", "a|r(x) b|r(x)", ""},
    {"a write and a read", "a|w(x) b|r(x)", "x:0-1"},
    {"a read and a write", "a|r(x) b|w(x)", "x:0-1"},
    {"two writes", "a|w(x) b|w(x)", "x:0-1"},
    {"one thread is ordered", "a|w(x) a|r(x) a|w(x)", ""},
    {"different variables", "a|w(x) b|w(y)", ""},
    {"the first race, with everybody it races with", "a|r(x) b|r(x) c|w(x) d|w(x)", "x:0,1-2"},
    {"an ordered access is not among them", "a|r(x) b|r(x) b|fork(c) c|w(x)", "x:0-3"},
    {"elements are variables", "a|w(A[0]) b|w(A[1]) b|w(A[0])", "A[0]:0-2"},
    // Threads.
    {"fork orders what came before", "a|w(x) a|fork(b) b|w(x)", ""},
    {"fork does not order what comes after", "a|fork(b) a|w(x) b|w(x)", "x:1-2"},
    {"join orders what the thread did", "a|fork(b) b|w(x) a|join(b) a|w(x)", ""},
    {"nothing is ordered before a join", "a|fork(b) b|w(x) a|w(x) a|join(b)", "x:1-2"},
    {"join of a thread that did nothing", "a|w(x) a|fork(b) c|join(b) c|w(x)", ""},
    {"begin and end order nothing", "a|w(x) a|end b|begin b|w(x)", "x:0-3"},
    {"a thread that nobody forked", "a|w(x) b|fork(c) c|w(x)", "x:0-2"},
    {"siblings are not ordered", "a|fork(b) a|fork(c) b|w(x) c|w(x)", "x:2-3"},
    {"order is transitive", "a|w(x) a|fork(b) b|fork(c) c|w(x)", ""},
    // Locks.
    {"release to acquire", "a|acq(m) a|w(x) a|rel(m) b|acq(m) b|w(x) b|rel(m)", ""},
    {"another lock", "a|acq(m) a|w(x) a|rel(m) b|acq(n) b|w(x) b|rel(n)", "x:1-4"},
    {"what follows the release", "a|acq(m) a|rel(m) a|w(x) b|acq(m) b|w(x)", "x:2-4"},
    {"a release later than the acquire", "b|acq(m) b|rel(m) a|acq(m) a|w(x) a|rel(m) b|w(x)", "x:3-5"},
    {"release overwrites, and holds what it overwrites", "a|acq(m) a|w(x) a|rel(m) b|acq(m) b|rel(m) c|acq(m) c|w(x)",
     ""},
    {"an inner release publishes nothing", "a|acq(m) a|acq(m) a|rel(m) a|w(x) b|w(x)", "x:3-4"},
    {"only the outermost release counts", "a|acq(m) a|acq(m) a|w(x) a|rel(m) a|rel(m) b|acq(m) b|w(x)", ""},
    {"an inner reader release publishes nothing", "a|racq(m) a|racq(m) a|w(x) a|rrel(m) b|racq(m) b|w(x)", "x:2-5"},
    {"writer to reader", "a|acq(m) a|w(x) a|rel(m) b|racq(m) b|r(x)", ""},
    {"reader to writer", "a|racq(m) a|r(x) a|rrel(m) b|acq(m) b|w(x)", ""},
    {"both readers to the writer", "a|racq(m) b|racq(m) a|r(x) b|r(x) a|rrel(m) b|rrel(m) c|acq(m) c|w(x)", ""},
    {"reader to reader is no edge", "a|racq(m) a|w(x) a|rrel(m) b|racq(m) b|r(x)", "x:1-4"},
    {"a reader section within the writer's is part of it",
     "a|acq(m) a|racq(m) a|w(x) a|rrel(m) a|rrel(m) b|racq(m) b|w(x)", ""},
    {"and its end is not the end", "a|acq(m) a|racq(m) a|rel(m) a|w(x) b|w(x)", "x:3-4"},
    {"a reader's release may be written as a release", "a|racq(m) a|w(x) a|rel(m) b|racq(m) b|w(x)", "x:1-4"},
    {"wait and notify are no edge", "a|w(x) a|notify(c) b|wait(c) b|w(x)", "x:0-3"},
    // Barriers.
    {"seeing the end of a thread orders nothing", "a|w(x) b|gone(a) b|w(x)", "x:0-2"},
    {"a generation", "a|w(x) a|benter(B) b|benter(B) a|bleave(B) b|bleave(B) b|w(x)", ""},
    {"entering takes nothing", "a|w(x) a|benter(B) b|benter(B) b|w(x)", "x:0-3"},
    {"a slow leaver takes only its own generation",
     "a|benter(B) b|benter(B) a|bleave(B) a|w(x) a|benter(B) b|bleave(B) b|w(x)", "x:3-6"},
    {"who enters after the first leave is in the next generation",
     "a|benter(B) a|bleave(B) b|w(x) b|benter(B) b|bleave(B) a|w(x)", "x:2-5"},
    {"a generation ends at its own first leave, not at an earlier one's last",
     "a|benter(B) b|benter(B) a|bleave(B) c|w(x) c|benter(B) b|bleave(B) d|benter(B) d|bleave(B) d|w(x)", ""},
    // Semaphores and messages.
    {"post to wait", "a|w(x) a|post(S) b|swait(S) b|w(x)", ""},
    {"every earlier post", "a|w(x) a|post(S) b|post(S) c|swait(S) d|swait(S) d|w(x)", ""},
    {"a post after the wait", "b|swait(S) a|w(x) a|post(S) b|w(x)", "x:1-3"},
    {"send to receive", "a|w(x) a|snd(M) b|rcv(M) b|w(x)", ""},
    {"both senders", "a|w(x) a|snd(M) b|snd(M) c|rcv(M) c|w(x)", ""},
    {"another message", "a|w(x) a|snd(M) b|rcv(N) b|w(x)", "x:0-3"},
    // Volatiles.
    {"volatile write to read", "a|w(x) a|vw(v) b|vr(v) b|w(x)", ""},
    {"every earlier volatile write", "a|w(x) a|vw(v) b|vw(v) c|vr(v) c|w(x)", ""},
    {"volatile read to write is no edge", "a|w(x) a|vr(v) b|vw(v) b|w(x)", "x:0-3"},
    {"volatile write to write is no edge", "a|w(x) a|vw(v) b|vw(v) b|w(x)", "x:0-3"},
    {"volatile accesses do not race with each other", "a|vw(v) b|vw(v) c|vr(v)", ""},
    {"a plain write with a volatile read", "a|w(v) b|vr(v)", "v:0-1"},
    {"a volatile write with a plain read", "a|vw(v) b|r(v)", "v:0-1"},
    {"a plain read with a volatile read", "a|r(v) b|vr(v)", ""},
    {"the read itself is ordered after the write", "a|w(v) a|vw(v) b|vr(v)", ""},
    // Atomics.
    {"release store to acquire load", "a|w(x) a|st(f,release) b|ld(f,acquire) b|w(x)", ""},
    {"seq_cst and consume", "a|w(x) a|st(f,seq_cst) b|ld(f,consume) b|w(x)", ""},
    {"relaxed store", "a|w(x) a|st(f,relaxed) b|ld(f,acquire) b|w(x)", "x:0-3"},
    {"relaxed load", "a|w(x) a|st(f,release) b|ld(f,relaxed) b|w(x)", "x:0-3"},
    {"a release does not order what follows it", "a|st(f,release) a|w(x) b|ld(f,acquire) b|w(x)", "x:1-3"},
    {"a later release store hides the first", "a|w(x) a|st(f,release) b|st(f,release) c|ld(f,acquire) c|w(x)", "x:0-4"},
    {"a relaxed store of the same thread ends the sequence",
     "a|w(x) a|st(f,release) a|st(f,relaxed) b|ld(f,acquire) b|w(x)", "x:0-4"},
    {"a read-modify-write continues it", "a|w(x) a|st(f,release) b|rmw(f,relaxed) c|ld(f,acquire) c|w(x)", ""},
    {"and adds its own release", "a|st(f,release) b|w(x) b|rmw(f,release) c|ld(f,acquire) c|w(x)", ""},
    {"without release it adds nothing", "a|st(f,release) b|w(x) b|rmw(f,acquire) c|ld(f,acquire) c|w(x)", "x:1-4"},
    {"its acquire part takes", "a|w(x) a|st(f,release) b|rmw(f,acquire) b|w(x)", ""},
    {"its release part does not take", "a|w(x) a|st(f,release) b|rmw(f,release) b|w(x)", "x:0-3"},
    {"compare-exchange that succeeded", "a|w(x) a|cas(f,acq_rel,ok) b|cas(f,acq_rel,ok) b|w(x)", ""},
    {"compare-exchange that failed takes", "a|w(x) a|st(f,release) b|cas(f,acquire,fail) b|w(x)", ""},
    {"and publishes nothing", "a|w(x) a|cas(f,seq_cst,fail) b|ld(f,acquire) b|w(x)", "x:0-3"},
    {"and leaves the sequence alone", "a|w(x) a|st(f,release) b|cas(f,relaxed,fail) c|ld(f,acquire) c|w(x)", ""},
    {"atomics do not race with each other", "a|st(f,relaxed) b|st(f,relaxed) c|rmw(f,relaxed)", ""},
    {"a plain access races with all unordered atomic ones", "a|st(f,relaxed) b|st(f,relaxed) c|r(f)", "f:0,1-2"},
    {"a failed compare-exchange only reads", "a|cas(f,relaxed,fail) b|r(f)", ""},
    {"the load itself is ordered after the release", "a|w(f) a|st(f,release) b|ld(f,acquire) b|w(f)", ""},
    {"volatile and atomic operations on one name keep apart", "a|w(x) a|vw(f) b|ld(f,acquire) b|w(x)", "x:0-3"},
    // Fences.
    {"release fence", "a|w(x) a|fence(release) a|st(f,relaxed) b|ld(f,acquire) b|w(x)", ""},
    {"what follows the fence", "a|fence(release) a|w(x) a|st(f,relaxed) b|ld(f,acquire) b|w(x)", "x:1-4"},
    {"release fence after the store", "a|w(x) a|st(f,relaxed) a|fence(release) b|ld(f,acquire) b|w(x)", "x:0-4"},
    {"acquire fence", "a|w(x) a|st(f,release) b|ld(f,relaxed) b|fence(acquire) b|w(x)", ""},
    {"acquire fence before the load", "a|w(x) a|st(f,release) b|fence(acquire) b|ld(f,relaxed) b|w(x)", "x:0-4"},
    {"both fences", "a|w(x) a|fence(acq_rel) a|rmw(f,relaxed) b|rmw(f,relaxed) b|fence(seq_cst) b|w(x)", ""},
    {"a relaxed fence does nothing", "a|w(x) a|fence(relaxed) a|st(f,relaxed) b|ld(f,acquire) b|w(x)", "x:0-4"},
    {"a fence takes before it releases",
     "a|w(x) a|st(f,release) b|ld(f,relaxed) b|fence(acq_rel) b|st(g,relaxed) c|ld(g,acquire) c|w(x)", ""},
    // Memory.
    {"a fresh block has no history", "a|w(A[0]) b|alloc(A,2) b|w(A[0])", ""},
    {"allocation is no access", "a|alloc(A,2) b|w(A[0])", ""},
    {"of another block it has", "a|w(A[0]) b|alloc(B,2) b|w(A[0])", "A[0]:0-2"},
    {"free is a write of all of it", "a|w(A[0]) a|r(A.f) b|free(A)", "A[0]:0-2 A.f:1-2"},
    {"also of what is accessed later", "a|free(A) b|r(A[3])", "A[3]:0-1"},
    {"the object itself is in it", "a|r(A) b|free(A)", "A:0-1"},
    {"a free that is ordered", "a|w(A[0]) a|fork(b) b|free(A)", ""},
    {"two frees", "a|w(A[0]) a|fork(b) a|free(A) b|free(A)", "A[0]:2-3"},
    {"free orders nothing before the next allocation", "a|w(x) a|free(A) b|alloc(A,1) b|w(x)", "x:0-3"},
    {"a race before and after the allocation", "a|w(A[0]) b|r(A[0]) b|alloc(A,1) a|w(A[0])", "A[0]:0-1"},
    {"free forgets what was released in it", "a|w(x) a|st(A.f,release) a|free(A) b|ld(A.f,acquire) b|w(x)",
     "x:0-4 A.f:2-3"},
    {"allocation too", "a|w(x) a|vw(A.f) a|alloc(A,1) b|vr(A.f) b|w(x)", "x:0-4"},
    // Bytes.
    {"ranges that overlap", "a|w(0x10:4) b|r(0x12:4)", "0x12:0-1 0x13:0-1"},
    {"ranges that touch", "a|w(0x10:4) b|r(0x14:4)", ""},
    {"each byte has its own first race", "a|w(0x10:2) b|r(0x11:1) b|w(0x10:2)", "0x10:0-2 0x11:0-1"},
    {"free of a block of bytes", "a|alloc(0x10,2) a|fork(b) a|w(0x11:2) b|free(0x10)", "0x11:2-3"},
    {"a fresh block of bytes", "a|w(0x10:3) b|alloc(0x10,2) b|w(0x10:3)", "0x12:0-2"},
    {"an atomic object of bytes", "a|w(x) a|st(0x10:4,release) b|ld(0x10:4,acquire) b|w(x)", ""},
};

TEST(Oracle, KnowsEveryRule) {
  for (const Case& c : kCases) {
    const TestTrace trace = parse_trace(c.trace);
    EXPECT_TRUE(is_well_formed(trace)) << c.rule << ": " << c.trace;
    EXPECT_EQ(verdict(trace), c.verdict) << c.rule << ": " << c.trace;
  }
}

// A kind of event that no case uses would be a rule that nobody checked.
TEST(Oracle, HasACaseForEveryKindOfEvent) {
  std::set<EventKind> seen;
  for (const Case& c : kCases)
    for (const Event& event : parse_trace(c.trace).events) seen.insert(event.kind);
  for (const EventKindInfo& kind : kEventKinds)
    EXPECT_TRUE(seen.contains(kind.kind) || kind.kind == EventKind::kNothing) << kind.notation;
}

TEST(Oracle, TellsRacingPairsAndTheirLocations) {
  const TestTrace trace = parse_trace("a|w(x)|p a|fork(b)|q b|r(x)|r c|r(x)|s c|w(x)|p b|w(y)|t");
  const Oracle oracle(trace);
  const Place x{false, 0};
  EXPECT_FALSE(oracle.is_race(x, 0, 2));
  EXPECT_TRUE(oracle.is_race(x, 0, 3));
  EXPECT_FALSE(oracle.is_race(x, 2, 3));
  EXPECT_TRUE(oracle.is_race(x, 2, 4));
  EXPECT_FALSE(oracle.is_race(x, 0, 5));
  const std::set<std::pair<std::string, std::string>> expected = {{"p", "s"}, {"p", "p"}, {"p", "r"}};
  EXPECT_EQ(oracle.location_pairs(), expected);
}

TEST(WellFormed, TurnsAwayWhatCannotHappen) {
  for (const char* trace : {
           "a|rel(m)",
           "a|acq(m) b|acq(m)",
           "a|acq(m) b|rel(m)",
           "a|racq(m) b|acq(m)",
           "a|acq(m) b|racq(m)",
           "a|racq(m) b|rrel(m)",
           "a|racq(m) a|rrel(m) a|rrel(m)",
           "a|acq(m) a|rel(m) a|rel(m)",
           "a|fork(b) a|fork(b)",
           "b|w(x) a|fork(b)",
           "a|fork(a)",
           "a|join(a)",
           "a|join(b) a|join(b)",
           "a|join(b) b|w(x)",
           "a|join(b) a|fork(b)",
           "a|bleave(B)",
           "a|benter(B) a|benter(B)",
           "a|benter(B) b|bleave(B)",
           "a|free(0x10)",
           "a|alloc(0x10,4) b|alloc(0x12,4)",
           "a|ld(f,release)",
           "a|st(f,acquire)",
           "a|cas(f,acq_rel,fail)",
       })
    EXPECT_FALSE(is_well_formed(parse_trace(trace))) << trace;
}

}  // namespace
}  // namespace deadheat::test
