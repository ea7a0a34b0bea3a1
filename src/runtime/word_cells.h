// What cells can say of a word when its accesses were not all plain ones of the whole word: some bytes, an earlier
// access beside the last one, atomic accesses.
//
// Bytes    A cell names the bytes that it is about (shadow.h); accesses of further bytes in the same epoch are added.
// Earlier  One earlier access of the word has a place in the plane Older:
//            W is of some bytes    a plain write of others
//            W is atomic           the plain write before it, of any bytes (0 if there is none)
//            W is whole            a read, if the R cell of a class says so (kHasOlder): by that class, of other bytes
// Atomic   A whole cell may be an atomic access. In W: the last atomic write, all those before it ordered. In R: the
//          last read of the class was atomic, and there is no plain one that matters.
// Anything else takes a record. These functions say so by false, with nothing done.
// Guard    The stripe's lock, except where a name says otherwise. The part is in cells.
// Tested by test/programs: bytes_*, atomic_*, stress_*
#pragma once

#include "runtime/shadow.h"
#include "runtime/summary.h"

namespace deadheat::live {

constexpr AccessKind kind_of_write(Cell w) {
  return is_atomic_cell(w) ? AccessKind::kAtomicWrite : AccessKind::kWrite;
}
constexpr AccessKind kind_of_read(Cell r) { return is_atomic_cell(r) ? AccessKind::kAtomicRead : AccessKind::kRead; }

// Whether the cell, which is the calling thread's or W, says that the current epoch has made such an access.
inline bool cell_covers(Cell cell, EpochId current, unsigned bytes, bool atomic) {
  return id_of(cell) == current && (bytes & ~bytes_of(cell)) == 0 && (atomic || !is_atomic_cell(cell));
}

// The class whose earlier read is in Older; kReaderClasses if there is none.
inline unsigned class_with_older(uintptr_t word, Cell w) {
  if (!is_whole(w)) return kReaderClasses;
  for (unsigned left = summary_of(word).classes; left != 0; left &= left - 1) {
    const unsigned c = static_cast<unsigned>(__builtin_ctz(left));
    if ((load(cell_of(plane_r(c), word)) & kHasOlder) != 0) return c;
  }
  return kReaderClasses;
}

// What of the bytes, which were written, others have read. After W is stored, not before: readers store their cell, then
// look at W again.
void look_at_readers(Thread& t, uintptr_t word, unsigned bytes, bool atomic, RaceFound& race);

// A plain or atomic read goes into the cell of the thread's class, whatever W is. Races with writes are noted here.
bool read_in_cells(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, NodeId origin, RaceFound& race);
// The same without the lock, for a thread that has its class for itself. If it fails after it `changed` R, that was `r`.
bool read_unlocked(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, NodeId origin, bool& changed, Cell& r);
// A plain write of some bytes, or an atomic one of all.
bool write_in_cells(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, NodeId origin, RaceFound& race);

}  // namespace deadheat::live
