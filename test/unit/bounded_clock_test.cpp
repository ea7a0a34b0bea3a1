// Bounded clocks: maxima like any vector clock, and the older half goes when the limit is passed.
#include "base/bounded_clock.h"

#include <gtest/gtest.h>

namespace deadheat::test {
namespace {

ThreadId thread(uint32_t number) { return static_cast<ThreadId>(number); }

TEST(BoundedClock, TakesTheMaximum) {
  Arena arena;
  BoundedClock a, b;
  a.set(arena, thread(1), 5, 100);
  a.set(arena, thread(3), 2, 100);
  b.set(arena, thread(0), 1, 100);
  b.set(arena, thread(3), 7, 100);
  b.set(arena, thread(4), 9, 100);
  a.merge(arena, b, 100, thread(1));
  EXPECT_EQ(a.size(), 4u);
  EXPECT_EQ(a[thread(0)], 1u);
  EXPECT_EQ(a[thread(1)], 5u);
  EXPECT_EQ(a[thread(2)], 0u);
  EXPECT_EQ(a[thread(3)], 7u);
  EXPECT_EQ(a[thread(4)], 9u);
  b.merge(arena, a, 100, thread(0));
  EXPECT_EQ(b[thread(3)], 7u);
  EXPECT_EQ(b[thread(1)], 5u);
}

TEST(BoundedClock, DropsWhatChangedLongestAgo) {
  Arena arena;
  BoundedClock clock;
  clock.set(arena, thread(0), 1, 8);  // its own entry: the oldest, and kept
  for (uint32_t i = 1; i <= 7; ++i) clock.set(arena, thread(i), i, 8);
  EXPECT_EQ(clock.size(), 8u);
  clock.set(arena, thread(2), 20, 8);  // a change makes an entry young again
  BoundedClock news;
  news.set(arena, thread(9), 90, 8);
  clock.merge(arena, news, 8, thread(0));
  EXPECT_EQ(clock.size(), 4u);
  EXPECT_EQ(clock[thread(0)], 1u);
  EXPECT_EQ(clock[thread(9)], 90u);
  EXPECT_EQ(clock[thread(2)], 20u);
  EXPECT_EQ(clock[thread(7)], 7u);
  for (const uint32_t gone : {1, 3, 4, 5, 6}) EXPECT_EQ(clock[thread(gone)], 0u) << gone;
}

// What a merge does not raise does not become younger by it.
TEST(BoundedClock, KnownEntriesAgeOn) {
  Arena arena;
  BoundedClock clock, same;
  for (uint32_t i = 0; i < 4; ++i) clock.set(arena, thread(i), 5, 4);
  same.set(arena, thread(1), 5, 4);
  same.set(arena, thread(2), 4, 4);
  clock.merge(arena, same, 4, thread(0));
  clock.set(arena, thread(7), 1, 4);
  EXPECT_EQ(clock.size(), 2u);
  EXPECT_EQ(clock[thread(7)], 1u);
  EXPECT_EQ(clock[thread(3)], 5u);
}

TEST(BoundedClock, NeverPassesItsLimit) {
  Arena arena;
  BoundedClock clock;
  for (uint32_t i = 0; i < 3 * BoundedClock::kLimit; ++i) {
    clock.set(arena, thread(i), 1, BoundedClock::kLimit);
    ASSERT_LE(clock.size(), BoundedClock::kLimit);
  }
  EXPECT_EQ(clock[thread(3 * BoundedClock::kLimit - 1)], 1u);
}

}  // namespace
}  // namespace deadheat::test
