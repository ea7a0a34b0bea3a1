// Blocks of byte reads: what an R cell names when the thread of its class has read the bytes of a word in more epochs than a
// cell and Older can say. Text, pages and pixels are read so.
//
// State    For each byte of the word the epoch id of its last plain read, or 0, and that read's origin. So the read of some
//          bytes is one step for each of them, without masks.
// Begin    A read that finds no place in the cells (read_in_cells), by a thread that has its class for itself.
// End      A read of the whole word, or of all four bytes from one place in one epoch: the cell can say it again. A plain
//          write of the whole word after which the block says nothing any more. Whatever forgets the word.
// Guard    The stripe's lock, for every change of a cell that names a block or comes to name one, and of the block.
// Peeking  The thread of the class asks without the lock whether its current epoch stands in the block. A yes is right: only
//          the thread itself puts its current id into a block, and only into the block that the word named then; a block
//          that is given back loses its ids, and no thread but one of the class has given the word another. So the word has
//          had its block ever since, or has been forgotten meanwhile.
// Promises No history is lost or invented. If there is no room for a block, records do the same.
// Tested by test/live_shadow (with few blocks), test/programs/bytes_*.c
#pragma once

#include "live/shadow/shadow.h"

namespace deadheat::live {

struct ByteReads {
  Cell id[4];
  OriginId origin[4];  // of a block that is free, the first is the number of the next free one
};
static_assert(sizeof(ByteReads) == 32);

extern ByteReads* byte_reads_pool __attribute__((visibility("hidden")));
void byte_reads_start();
// Blocks that the thread has at hand go back.
void byte_reads_return_spares(Thread& t);

inline ByteReads& byte_reads_of(Cell r) { return byte_reads_pool[r & kIdMask]; }
// An empty block as a cell; 0 if there is none.
Cell take_byte_reads(Thread& t);
// No cell names the block any more. `t` may be null.
void give_byte_reads(Thread* t, Cell r);
// The same for those that cells of R name, beside the cells `w` of W; they are going to be overwritten.
void give_all_byte_reads(const Cell* r, const Cell* w, unsigned count);

// The same where W may be the mark of a heap block, beside which R of class 0 has a size.
inline bool names_byte_reads(Cell r, Cell w) { return has_byte_reads(r) && (!is_mark(w) || is_freed(w)); }

// Calls visit(byte, id, origin) for those of the bytes that were read.
template <class Visit>
inline void each_byte_read(Cell r, unsigned bytes, Visit visit) {
  const ByteReads& reads = byte_reads_of(r);
  for (unsigned left = bytes; left != 0; left &= left - 1) {
    const unsigned i = static_cast<unsigned>(__builtin_ctz(left));
    if (const Cell id = load(&reads.id[i]); id != 0) visit(1u << i, id_of(id), reads.origin[i]);
  }
}

// Which of the bytes were read in that epoch.
inline unsigned byte_reads_in(Cell r, EpochId epoch, unsigned bytes) {
  unsigned in = 0;
  each_byte_read(r, bytes, [&](unsigned byte, EpochId id, OriginId) { in |= id == epoch ? byte : 0; });
  return in;
}

// Whether what an R cell says of the bytes is ordered before the thread; the stripe's lock is held if it names a block.
inline bool is_byte_reads_ordered(Thread& t, Cell r, unsigned bytes) {
  bool ordered = true;
  each_byte_read(r, bytes, [&](unsigned, EpochId id, OriginId) { ordered = ordered && is_ordered(t, id); });
  return ordered;
}
// What an R cell says may be asked of some bytes only; a cell of one epoch is asked as a whole.
inline bool is_read_ordered(Thread& t, Cell r, unsigned bytes = 15) {
  return __builtin_expect(has_byte_reads(r), 0) ? is_byte_reads_ordered(t, r, bytes) : is_ordered(t, id_of(r));
}

}  // namespace deadheat::live
