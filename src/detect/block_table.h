// From an address to the heap block around it, with a value for each block.
//
// Idea     Every page has a list of the blocks that reach into it, by address. A block stays, freed or not, until some
//          of its memory is allocated again.
// Cost     O(log blocks in a page) to find; O(pages of the block) to add.
// Tested by test/unit/block_table_test.cpp
#pragma once

#include <algorithm>

#include "base/table.h"

namespace deadheat {

template <class T>
class BlockTable {
 public:
  struct Block {
    uint64_t address;
    uint64_t bytes;
    T value;

    bool contains(uint64_t at) const { return at - address < bytes; }
  };

  explicit BlockTable(Arena& arena) : arena_(arena) {}

  Block* find(uint64_t address) const {
    const Page* page = pages_.find(address / kPageBytes);
    if (page == nullptr) return nullptr;
    Block* const* after = position(*page, address + 1);
    return after != page->begin() && after[-1]->contains(address) ? after[-1] : nullptr;
  }

  // The first block that has any of these bytes, or null.
  Block* first_in(uint64_t address, uint64_t bytes) const {
    if (bytes == 0) return nullptr;
    for (uint64_t number = address / kPageBytes; number <= (address + bytes - 1) / kPageBytes; ++number) {
      const Page* page = pages_.find(number);
      if (page == nullptr) continue;
      Block* const* after = position(*page, address + 1);
      if (after != page->begin() && after[-1]->contains(address)) return after[-1];
      if (after != page->end() && (*after)->address - address < bytes) return *after;
    }
    return nullptr;
  }

  // A fresh block. Old blocks that it overlaps are removed; `gone(block)` is called for each of them.
  template <class Gone>
  void add(uint64_t address, uint64_t bytes, Gone gone) {
    if (bytes == 0) return;
    for_each_page(address, bytes, [&](uint64_t number) {
      while (Block* old = overlapping(number, address, bytes)) {
        gone(*old);
        for_each_page(old->address, old->bytes, [&](uint64_t n) { unlink(*pages_.find(n), old); });
        arena_.destroy(old);
      }
    });
    Block* block = arena_.make<Block>(Block{address, bytes, T{}});
    for_each_page(address, bytes, [&](uint64_t number) {
      Page& page = pages_.at(arena_, number);
      page.insert(arena_, static_cast<uint32_t>(position(page, address) - page.begin()), block);
    });
  }

 private:
  static constexpr uint64_t kPageBytes = 4096;
  using Page = ArenaVector<Block*>;  // by address

  template <class Visit>
  static void for_each_page(uint64_t address, uint64_t bytes, Visit visit) {
    for (uint64_t number = address / kPageBytes; number <= (address + bytes - 1) / kPageBytes; ++number) visit(number);
  }
  // The first block of the page that does not begin before `address`.
  static Block* const* position(const Page& page, uint64_t address) {
    return std::lower_bound(page.begin(), page.end(), address,
                            [](const Block* block, uint64_t at) { return block->address < at; });
  }
  Block* overlapping(uint64_t number, uint64_t address, uint64_t bytes) const {
    const Page* page = pages_.find(number);
    if (page == nullptr) return nullptr;
    for (Block* block : *page)
      if (block->contains(address) || block->address - address < bytes) return block;
    return nullptr;
  }
  void unlink(Page& page, const Block* block) {
    page.erase(static_cast<uint32_t>(position(page, block->address) - page.begin()));
    if (page.empty()) page.release(arena_);
  }

  Arena& arena_;
  HashTable<Page> pages_;  // by number
};

}  // namespace deadheat
