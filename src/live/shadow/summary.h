// Summaries: 128 bytes that describe 1 KiB of the program while its state is uniform, so that large arrays which are
// filled and read in order never touch their cells.
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
// Tested by test/live_shadow, test/programs
#pragma once

#include "live/shadow/shadow.h"

namespace deadheat::live {

// The origins of the accesses of one kind: `words` at a time, four origins in turn.
struct Turns {
  uint32_t words;
  OriginId origin[4];
  OriginId of(unsigned word) const { return words == 0 ? kNoOrigin : origin[word / words % 4]; }
};
struct UniformState {
  Cell w, r;  // r in the class `r_class`
  Turns writes, reads;
  ReaderClass r_class;
};

enum class PartMode : uint16_t { kUntouched, kSummary, kCells };

struct alignas(8) Summary {
  uint32_t version;  // grows whenever history is forgotten, for readers without the lock
  PartMode mode;
  ReaderSet classes;  // in cells: the classes whose R cells may be other than 0
  uint16_t fill;      // words
  uint16_t again;     // accesses that found themselves recorded in the summary
  UniformState front, rest;
  uint32_t spare[3];

  // Only if it must be: the line is shared with other threads.
  void note_class(ReaderClass c) {
    if (__builtin_expect(!classes.has(c), 0)) classes = classes.with(c);
  }
};
static_assert(sizeof(Summary) == 128);

// Version, mode and classes at once, for readers without the lock.
inline uint64_t state_of(const Summary& part) {
  using All = uint64_t __attribute__((may_alias));
  return __atomic_load_n(reinterpret_cast<const All*>(&part), __ATOMIC_ACQUIRE);
}
// In cells, and the class is noted.
constexpr bool has_cells_of(uint64_t state, ReaderClass c) {
  const uint64_t noted = uint64_t{0x10000} << static_cast<unsigned>(c);
  return (state >> 32 & (0xffff | noted)) == (static_cast<uint64_t>(PartMode::kCells) | noted);
}

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

// The whole part is freed: all its cells would be `freed`. If false, it is in cells now and nothing was recorded.
bool summary_free(Thread& t, uintptr_t part, Cell freed, OriginId origin);

bool summary_access_slow(Summary& summary, Thread& t, uintptr_t address, unsigned words, bool writing, OriginId origin);
// Records an access of whole words in the part's summary; if false, it is in cells now and nothing was recorded.
inline bool summary_access(Thread& t, uintptr_t address, unsigned words, bool writing, OriginId origin) {
  Summary& summary = summary_of(address);
  if (__builtin_expect(summary.mode == PartMode::kCells, 1)) return false;
  return summary_access_slow(summary, t, address, words, writing, origin);
}

}  // namespace deadheat::live
