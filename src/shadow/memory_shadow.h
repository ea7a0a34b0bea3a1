// The shadow of byte ranges: from an address to the states of the bytes there, exactly.
//
// Bytes with the same history share a state. Memory is divided into pages and words of 8 bytes. A word begins with one
// state for all bytes of its first access. It is split into halves, quarters or bytes when an access covers only part
// of a state. A split copies the state, so no history is lost or invented. A page that was only ever touched as a whole
// (a large block was freed) has one state, its background.
//
// `Owner` clones and forgets states: a detector.
#pragma once

#include <algorithm>
#include <bit>

#include "base/prefetch.h"
#include "base/table.h"

namespace deadheat {

template <class Owner>
class MemoryShadow {
 public:
  using Var = typename Owner::Var;
  static constexpr uint64_t kPageBytes = 4096;

  MemoryShadow(Arena& arena, Owner& owner) : arena_(arena), owner_(owner) {}

  // The state of exactly these bytes, if a look at one of the pages that were used lately finds it. Most accesses of a
  // program are like that: an element, as a whole, of a page that was touched before.
  [[gnu::always_inline]] Var* find(uint64_t address, uint64_t size) const {
    const RecentPage& recent = recent_[recent_place(address / kPageBytes)];
    if (recent.number != address / kPageBytes) [[unlikely]]
      return nullptr;
    const Word word = recent.words[address % kPageBytes / 8];
    const uint64_t bytes = uint64_t{8} >> halvings(word);
    if (word == 0 || size != bytes || address % bytes != 0) [[unlikely]]
      return nullptr;
    return states(word) + address % 8 / bytes;
  }

  // The same for two whole words, as an instruction on vectors accesses them: visit(first byte, bytes, state) for both.
  template <class Visit>
  [[gnu::always_inline]] bool visit_two_words(uint64_t address, uint64_t size, Visit visit) const {
    const RecentPage& recent = recent_[recent_place(address / kPageBytes)];
    const uint64_t at = address % kPageBytes;
    if (size != 16 || at % 8 != 0 || at + 16 > kPageBytes || recent.number != address / kPageBytes) return false;
    const Word first = recent.words[at / 8], second = recent.words[at / 8 + 1];
    if (first == 0 || second == 0 || (halvings(first) | halvings(second)) != 0) return false;
    visit(address, 8, *states(first));
    visit(address + 8, 8, *states(second));
    return true;
  }

  // Calls visit(first byte, bytes, state) for every state of [address, address + size). `wanted(page address)` says
  // whether this shadow is responsible for a page.
  template <class Wanted, class Visit>
  void for_each(uint64_t address, uint64_t size, Wanted wanted, Visit visit) {
    for_each_page(address, size, [&](uint64_t page_address, uint64_t low, uint64_t high) {
      if (wanted(page_address))
        visit_page(pages_.at(arena_, page_address / kPageBytes), page_address, low, high, visit);
    });
  }

  // Forgets the history of a range: a fresh block. Pages that were never touched have none.
  void forget(uint64_t address, uint64_t size) {
    for_each_page(address, size, [&](uint64_t page_address, uint64_t low, uint64_t high) {
      if (Page* page = pages_.find(page_address / kPageBytes))
        visit_page(*page, page_address, low, high, [this](uint64_t, uint64_t, Var& x) { owner_.forget(x); });
    });
  }

  // The word first; once it has arrived, its states.
  void prefetch(uint64_t address) const {
    const RecentPage& recent = recent_[recent_place(address / kPageBytes)];
    if (recent.number == address / kPageBytes) deadheat::prefetch(&recent.words[address % kPageBytes / 8]);
  }
  [[gnu::always_inline]] void prefetch_state(uint64_t address, uint64_t size) const {
    const Var* x = find(address, size);
    if (x == nullptr) return;
    deadheat::prefetch(x);
    if constexpr (sizeof(Var) > 16) deadheat::prefetch(reinterpret_cast<const char*>(x + 1) - 1);
  }

 private:
  // The address of a word's states (16-byte aligned) and, in the low bits, how often it was halved: 1, 2, 4 or 8
  // states. 0 for a word that still has the page's background.
  using Word = uint64_t;
  struct Page {
    Word* words;  // null: all of the page is `background`
    Var background;
  };
  // Where the words of a page are, by the hash of its number: pages with words only, and only those that this shadow is
  // responsible for. Words stay where they are as long as the shadow lives.
  static constexpr unsigned kRecentBits = 8;
  struct RecentPage {
    uint64_t number = UINT64_MAX;
    Word* words = nullptr;
  };
  static uint64_t recent_place(uint64_t page) { return page * 0x9E3779B97F4A7C15u >> (64 - kRecentBits); }

  static Var* states(Word word) { return reinterpret_cast<Var*>(word & ~uint64_t{15}); }
  static unsigned halvings(Word word) { return word & 15; }

  // The fewest halvings of a word at which [low, high) is made of whole states.
  static unsigned halvings_for(uint64_t low, uint64_t high) {
    const int zeros = std::countr_zero(low | high | 8);
    return static_cast<unsigned>(3 - zeros);
  }

  // Cuts a range at page borders: part(page address, first byte in the page, end in the page).
  template <class Part>
  static void for_each_page(uint64_t address, uint64_t size, Part part) {
    while (size > 0) {
      const uint64_t page_address = address & ~(kPageBytes - 1);
      const uint64_t low = address - page_address;
      const uint64_t bytes = std::min(size, kPageBytes - low);
      part(page_address, low, low + bytes);
      address += bytes;
      size -= bytes;
    }
  }

  template <class Visit>
  void visit_page(Page& page, uint64_t page_address, uint64_t low, uint64_t high, Visit visit) {
    if (high - low == kPageBytes && page.words == nullptr) {
      visit(page_address, kPageBytes, page.background);
    } else {
      for_each_word(page, page_address, low, high, visit);
    }
  }

  template <class Visit>
  void for_each_word(Page& page, uint64_t page_address, uint64_t low, uint64_t high, Visit visit) {
    if (page.words == nullptr) {
      page.words = static_cast<Word*>(arena_.allocate(kPageBytes / 8 * sizeof(Word)));
      std::memset(page.words, 0, kPageBytes / 8 * sizeof(Word));
    }
    recent_[recent_place(page_address / kPageBytes)] = {page_address / kPageBytes, page.words};
    while (low < high) {
      const uint64_t word_start = low & ~uint64_t{7};
      const uint64_t end = std::min(high, word_start + 8);
      Word& word = page.words[word_start / 8];
      const unsigned needed = halvings_for(low - word_start, end - word_start);
      if (word == 0) {
        word = make(page.background, needed);
      } else if (halvings(word) < needed) {
        split(word, needed);
      }
      const unsigned bytes = 8u >> halvings(word);
      for (uint64_t b = low; b < end; b += bytes)
        visit(page_address + b, bytes, states(word)[(b - word_start) / bytes]);
      low = end;
    }
  }

  Word make(const Var& background, unsigned halved) {
    Var* made = static_cast<Var*>(arena_.allocate(sizeof(Var) << halved));
    for (unsigned i = 0; i < 1u << halved; ++i) new (made + i) Var(owner_.clone(background));
    return reinterpret_cast<Word>(made) | halved;
  }
  void split(Word& word, unsigned needed) {
    const unsigned before = halvings(word);
    Var* old = states(word);
    Var* made = static_cast<Var*>(arena_.allocate(sizeof(Var) << needed));
    const unsigned copies = 1u << (needed - before);
    for (unsigned i = 0; i < 1u << needed; ++i) {
      const bool is_first = i % copies == 0;
      new (made + i) Var(is_first ? old[i / copies] : owner_.clone(old[i / copies]));
    }
    arena_.free(old, sizeof(Var) << before);
    word = reinterpret_cast<Word>(made) | needed;
  }

  Arena& arena_;
  Owner& owner_;
  HashTable<Page> pages_;  // by page number
  RecentPage recent_[1 << kRecentBits];
};

}  // namespace deadheat
