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
// Sharing   Words with the same history name the same record, which is found by its content in a table (interned) and
//           never changes. A word whose history is its own has an own record instead, which is changed in place and
//           given back when the word no longer needs it. A record is interned only if it grew out of an epoch or of a
//           record that several words name, and only while enough lookups succeed. So the table grows with the number
//           of histories that words share, not with the length of the run.
// Speed     A thread remembers transitions between interned and simple states (Transition), because arrays go through
//           few of them.
// Peeking   Readers that change nothing take no lock: `version` is odd while a record is changed or free, and it
//           changes whenever the content does.
// Order     Entries stand grouped by kind, so that an access need not look at all of a long record.
// Tested by test/programs, above all stress_*.cpp, in the development build with check_word
#pragma once

#include <atomic>
#include <cstdint>

#include "detect/word_rules.h"
#include "live/shadow/shadow.h"

namespace deadheat::live {

struct PastAccess {
  EpochId epoch;
  OriginId origin;
  uint32_t how;  // bits 0..3: bytes of the word; from 4: AccessKind

  unsigned bytes() const { return how & 15; }
  AccessKind kind() const { return static_cast<AccessKind>(how >> 4); }
  void drop(unsigned gone) { how &= ~gone; }
};

inline uint32_t how(unsigned bytes, AccessKind kind) { return bytes | static_cast<uint32_t>(kind) << 4; }

struct Record {
  static constexpr uint32_t kOwn = 0xffffffffu;

  std::atomic<uint32_t> version;
  std::atomic<uint32_t> next;  // interned: in its bucket; an own record: kOwn; while free: the next free one
  uint32_t count;
  uint32_t writes : 26;  // the first so many entries write
  uint32_t size_class : 5;
  uint32_t shared : 1;  // interned, and named by a second word

  bool is_own() const { return next.load(std::memory_order_relaxed) == kOwn; }
  PastAccess* past() { return reinterpret_cast<PastAccess*>(this + 1); }
  const PastAccess* past() const { return reinterpret_cast<const PastAccess*>(this + 1); }
};
static_assert(sizeof(Record) == 16);

// Class k is a block of 64 << k bytes.
constexpr uint32_t record_capacity(unsigned size_class) { return ((64u << size_class) - 16) / 12; }

void records_start();
void records_return_spares(Thread& t);
Record* record_of(Cell cell);

using word::conflict;
using word::supersedes;

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
// Development builds end the program if what the planes say of the word cannot be; the stripe's lock is held.
void check_word(uintptr_t word);
// Forgets some bytes of a word; the stripe's lock is held.
void word_forget(uintptr_t word, unsigned bytes);
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
// Marks the epoch ids that the record names (epochs_mark).
void record_mark_ids(Cell cell);
uint64_t records_bytes();

}  // namespace deadheat::live
