// The run time's own heap: blocks do not overlap, keep what is in them, and are used again.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "live/ground/heap.h"
#include "live/ground/inside.h"

namespace deadheat::live {
namespace {

struct Block {
  unsigned char* at;
  size_t bytes;
  unsigned char filled;
};

bool holds(const Block& block) {
  for (size_t i = 0; i < block.bytes; ++i)
    if (block.at[i] != block.filled) return false;
  return true;
}

TEST(LiveHeap, BlocksAreApart) {
  const Inside inside;
  std::mt19937_64 random(1);
  std::map<uintptr_t, Block> blocks;
  for (int i = 0; i < 20'000; ++i) {
    if (blocks.size() > 400 || (!blocks.empty() && random() % 3 == 0)) {
      auto it = blocks.lower_bound(random() % 2 == 0 ? random() : blocks.begin()->first);
      if (it == blocks.end()) it = blocks.begin();
      ASSERT_TRUE(holds(it->second));
      heap_free(it->second.at, it->second.bytes);
      blocks.erase(it);
      continue;
    }
    const size_t most = random() % 50 == 0 ? 200'000 : random() % 5 == 0 ? 5'000 : 200;
    const Block block{nullptr, 1 + random() % most, static_cast<unsigned char>(random())};
    Block made = block;
    made.at = static_cast<unsigned char*>(heap_allocate(block.bytes));
    const uintptr_t begin = reinterpret_cast<uintptr_t>(made.at);
    ASSERT_EQ(begin % 16, 0u);
    const auto after = blocks.lower_bound(begin);
    if (after != blocks.end()) {
      ASSERT_LE(begin + made.bytes, after->first);
    }
    if (after != blocks.begin()) {
      ASSERT_LE(std::prev(after)->first + std::prev(after)->second.bytes, begin);
    }
    std::memset(made.at, made.filled, made.bytes);
    blocks.emplace(begin, made);
  }
  for (const auto& [begin, block] : blocks) {
    EXPECT_TRUE(holds(block));
    heap_free(block.at, block.bytes);
  }
}

TEST(LiveHeap, UsesFreedBlocksAgain) {
  const Inside inside;
  std::vector<void*> blocks;
  for (const size_t bytes : {size_t{1}, size_t{24}, size_t{100}, size_t{5'000}, size_t{100'000}}) {
    for (int i = 0; i < 20; ++i) blocks.push_back(heap_allocate(bytes));
    const size_t mapped = heap_bytes_mapped();
    for (int round = 0; round < 50; ++round) {
      for (void* block : blocks) heap_free(block, bytes);
      for (void*& block : blocks) block = heap_allocate(bytes);
    }
    EXPECT_EQ(heap_bytes_mapped(), mapped);
    for (void* block : blocks) heap_free(block, bytes);
    blocks.clear();
  }
}

}  // namespace
}  // namespace deadheat::live
