// Which pieces of the program's memory have any history, so that huge ranges can be forgotten and searched quickly.
//
// Marks    There is one byte for each 64 KiB, and one for each 256 MiB. A thread sets both when it gives a part of
//          memory its first history, or makes a sync object in it. A piece without a mark has no history. A piece with
//          a mark may have none either.
// Clearing A thread that forgets a whole piece first takes the mark away, by an exchange, and then looks at the
//          history. A thread that sets a mark writes the history first. So the first thread sees the history, or the
//          mark stays.
// Blocks   Two more tables of the same kind say where heap blocks have ever begun, so that a search for the block of an
//          address passes over memory that the program has mapped for itself. These marks are never taken away.
// Tested by test/programs/mmap_*.c
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace deadheat::live {

inline constexpr unsigned kPieceShift = 16, kManyShift = 28;
extern std::atomic<uint8_t>* touched_pieces __attribute__((visibility("hidden")));
extern std::atomic<uint8_t>* touched_many __attribute__((visibility("hidden")));
extern std::atomic<uint8_t>* block_pieces __attribute__((visibility("hidden")));
extern std::atomic<uint8_t>* block_many __attribute__((visibility("hidden")));

void touched_start();

inline void note_touched(uintptr_t address) {
  if (address >> 47 != 0) return;  // what stands for an object, but is no memory
  touched_pieces[address >> kPieceShift].store(1, std::memory_order_release);
  touched_many[address >> kManyShift].store(1, std::memory_order_release);
}

// Whether the piece around it may have a history.
inline bool is_touched(uintptr_t address) {
  return touched_pieces[address >> kPieceShift].load(std::memory_order_acquire) != 0;
}

// A block begins at the address. What is there is not stored again: the lines are shared with other threads.
inline void note_block(uintptr_t address) {
  std::atomic<uint8_t>& mark = block_pieces[address >> kPieceShift];
  if (__builtin_expect(mark.load(std::memory_order_relaxed) != 0, 1)) return;
  block_many[address >> kManyShift].store(1, std::memory_order_relaxed);
  mark.store(1, std::memory_order_relaxed);
}

// How large the aligned piece around the address is in which no block begins; 0: one may begin there.
inline uintptr_t bytes_without_blocks(uintptr_t address) {
  if (block_many[address >> kManyShift].load(std::memory_order_relaxed) == 0) return uintptr_t{1} << kManyShift;
  return block_pieces[address >> kPieceShift].load(std::memory_order_relaxed) == 0 ? uintptr_t{1} << kPieceShift : 0;
}

// Calls visit(from, to) for the runs of pieces within [begin, end) that may have a history, in order. `forgetting`:
// the visitor forgets it, so that marks of pieces that lie wholly within are taken away before.
template <class Visit>
void each_touched(uintptr_t begin, uintptr_t end, bool forgetting, Visit visit) {
  constexpr uintptr_t kPiece = uintptr_t{1} << kPieceShift, kMany = uintptr_t{1} << kManyShift;
  const auto take = [&](std::atomic<uint8_t>& mark, uintptr_t from, uintptr_t bytes) {
    if (mark.load(std::memory_order_acquire) == 0) return false;
    if (forgetting && from >= begin && from + bytes <= end) mark.exchange(0, std::memory_order_seq_cst);
    return true;
  };
  for (uintptr_t many = begin & ~(kMany - 1); many < end; many += kMany) {
    if (!take(touched_many[many >> kManyShift], many, kMany)) continue;
    uintptr_t run = 0;  // where the current one begins; 0: there is none
    const uintptr_t last = many + kMany < end ? many + kMany : end;
    for (uintptr_t at = many < begin ? begin & ~(kPiece - 1) : many; at < last; at += kPiece) {
      const bool touched = take(touched_pieces[at >> kPieceShift], at, kPiece);
      if (touched && run == 0) run = at < begin ? begin : at;
      if (!touched && run != 0) {
        visit(run, at);
        run = 0;
      }
    }
    if (run != 0) visit(run, last);
  }
}

}  // namespace deadheat::live
