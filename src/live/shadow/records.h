// Records: what W says of a word when cells cannot express it (word_cells.h).
//
// Idea      A list of past accesses, each with its epoch, origin, kind and the bytes of the word that it touched. Any
//           number of concurrent readers, of histories of bytes, and of atomic accesses that nothing orders fit.
// Update    An access first looks for a conflicting past access that does not precede it: a race. Then past accesses
//           that it makes superfluous lose the bytes touched: those that precede it (or raced with it) and conflict
//           with nothing that the new one does not conflict with. What would race with the dropped one races with
//           the new one, so nothing is lost. When cells can express a record again, the record is dissolved.
//           Reads stay in the R cells (shadow.h). A read goes into the record only if there is no cell for it, or if
//           the cell is needed for other bytes in a later epoch. A full record forgets all but the last read of each
//           byte by each thread, so that it grows with the number of threads, not with the length of the run.
// Speed     A thread remembers transitions between interned and simple states (Transition), because arrays go through
//           few of them.
// Kept      in a pool, shared by words of the same history: record_store.h
// Tested by test/live_shadow; test/programs, above all stress_*.cpp, in the development build with check_word
#pragma once

#include <cstdint>

#include "live/shadow/record_store.h"

namespace deadheat::live {

// True if the calling thread's current epoch already stands in the record for such an access of these bytes. Without
// the stripe's lock; may say no wrongly, never yes.
bool record_covers(const Cell* at, Cell cell, EpochId current, AccessKind kind, unsigned bytes);

// The same from the thread's own memory of what it found covered before, cheaper still.
bool known_to_cover(const Thread& t, Cell cell, unsigned bytes, AccessKind kind);

// Whether all writes in the record that such an access conflicts with are ordered before, as long as the record `is` of
// that version. Without the stripe's lock; may say no wrongly.
bool record_writes_ordered(Thread& t, Cell cell, unsigned bytes, AccessKind kind, uint32_t& version);
bool record_is(Cell cell, uint32_t version);

// Records an access to some bytes of a word, whatever its state; the stripe's lock is held.
void word_update(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, OriginId origin, RaceFound& race);
// An atomic operation on a word whose atomic writes are in a crowd; the stripe's lock is held. False, and nothing is done, if
// they are not. No fence is needed between it and the look at reads: threads that read without the lock find by W that the
// word is such a one, and plain reads of it take the lock.
bool atomic_in_crowd(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, OriginId origin, RaceFound& race);
// What a read of a whole word that races with nothing has done to it, it does to the words after it that were the same. `before` is
// what the word was. How many there were, at most `most`, of one part. The stripe's lock is held.
struct WordSeen {
  WordSeen(const Thread& t, uintptr_t word);
  Cell w, r;
  OriginId w_origin, r_origin;
};
unsigned repeat_read(Thread& t, uintptr_t word, unsigned most, const WordSeen& before, OriginId origin);
// Forgets some bytes of a word; the stripe's lock is held.
void word_forget(uintptr_t word, unsigned bytes);

// ---- forget.cpp; the stripe's lock is held ----
// All words from `begin` to `end`, which lie in one part that is in cells.
void words_forget(uintptr_t begin, uintptr_t end);
// Forgets all of the part but block marks and what is freed, for a thread that is alone: everything there is ordered
// before whatever comes.
void part_forget(uintptr_t address);
// All words from `begin` to `end`, which lie in one part that is in cells, are freed: `freed` is what W becomes.
void words_free(uintptr_t begin, uintptr_t end, Cell freed, OriginId origin);

// The bytes of a freed word are accessed: notes the free as the other side. Says nothing of a second free that is
// ordered after the first: that is for the C library to find out.
void note_freed(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, RaceFound& race);

}  // namespace deadheat::live
