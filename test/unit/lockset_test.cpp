// Locksets: set operations against std::set, the modes in which locks are held, bounded tables.
#include "base/lockset.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace deadheat::test {
namespace {

using Model = std::set<LockId>;

Model model(const LocksetTable& table, LocksetId set) { return {table[set].begin(), table[set].end()}; }

TEST(LocksetTable, DoesWhatSetsDo) {
  Arena arena;
  LocksetTable table(arena);
  std::mt19937 random(7);
  std::vector<std::pair<LocksetId, Model>> sets = {{kNoLocks, {}}};
  for (int step = 0; step < 20000; ++step) {
    const auto [a, in_a] = sets[random() % sets.size()];
    const auto [b, in_b] = sets[random() % sets.size()];
    const LockId lock = static_cast<LockId>(random() % 12);
    LocksetId result{};
    Model expected = in_a;
    switch (random() % 3) {
      case 0:
        result = table.with(a, lock);
        expected.insert(lock);
        break;
      case 1:
        result = table.without(a, lock);
        expected.erase(lock);
        break;
      default:
        result = table.intersection(a, b);
        std::erase_if(expected, [&others = in_b](LockId l) { return !others.contains(l); });
    }
    ASSERT_EQ(model(table, result), expected);
    if (sets.size() < 500) sets.emplace_back(result, expected);
  }
}

TEST(HeldLocks, AWriteCountsOnlyLocksHeldAsAWriter) {
  Arena arena;
  LocksetTable table(arena);
  HeldLocks held(arena, table);
  const ThreadId t{3};
  const LockId m{1}, rw{2};
  const auto reads = [&] { return model(table, held.protecting(t, false, false)); };
  const auto writes = [&] { return model(table, held.protecting(t, true, false)); };
  EXPECT_EQ(reads(), Model{});
  held.acquire(t, m);
  held.acquire_as_reader(t, rw);
  EXPECT_EQ(reads(), (Model{m, rw}));
  EXPECT_EQ(writes(), Model{m});
  EXPECT_EQ(model(table, held.protecting(t, true, true)), (Model{m, kAtomicLock}));
  EXPECT_EQ(model(table, held.protecting(ThreadId{0}, false, false)), Model{});
  held.release(t, m);
  EXPECT_EQ(reads(), Model{rw});
  held.release(t, rw);
  held.acquire(t, rw);
  EXPECT_EQ(writes(), Model{rw});
}

// A million different sets pass through the table; only what threads hold stays.
TEST(HeldLocks, TheTableStaysBounded) {
  Arena arena;
  LocksetTable table(arena);
  HeldLocks held(arena, table);
  uint32_t most = 0;
  for (uint32_t i = 0; i < 1000000; ++i) {
    table.sweep_if_due();
    const ThreadId t{i % 4};
    if (i >= 40) held.release(t, static_cast<LockId>(i - 40));
    held.acquire(t, static_cast<LockId>(i));
    most = std::max(most, table.size());
  }
  EXPECT_LE(most, 1100u);
  EXPECT_EQ(table[held.protecting(ThreadId{0}, true, false)].size(), 10u);
}

}  // namespace
}  // namespace deadheat::test
