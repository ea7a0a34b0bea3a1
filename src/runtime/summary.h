// Summaries: the state of 1 KiB of the program in 128 bytes, while it is uniform, so that large arrays which are filled
// and read in order never touch their cells.
//
// Idea     A part is untouched, summed up, or in cells. Summed up, its first `fill` words have the state `front` and
//          the rest the state `rest`; both are simple (two epochs and their origins). An access that begins a new pass
//          at the first word, or continues the current one, changes the summary alone, if it takes `rest` to `front` by
//          the same rule as the words before it. Any other access first writes the summary out into the cells.
//          Compilers unroll loops, so up to four places in the code may take turns.
// Cells    of a part that is not in cells are all zero, so the hit test fails there and the slow path looks here first.
//          A part whose words are accessed again and again in one epoch is put into cells, where that is a hit.
// Guard    The lock of the stripe.
// Promises Exactly what the cells would say, word for word.
// Tested by test/programs
#pragma once

#include "runtime/shadow.h"

namespace deadheat::live {

// Who made the accesses of one kind: `words` at a time, four origins in turn.
struct Turns {
  uint32_t words;
  NodeId origin[4];
  NodeId of(unsigned word) const { return words == 0 ? 0 : origin[word / words % 4]; }
};
struct UniformState {
  Cell w, r;  // r in the class `r_class`
  Turns writes, reads;
  uint32_t r_class;
};

enum class PartMode : uint32_t { kUntouched, kSummary, kCells };

struct Summary {
  PartMode mode;
  uint32_t version;  // grows whenever history is forgotten, for readers without the lock
  uint16_t fill;     // words
  uint16_t again;    // accesses that found themselves recorded in the summary
  UniformState front, rest;
  uint32_t classes;  // in cells: a bit for each class of threads whose R cells may be other than 0
  uint32_t spare[2];
};
static_assert(sizeof(Summary) == 128);

inline constexpr unsigned kPartWords = kStripeBytes / 4;

inline Summary& summary_of(uintptr_t address) {
  return *reinterpret_cast<Summary*>(((address & shadow_map.mask & ~uintptr_t{kStripeBytes - 1}) >> 3) +
                                     shadow_map.base[kPlaneSummary]);
}

// Writes the summary into the cells.
void summary_write_out(Summary& summary, uintptr_t address);
// The part is in cells afterwards.
inline void use_cells(uintptr_t address) {
  Summary& summary = summary_of(address);
  if (__builtin_expect(summary.mode != PartMode::kCells, 0)) summary_write_out(summary, address);
}

bool summary_access_slow(Summary& summary, Thread& t, uintptr_t address, unsigned words, bool writing, NodeId origin);
// Records an access of whole words in the part's summary; if false, it is in cells now and nothing was recorded.
inline bool summary_access(Thread& t, uintptr_t address, unsigned words, bool writing, NodeId origin) {
  Summary& summary = summary_of(address);
  if (__builtin_expect(summary.mode == PartMode::kCells, 1)) return false;
  return summary_access_slow(summary, t, address, words, writing, origin);
}

}  // namespace deadheat::live
