#include "record/moved_memory.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <utility>

namespace deadheat::record {
namespace {

// Against a table of names, a byte at a time.
TEST(MovedMemory, EveryByteHasTheNameThatItBrought) {
  constexpr uint64_t kBytes = 96;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    MovedMemory moved;
    std::vector<uint64_t> names(kBytes);
    std::iota(names.begin(), names.end(), 0);
    for (int i = 0; i < 30; ++i) {
      const uint64_t bytes = 1 + random() % 30, from = random() % (kBytes - bytes + 1),
                     to = random() % (kBytes - bytes + 1);
      if (from < to + bytes && to < from + bytes) continue;
      moved.move(from, to, bytes);
      for (uint64_t byte = 0; byte < bytes; ++byte) std::swap(names[from + byte], names[to + byte]);
      for (uint64_t byte = 0; byte < kBytes; ++byte) ASSERT_EQ(moved.name_of(byte), names[byte]) << "seed " << seed;
      uint64_t next = 0;
      moved.each(0, kBytes, [&](uint64_t address, uint64_t size, uint64_t name) {
        ASSERT_EQ(address, next);
        ASSERT_GT(size, 0u);
        for (uint64_t byte = 0; byte < size; ++byte) ASSERT_EQ(name + byte, names[address + byte]);
        next += size;
      });
      ASSERT_EQ(next, kBytes);
    }
  }
}

TEST(MovedMemory, BackAgainLeavesNothing) {
  MovedMemory moved;
  moved.move(0x1000, 0x9000, 0x3000);
  EXPECT_EQ(moved.name_of(0x9010), 0x1010u);
  EXPECT_EQ(moved.name_of(0x1010), 0x9010u);
  moved.move(0x9000, 0x1000, 0x3000);
  EXPECT_TRUE(moved.empty());
}

TEST(MovedMemory, ARangeOfNoBytesIsOnePart) {
  MovedMemory moved;
  moved.move(0x1000, 0x9000, 0x1000);
  unsigned parts = 0;
  moved.each(0x9008, 0, [&](uint64_t, uint64_t bytes, uint64_t name) {
    ++parts;
    EXPECT_EQ(bytes, 0u);
    EXPECT_EQ(name, 0x1008u);
  });
  EXPECT_EQ(parts, 1u);
}

}  // namespace
}  // namespace deadheat::record
