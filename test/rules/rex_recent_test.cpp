// ReX with a small table only: what it drops, what ends a context or a history, and that nothing else matches.
#include "filter/rex_recent.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/test_trace.h"

namespace deadheat::test {
namespace {

// Of the accesses of a trace, the numbers of those that are dropped.
std::string dropped(std::string_view text) {
  const TestTrace trace = parse_trace(text);
  Arena arena;
  RexRecent filter(arena);
  std::string numbers;
  for (size_t i = 0; i < trace.events.size(); ++i) {
    const Event& e = trace.events[i];
    if (!is_plain_access(e.kind)) {
      filter.sync(e);
      continue;
    }
    Place place{e.is_range, e.target, e.size, ObjectId{}, VariableInfo::kNotAnElement};
    if (!e.is_range) place.object = static_cast<ObjectId>(trace.object_of(e.target));
    if (filter.is_redundant({e.thread, info(e.kind).access, e.location, i}, place))
      numbers += (numbers.empty() ? "" : " ") + std::to_string(i + 1);
  }
  return numbers;
}

TEST(RexRecent, WhatPublishesOpensAContextAndNothingElseDoes) {
  for (const std::string_view event :
       {"rel(m)", "rrel(m)", "fork(T1)", "benter(b)", "post(s)", "snd(g)", "vw(v)", "st(a,release)", "st(a,seq_cst)",
        "rmw(a,release)", "rmw(a,acq_rel)", "cas(a,acq_rel,ok)", "fence(release)", "fence(seq_cst)"})
    EXPECT_EQ(dropped(fmt::format("T0|w(x)|1 T0|{} T0|w(x)|1", event)), "") << event;
  for (const std::string_view event :
       {"acq(m)", "racq(m)", "join(T1)", "bleave(b)", "swait(s)", "rcv(g)", "vr(v)", "ld(a,seq_cst)", "st(a,relaxed)",
        "rmw(a,acquire)", "cas(a,seq_cst,fail)", "fence(acquire)", "begin", "r(x)|1", "w(y)|1"})
    EXPECT_EQ(dropped(fmt::format("T0|w(x)|1 T0|{} T0|w(x)|1", event)), "3") << event;
  EXPECT_EQ(dropped("T0|w(x)|1 T1|rel(m) T0|w(x)|1"), "3");
}

TEST(RexRecent, ThreadLocationKindAddressAndSizeMatter) {
  for (const std::string_view other : {"T0|r(x)|1", "T0|w(x)|2", "T0|w(y)|1", "T0|w(0x10:4)|1", "T1|w(x)|1"})
    EXPECT_EQ(dropped(fmt::format("T0|w(x)|1 {}", other)), "") << other;
  EXPECT_EQ(dropped("T0|w(0x10:4)|1 T0|w(0x10:8)|1 T0|w(0x14:4)|1 T0|r(0x10:4)|1 T1|w(0x10:4)|1 T0|w(0x10:4)|1"), "6");
  // The first object, and no bytes at 0; askew bytes and many pass.
  EXPECT_EQ(dropped("T0|w(a)|1 T0|w(0x0:1)|1"), "");
  EXPECT_EQ(dropped("T0|w(0x11:4)|1 T0|w(0x11:4)|1 T0|w(0x10:3)|1 T0|w(0x10:3)|1 T0|w(0x80:16)|1 T0|w(0x80:16)|1"), "");
}

TEST(RexRecent, AllocationAndFreeEndHistories) {
  for (const std::string_view event : {"alloc(A,4)", "free(A)"})
    EXPECT_EQ(dropped(fmt::format("T0|w(A[1])|1 T0|w(B[1])|1 T1|{} T0|w(A[1])|1 T0|w(B[1])|1", event)), "5");
  for (const std::string_view block : {"0xff8,16", "0x1004,1", "0x1007,64", "0x0,8192", "0x800,1073741824"})
    EXPECT_EQ(dropped(fmt::format("T0|w(0x1000:8)|1 T0|alloc({}) T0|w(0x1000:8)|1", block)), "") << block;
  EXPECT_EQ(dropped("T0|w(0x1000:8)|1 T0|alloc(0x2000,64) T0|w(0x1000:8)|1"), "3");
  EXPECT_EQ(dropped("T0|w(0x1000:8)|1 T0|alloc(0x1000,64) T0|w(0x1000:8)|1 T0|w(0x1000:8)|1"), "4");
}

// A sweep over more than the table has, twice: what was forgotten passes, and what is found is right.
TEST(RexRecent, ForgetsWhatIsLongAgo) {
  Arena arena;
  RexRecent filter(arena);
  constexpr uint64_t kMany = 100'000;
  const auto drops = [&](uint64_t at) {
    return filter.is_redundant({ThreadId{0}, AccessKind::kWrite, LocationId{1}, 0},
                               {true, 8 * at, 8, ObjectId{}, VariableInfo::kNotAnElement});
  };
  for (uint64_t i = 0; i < kMany; ++i) ASSERT_FALSE(drops(i)) << i;
  uint64_t dropped = 0;
  for (uint64_t i = 0; i < kMany; ++i) dropped += drops(i);
  EXPECT_LT(dropped, kMany / 10);
  for (uint64_t i = 0; i < 100; ++i) drops(i);
  dropped = 0;
  for (uint64_t i = 0; i < 100; ++i) dropped += drops(i);
  EXPECT_GT(dropped, 90u);
}

}  // namespace
}  // namespace deadheat::test
