// Heap blocks by address, against a map.
#include "detect/block_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace deadheat::test {
namespace {

TEST(BlockTable, FindsTheBlockAroundAnAddress) {
  Arena arena;
  BlockTable<uint64_t> table(arena);
  std::map<uint64_t, uint64_t> model;  // address -> bytes
  std::mt19937_64 random(3);
  for (uint64_t step = 1; step < 3000; ++step) {
    const uint64_t address = random() % 40000;
    const uint64_t bytes = step % 50 == 0 ? random() % 20000 : random() % 300;
    size_t gone = 0, expected = 0;
    table.add(address, bytes, [&](const auto& block) {
      ++gone;
      EXPECT_TRUE(model.contains(block.address));
    });
    if (bytes > 0) {
      expected = std::erase_if(model, [&](const auto& block) {
        return block.first < address + bytes && address < block.first + block.second;
      });
      model[address] = bytes;
      table.find(address)->value = step;
    }
    ASSERT_EQ(gone, expected) << step;
    for (int probe = 0; probe < 20; ++probe) {
      const uint64_t at = random() % 41000;
      auto around = model.upper_bound(at);
      const bool is_inside = around != model.begin() && at - std::prev(around)->first < std::prev(around)->second;
      const auto* found = table.find(at);
      ASSERT_EQ(found != nullptr, is_inside) << at;
      if (is_inside) {
        ASSERT_EQ(found->address, std::prev(around)->first);
      }
      const uint64_t wanted = random() % (probe % 5 == 0 ? 10000 : 100);
      const auto first = is_inside ? std::prev(around) : around;
      const bool is_there = wanted > 0 && first != model.end() && (is_inside || first->first - at < wanted);
      const auto* first_found = table.first_in(at, wanted);
      ASSERT_EQ(first_found != nullptr, is_there) << at << ' ' << wanted;
      if (is_there) {
        ASSERT_EQ(first_found->address, first->first);
      }
    }
  }
}

}  // namespace
}  // namespace deadheat::test
