// How often each word of memory was used, and under which locks: for explanations (option `explain`).
//
// Counts   The first access of a word by a thread in each of its epochs, so the first between two of its steps
//          (order/steps.h): others are hits. Accesses of a thread that is alone, and of ranges beyond kMostBytes, are not
//          counted. What was counted is forgotten when the memory is handed out anew.
// Bound    A table of kUsed words; where it is full, words that were used less make room.
// Tested by test/report/ways (explained)
#pragma once

#include "live/order/steps.h"

namespace deadheat::live {

struct Uses {
  static constexpr unsigned kMostLocks = 6;  // beyond that the one that was held least makes room
  struct Under {
    uint64_t lock, accesses;
  };
  uintptr_t word = 0;
  uint64_t accesses = 0;
  Under under[kMostLocks] = {};
};

void uses_start();
// The bytes are used by `t`, with the locks that it holds.
void count_use_slow(const Thread& t, uintptr_t address, size_t bytes) __attribute__((cold));
void forget_uses(uintptr_t begin, size_t bytes);
// Of the word at an address.
Uses uses_of(uintptr_t address);

// `t` makes an access that its current epoch does not stand for yet.
inline void use(Thread& t, uintptr_t address, size_t bytes) {
  t.used = true;
  if (__builtin_expect(explaining, 0)) count_use_slow(t, address, bytes);
}

}  // namespace deadheat::live
