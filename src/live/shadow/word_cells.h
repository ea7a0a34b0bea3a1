// What cells can say about a word whose accesses were not all plain ones of the whole word: some bytes, an earlier
// access beside the last one, atomic accesses.
//
// Bytes    A cell names the bytes that it is about (shadow.h); accesses of further bytes in the same epoch are added.
// Earlier  One earlier write of the word has a place in the plane Older:
//            W is of some bytes    a plain write of others
//            W is atomic           the plain write before it, of any bytes (0 if there is none)
//          Earlier reads of a class are in a block beside its R cell (byte_reads.h).
// Atomic   A whole cell may be an atomic access. In W: the last atomic write, all those before it ordered. In R: the
//          last read of the class was atomic, and there is no plain one that matters.
// Anything else needs a record: then these functions return false and have done nothing.
// Guard    The stripe's lock, except where a name says otherwise. The part is in cells.
// Tested by test/programs: bytes_*, atomic_*, stress_*
#pragma once

#include "live/shadow/byte_reads.h"
#include "live/shadow/records.h"
#include "live/shadow/reference.h"
#include "live/shadow/shadow.h"
#include "live/shadow/summary.h"
#include "live/shadow/unlocked_read.h"

namespace deadheat::live {

// Whether the cell, which is the calling thread's or W, says that the current epoch has made such an access.
inline bool cell_covers(Cell cell, EpochId current, unsigned bytes, bool atomic) {
  return id_of(cell) == current && (bytes & ~bytes_of(cell)) == 0 && (atomic || !is_atomic_cell(cell));
}

// Whether the current epoch has read the object by an atomic operation, or stands for it; objects of one or two words.
inline bool is_atomic_read_recorded(const Thread& t, uintptr_t address, size_t bytes) {
  if ((address & 3) != 0 || (bytes != 4 && bytes != 8)) return false;
  const auto recorded = [&](uintptr_t word) {
    const Cell r = load(read_cell_of(t, word)), w = load(cell_of(kPlaneW, word));
    const Cell mine = atomic_cell(t.current), whole = whole_cell(t.current);
    return r == mine || r == whole || w == mine || w == whole;
  };
  return recorded(address) && (bytes == 4 || recorded(address + 4));
}

// Asks for what an atomic read is going to look at, while its object is looked up.
inline void prefetch_atomic_read(const Thread& t, uintptr_t address) {
  __builtin_prefetch(read_cell_of(t, address), 1);
  __builtin_prefetch(read_origin_of(t, address), 1);
  __builtin_prefetch(cell_of(kPlaneW, address));
  __builtin_prefetch(cell_of(kPlaneOlder, address));
  __builtin_prefetch(&summary_of(address));
}

// What of the bytes, which were written, others have read. After W is stored, not before: readers store their cell,
// then look at W again.
void look_at_readers(Thread& t, uintptr_t word, unsigned bytes, bool atomic, RaceFound& race);
// The same without the fence that threads need which read without the lock.
void look_at_reads(Thread& t, uintptr_t word, unsigned bytes, bool atomic, RaceFound& race);

// What becomes of the cell of the thread's class by a read.
struct ReadResult {
  Cell r;
  OriginId origin;
};

// `r` is the cell, which has no block. False if one cell cannot say it: it would need a place for an earlier read.
__attribute__((always_inline)) inline bool after_read(Thread& t, uintptr_t word, Cell r, Cell w, unsigned bytes,
                                                      bool atomic, OriginId origin, ReadResult& now) {
  if (atomic || is_atomic_cell(r)) {
    // A plain read stands for an atomic one, and not the other way round.
    if (bytes != 15 || (atomic && r != 0 && !is_atomic_cell(r))) return false;
    now = {atomic ? atomic_cell(t.current) : whole_cell(t.current), origin};
    return true;
  }
  // What the same epoch also wrote need not be known as read.
  if (id_of(r) == id_of(w) && is_simple(w) && !is_atomic_cell(w))
    r = cell_for_some(id_of(r), bytes_of(r) & ~bytes_of(w));
  if (id_of(r) == t.current) {
    const unsigned all = bytes_of(r) | bytes, added = bytes & ~bytes_of(r);
    const OriginId r_origin = load(read_origin_of(t, word));
    if (added != 0 && bytes != 15 && origin != r_origin) return false;  // in a block each byte has its own
    now = {cell_for(t.current, all), added == 0 ? r_origin : with_bytes(t.stack_cache, r_origin, origin, added)};
    return true;
  }
  now = {cell_for(t.current, bytes), origin};
  return (bytes_of(r) & ~bytes) == 0;
}

// Whether all that W and Older say was written is ordered before.
inline bool writes_ordered(Thread& t, uintptr_t word, Cell w, bool atomic) {
  if (!(atomic && is_atomic_cell(w)) && !is_ordered(t, id_of(w))) return false;
  return is_whole(w) || is_ordered(t, id_of(older_write(word, w)));
}

// A plain or atomic read goes into the cell of the thread's class, whatever W is. Races with writes are noted here.
bool read_in_cells(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, OriginId origin, RaceFound& race);
// The same without the lock, for a thread that has its class for itself.
__attribute__((always_inline)) inline bool read_bytes_unlocked(Thread& t, uintptr_t word, unsigned bytes,
                                                               AccessKind kind, OriginId origin, UnlockedRead& read) {
  const bool atomic = is_atomic(kind);
  Cell* const r_cell = read_cell_of(t, word);
  const Cell* w_cell = cell_of(kPlaneW, word);
  Cell w;
  uint32_t version = 0;
  ReadResult now;
  ReferenceRead reference;
  const auto look = [&](Cell& r) __attribute__((always_inline)) {
    w = load(w_cell);
    r = load(r_cell);
    if (is_mark(w) || has_block(r) || !is_ordered(t, id_of(r))) return false;
    if (!(is_record(w) ? record_writes_ordered(t, w, bytes, kind, version) : writes_ordered(t, word, w, atomic)))
      return false;
    if (!after_read(t, word, r, w, bytes, atomic, origin, now)) return false;
    reference.look(t, word, w, r, bytes, kind, now.r);
    return true;
  };
  const auto put = [&] {
    store(read_origin_of(t, word), now.origin);
    store(r_cell, now.r);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  };
  const auto same = [&] { return load(w_cell) == w && (is_simple(w) || record_is(w, version)); };
  return reference.check(read_unlocked(t, summary_of(word), read, look, put, same));
}

// W and Older after a plain write of some bytes. False, and nothing is done, if they cannot say it, or if the write is not
// ordered after what they say.
__attribute__((always_inline)) inline bool put_write(Thread& t, uintptr_t word, unsigned bytes, OriginId origin) {
  Cell* const w_cell = cell_of(kPlaneW, word);
  OriginId* const w_origin = cell_of(kPlaneWOrigin, word);
  const Cell w = load(w_cell);
  if (!is_simple(w) || is_atomic_cell(w)) return false;
  const Cell older = older_write(word, w);
  if (!is_ordered(t, id_of(w)) || !is_ordered(t, id_of(older))) return false;
  const unsigned had = bytes_of(w);
  const bool none_older_left = (bytes_of(older) & ~bytes) == 0;
  if (id_of(w) == t.current) {
    if (const unsigned added = bytes & ~had; added != 0) {
      store(w_origin, with_bytes(t.stack_cache, load(w_origin), origin, added));
      store(w_cell, cell_for(t.current, had | bytes));
    }
    return true;
  }
  if ((had & ~bytes) != 0) {
    if (!none_older_left) return false;  // a third write
    store(cell_of(kPlaneOlderOrigin, word), load(w_origin));
    store(cell_of(kPlaneOlder, word), w);
  } else if (none_older_left && bytes != 15) {
    store(cell_of(kPlaneOlder, word), 0);
  }
  store(w_origin, origin);
  store(w_cell, cell_for(t.current, bytes));
  return true;
}

// A write of some bytes came after what the thread's own class has read of them, and stands for it, as a write of whole
// words does: what is read next begins anew. `r` is the class's cell, and the bytes are ordered.
inline void drop_own_reads_of(Thread& t, uintptr_t word, Cell r, unsigned bytes) {
  Cell* const cell = read_cell_of(t, word);
  if (is_crowd(r)) {
    crowd_forgets(r, bytes);
  } else if (has_block(r)) {
    const OriginId block = load(read_origin_of(t, word));
    ByteReads& reads = byte_reads_of(block);
    for (unsigned i = 0; i < 4; ++i)
      if ((bytes >> i & 1) != 0) store(&reads.id[i], 0);
    const Cell left = cell_beside(reads, id_of(r));
    store(cell, left);
    if (left == 0) give_byte_reads(&t, block);
  } else if ((bytes_of(r) & bytes) != 0 && !is_atomic_cell(r)) {
    store(cell, cell_for_some(id_of(r), bytes_of(r) & ~bytes));
  }
}

// The common plain write of some bytes: it races with nothing, and only the thread's own class has read anything near. (A
// class may have had another thread before, so its reads are asked, too.)
inline bool write_bytes_alone(Thread& t, uintptr_t word, unsigned bytes, OriginId origin) {
  const Summary& part = summary_of(word);
  if (part.mode != PartMode::kCells || !part.classes.without(t.reader_class).is_empty()) return false;
  if (!is_simple(load(cell_of(kPlaneW, word)))) return false;
  const Cell r = load(read_cell_of(t, word));
  if (!is_read_ordered(t, t.reader_class, word, r, bytes)) return false;
  ReferenceStep step(t, word, 1, bytes, AccessKind::kWrite, origin);
  if (!put_write(t, word, bytes, origin)) return false;
  drop_own_reads_of(t, word, r, bytes);
  check_word(word);
  step.check(1);
  return true;
}

// A plain write of some bytes, or an atomic one of all.
bool write_in_cells(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, OriginId origin, RaceFound& race);

}  // namespace deadheat::live
