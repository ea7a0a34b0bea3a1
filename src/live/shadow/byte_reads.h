// Blocks of byte reads: what stands beside an R cell when a class has read the bytes of a word in more epochs than one, or
// from more places. Text, pages and pixels are read so.
//
// State    For each byte of the word the epoch id of its last plain read, or 0, and that read's origin. So the read of some
//          bytes is one step for each of them, without masks. The R cell has the epoch of the last read (any of them, if that
//          read is gone), all bytes that the block has of this epoch, and kInBlock; the block's number stands where the
//          origin of the cell would. So the hit test needs no look into the block.
// Begin    A read that one cell cannot say beside what it says already (read_in_cells).
// End      A read of the whole word, or of all four bytes from one place in one epoch: the cell can say it again. A plain
//          write of the whole word after which the block says nothing any more. Whatever forgets the word.
// Guard    The stripe's lock, for every change of a cell that has a block or gets one, and of the block.
// Promises No history is lost or invented. If there is no room for a block, records do the same.
// Tested by test/live_shadow (with few blocks), test/programs/bytes_*.c
#pragma once

#include "live/shadow/crowd.h"
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

// Of a cell that has a block: `number` is what stands where its origin would.
inline ByteReads& byte_reads_of(OriginId number) { return byte_reads_pool[number_of(number)]; }
inline ByteReads& byte_reads_at(ReaderClass c, uintptr_t word) {
  return byte_reads_of(load(cell_of(plane_r_origin(c), word)));
}
// An empty block; kNoOrigin if there is none.
OriginId take_byte_reads(Thread& t);
// No cell has the block any more. `t` may be null.
void give_byte_reads(Thread* t, OriginId number);
// What the cell `r` has, a block or a crowd; it does not name it any more.
inline void give_block(Thread* t, Cell r, OriginId number) {
  return is_crowd(r) ? end_crowd(t, r) : give_byte_reads(t, number);
}
// The same for those of cells of R with these origins, beside the cells `w` of W; they are going to be overwritten.
void give_all_blocks(const Cell* r, const OriginId* origins, const Cell* w, unsigned count);

// Whether the cell has a block or a crowd. W may be the mark of a heap block, beside which R of class 0 has a size.
inline bool names_block(Cell r, Cell w) { return has_block(r) && (!is_mark(w) || is_freed(w)); }

// Calls visit(byte, id, origin) for those of the bytes that were read.
template <class Visit>
inline void each_byte_read(const ByteReads& reads, unsigned bytes, Visit visit) {
  for (unsigned left = bytes; left != 0; left &= left - 1) {
    const unsigned i = static_cast<unsigned>(__builtin_ctz(left));
    if (const Cell id = load(&reads.id[i]); id != 0) visit(1u << i, id_of(id), reads.origin[i]);
  }
}

// Which of the bytes were read in that epoch.
inline unsigned byte_reads_in(const ByteReads& reads, EpochId epoch, unsigned bytes) {
  unsigned in = 0;
  each_byte_read(reads, bytes, [&](unsigned byte, EpochId id, OriginId) { in |= id == epoch ? byte : 0; });
  return in;
}
// What the cell says beside the block if it named that epoch: the same if the epoch has any of the bytes, else another of the
// block's epochs; 0 if the block is empty.
inline Cell cell_beside(const ByteReads& reads, EpochId epoch) {
  unsigned in = byte_reads_in(reads, epoch, 15);
  for (unsigned i = 0; i < 4 && in == 0; ++i) {
    if (reads.id[i] == 0) continue;
    epoch = id_of(reads.id[i]);
    in = byte_reads_in(reads, epoch, 15);
  }
  return in == 0 ? 0 : kInBlock | in << kIdBits | number_of(epoch);
}

// Whether what the block says of the bytes is ordered before the thread.
inline bool is_byte_reads_ordered(Thread& t, const ByteReads& reads, unsigned bytes) {
  bool ordered = true;
  each_byte_read(reads, bytes, [&](unsigned, EpochId id, OriginId) { ordered = ordered && is_ordered(t, id); });
  return ordered;
}
// The same for the R cell `r` of a class, which may have a block or a crowd: then the stripe's lock is held. A cell of one epoch is asked
// as a whole.
inline bool is_read_ordered(Thread& t, ReaderClass c, uintptr_t word, Cell r, unsigned bytes = 15) {
  if (__builtin_expect(!has_block(r), 1)) return is_ordered(t, id_of(r));
  return is_crowd(r) ? is_crowd_ordered(t, r, bytes) : is_byte_reads_ordered(t, byte_reads_at(c, word), bytes);
}

}  // namespace deadheat::live
