// Interned sets: equal sets share an index, retained ones survive a sweep, and the table stays bounded.
#include "base/interned_sets.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/ids.h"

namespace deadheat::test {
namespace {

enum class SetId : uint32_t {};
using Sets = InternedSets<LockId, SetId>;

std::vector<LockId> locks(std::initializer_list<uint32_t> numbers) {
  std::vector<LockId> made;
  for (const uint32_t number : numbers) made.push_back(static_cast<LockId>(number));
  return made;
}

TEST(InternedSets, EqualSetsHaveOneIndex) {
  Arena arena;
  Sets sets(arena);
  EXPECT_EQ(sets.intern({}), Sets::kEmpty);
  const SetId a = sets.intern(locks({1, 2}));
  const SetId b = sets.intern(locks({1, 3}));
  EXPECT_NE(a, b);
  EXPECT_EQ(sets.intern(locks({1, 2})), a);
  EXPECT_EQ(std::vector(sets[b].begin(), sets[b].end()), locks({1, 3}));
  EXPECT_TRUE(sets[Sets::kEmpty].empty());
  EXPECT_EQ(sets.size(), 2u);
}

TEST(InternedSets, ASweepKeepsWhatIsRetained) {
  Arena arena;
  Sets sets(arena);
  std::vector<SetId> made;
  for (uint32_t i = 0; i < 200; ++i) made.push_back(sets.intern(locks({i, i + 1})));
  for (uint32_t i = 0; i < 200; i += 2) sets.retain(made[i]);
  sets.retain(made[4]);
  sets.release(made[4]);  // still retained once
  sets.release(made[6]);  // no more
  sets.sweep();
  EXPECT_EQ(sets.size(), 99u);
  for (uint32_t i = 0; i < 200; i += 2) {
    if (i != 6) {
      EXPECT_EQ(sets.intern(locks({i, i + 1})), made[i]) << i;
    }
  }
  EXPECT_EQ(sets.size(), 99u);
  sets.intern(locks({6, 7}));
  EXPECT_EQ(sets.size(), 100u);
}

TEST(InternedSets, IndexesAndMemoryAreUsedAgain) {
  Arena arena;
  Sets sets(arena);
  size_t after_first_round = 0;
  for (uint32_t round = 0; round < 50; ++round) {
    for (uint32_t i = 0; i < 2 * Sets::kFewSets; ++i) {
      if (sets.is_sweep_due()) sets.sweep();
      EXPECT_LE(index(sets.intern(locks({round, 1000 + i}))), Sets::kFewSets);
    }
    if (round == 0) after_first_round = arena.bytes_in_use();
  }
  EXPECT_EQ(arena.bytes_in_use(), after_first_round);
}

}  // namespace
}  // namespace deadheat::test
