// What the engine does around a detector: blocks and their variables, byte ranges, objects, several jobs.
#include <gtest/gtest.h>

#include <string>

#include "engine/analysis.h"
#include "support/memory_reader.h"
#include "support/test_trace.h"

namespace deadheat::test {
namespace {

// "x:1-2" for a race on x between events 1 and 2, in the order of the report.
std::string races(std::string_view text, AnalysisOptions options = {}, size_t batch_size = 3) {
  const TestTrace trace = parse_trace(text);
  MemoryReader reader(trace, batch_size);
  Losses losses;
  const std::vector<AnalysisResult> results = analyze(reader, std::span(&options, 1), false, losses);
  std::string found;
  for (const Finding& race : results[0].findings.races)
    found += (found.empty() ? "" : " ") + std::string(race.memory.name) + "=" + std::to_string(race.sides[1].event) +
             "-" + std::to_string(race.sides[0].event);
  return found;
}

struct Row {
  std::string_view trace, races;
};

TEST(Engine, Blocks) {
  for (const Row& row : {
           Row{"T0|alloc(A,4) T0|fork(T1) T1|w(A[1]) T0|free(A)", "A[1]=2-3"},
           Row{"T0|alloc(A,4) T0|fork(T1) T1|w(A[1]) T0|join(T1) T0|free(A)", ""},
           Row{"T0|alloc(A,4) T0|fork(T1) T0|free(A) T1|r(A[2])", "A[2]=2-3"},   // never accessed before
           Row{"T0|fork(T1) T0|w(A.f) T0|free(A) T0|alloc(A,1) T1|w(A.f)", ""},  // a fresh block
           Row{"T0|fork(T1) T0|free(A) T0|alloc(A,1) T1|w(A[0])", ""},
           Row{"T0|fork(T1) T0|free(A) T1|free(A) T0|r(A[0])", "A[0]=1-2"},  // a double free
           Row{"T0|fork(T1) T0|w(B[0]) T0|free(A) T1|r(B[0])", "B[0]=1-3"},  // of another object
           Row{"T0|fork(T1) T0|w(x) T0|st(A.f,release) T0|free(A) T0|alloc(A,1) T1|ld(A.f,acquire) T1|r(x)",
               "x=1-6"},  // the clock of an atomic object goes with its memory
       })
    for (const size_t batch : {1, 2, 3, 100}) EXPECT_EQ(races(row.trace, {}, batch), row.races) << row.trace;
}

TEST(Engine, Ranges) {
  for (const Row& row : {
           Row{"T0|fork(T1) T0|w(0x10:8) T1|r(0x14:2)", "0x14:2=1-2"},
           Row{"T0|fork(T1) T0|w(0x10:4) T1|w(0x14:4)", ""},
           Row{"T0|fork(T1) T0|w(0x13:1) T1|w(0x10:8)", "0x13:1=1-2"},
           Row{"T0|fork(T1) T0|w(0x17:2) T1|w(0x10:16)", "0x17:2=1-2"},    // across words
           Row{"T0|fork(T1) T0|w(0xffe:4) T1|w(0xffe:4)", "0xffe:4=1-2"},  // across pages
           Row{"T0|fork(T1) T0|w(0x10:4) T0|w(0x14:4) T1|r(0x10:8)", "0x10:4=1-3 0x14:4=2-3"},
           Row{"T0|fork(T1) T0|w(0x10:8) T1|r(0x12:1) T1|r(0x10:8)", "0x12:1=1-2 0x10:2=1-3 0x13:5=1-3"},
           Row{"T0|alloc(0x1000,64) T0|fork(T1) T0|free(0x1000) T1|r(0x1020:8)", "0x1020:8=2-3"},
           Row{"T0|alloc(0x1000,64) T0|fork(T1) T0|w(0x1000:8) T0|free(0x1000) T0|alloc(0x1000,8) T1|r(0x1000:8)", ""},
           Row{"T0|alloc(0x0,16384) T0|fork(T1) T1|w(0x2004:4) T0|free(0x0)", "0x2004:4=2-3"},
           Row{"T0|alloc(0x0,16384) T0|fork(T1) T0|free(0x0) T1|w(0x1ffe:4)", "0x1ffe:4=2-3"},
       })
    EXPECT_EQ(races(row.trace), row.races) << row.trace;
}

// As in recorded programs, which use the same memory for many things.
TEST(Engine, FreshMemoryMayRaceAgain) {
  AnalysisOptions fresh;
  fresh.fresh_is_new = true;
  const std::string before = "T0|fork(T1) T0|w(0x10:4)|a T1|w(0x10:4)|b ";
  const std::string other_places = " T0|w(0x10:4)|c T1|w(0x10:4)|d", same_places = " T0|w(0x10:4)|a T1|w(0x10:4)|b";
  EXPECT_EQ(races(before + "T0|alloc(0x10,8)" + other_places), "0x10:4=1-2");
  EXPECT_EQ(races(before + "T0|alloc(0x10,8)" + other_places, fresh), "0x10:4=1-2 0x10:4=4-5");
  EXPECT_EQ(races(before + "T0|alloc(0x0,1048576)" + other_places, fresh), "0x10:4=1-2 0x10:4=4-5");
  EXPECT_EQ(races(before + "T0|alloc(0x10,8)" + same_places, fresh), "0x10:4=1-2");
  EXPECT_EQ(races(before + "T0|alloc(0x10,2)" + other_places, fresh), "0x10:4=1-2 0x10:2=4-5");
  EXPECT_EQ(races(before + "T0|alloc(0x18,8)" + other_places, fresh), "0x10:4=1-2");
}

// As recordings say what semaphores and the like do at their address.
TEST(Engine, AtomicsOfNoBytesOrderAndTouchNothing) {
  AnalysisOptions coarse;
  coarse.coarse = true;
  EXPECT_EQ(races("T0|fork(T1) T0|w(x) T0|rmw(0x10:0,release) T1|ld(0x10:0,acquire) T1|r(x)"), "");
  EXPECT_EQ(races("T0|fork(T1) T0|w(x) T0|rmw(0x10:0,release) T1|ld(0x11:0,acquire) T1|r(x)"), "x=1-4");
  EXPECT_EQ(races("T0|fork(T1) T0|w(0x10:4) T1|ld(0x10:0,acquire)"), "");
  EXPECT_EQ(races("T0|alloc(0x100,64) T0|fork(T1) T0|w(0x100:4) T1|ld(0x100:0,acquire)", coarse), "");
}

TEST(Engine, CoarseIsOneVariableForAnObject) {
  AnalysisOptions coarse;
  coarse.coarse = true;
  EXPECT_EQ(races("T0|fork(T1) T0|w(A.f) T1|w(A.g)"), "");
  EXPECT_EQ(races("T0|fork(T1) T0|w(A.f) T1|w(A.g)", coarse), "A=1-2");
  EXPECT_EQ(races("T0|fork(T1) T0|w(A[1]) T1|w(B[1])", coarse), "");
  EXPECT_EQ(races("T0|alloc(0x100,64) T0|fork(T1) T0|w(0x100:4) T1|w(0x120:4)", coarse), "0x100:64=2-3");
  EXPECT_EQ(races("T0|fork(T1) T0|w(0x100:4) T1|w(0x120:4)", coarse), "");  // no block: bytes
}

TEST(Engine, OneRaceForAVariableUnlessAllAreWanted) {
  AnalysisOptions all;
  all.all = true;
  EXPECT_EQ(races("T0|fork(T1) T0|w(x) T1|w(x) T0|w(x) T1|r(x)"), "x=1-2");
  EXPECT_EQ(races("T0|fork(T1) T0|w(x) T1|w(x) T0|w(x) T1|r(x)", all), "x=1-2 x=2-3 x=3-4");
}

TEST(Engine, AnyNumberOfJobsSaysTheSame) {
  std::string trace = "T0|fork(T1)";
  for (int i = 0; i < 5000; ++i) {
    const std::string v = "v" + std::to_string(i);
    trace += " T0|w(" + v + ")" + (i % 3 == 0 ? " T1|w(" + v + ")" : " T0|acq(m) T0|rel(m)");
    trace += " T" + std::to_string(i % 2) + "|w(0x" + std::to_string(i) + "00:16)";
  }
  trace += " T1|w(0x1000:100000)";
  const std::string expected = races(trace, {}, 64);
  EXPECT_GT(expected.size(), 1000u);
  for (const unsigned jobs : {2u, 3u, 8u}) {
    AnalysisOptions options;
    options.jobs = jobs;
    EXPECT_EQ(races(trace, options, 64), expected) << jobs << " jobs";
  }
}

TEST(Engine, UnknownNamesAreRefused) {
  AnalysisOptions options;
  options.detector = "fastrack";
  EXPECT_THROW(races("T0|w(x)", options), std::invalid_argument);
  options.detector = "fasttrack";
  options.filter = "rax";
  EXPECT_THROW(races("T0|w(x)", options), std::invalid_argument);
}

}  // namespace
}  // namespace deadheat::test
