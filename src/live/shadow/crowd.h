// Crowds: what stands instead of an R cell of the common class when many threads read a word and nothing orders them. It
// is FastTrack's clock of reads: the last read of each thread.
//
// State    R has kInBlock, no bytes, and the number of a record (record_store.h) where the epoch would be. The record's
//          memory is a hash table by slots, so that a thread finds its own read at once, however many others there are.
// Begin    A read finds no place in the cell of its class, and the word has a record of its own already
//          (crowd_begins). Words that share their records, as those of arrays do, keep them: they are smaller.
// Entries  An entry is the last read of a thread: some bytes, in one epoch, plain or atomic. A slot is used again only by a
//          thread that knows what its former owner did, so what stands in a thread's place is always ordered before it.
//          What one entry cannot say goes into the word's own record (keep_reads).
// End      A plain write of the whole word that is ordered after all of it. Whatever forgets the word.
// Full     Reads that the new one stands for go; if that is not enough, the crowd gets a bigger record.
// Peeking  A thread looks for its own read without the lock. Only it puts one there or changes it. The record's version
//          changes when the record becomes another crowd's or none, so: the cell names the record before and after, and the
//          version is the same.
// Guard    The stripe's lock, for every change.
// Cost     A read in a new epoch: the lock, and one entry. 12 to 24 bytes for each thread that has read the word. A write
//          looks at all entries.
// Tested by test/live_shadow, test/programs/crowd_*.cpp
#pragma once

#include "live/shadow/record_store.h"

namespace deadheat::live {

struct LastRead {
  EpochId epoch;
  OriginId origin;
  uint32_t what;  // bits 0..24: the thread's slot, plus 1 (0: the place is free); 25..28: bytes; 29: atomic

  uint32_t slot() const { return load(&what) & kSlot; }
  unsigned bytes() const { return what >> kSlotBits & 15; }
  AccessKind kind() const { return (what & kAtomic) != 0 ? AccessKind::kAtomicRead : AccessKind::kRead; }
  void set(EpochId in, OriginId from, unsigned bytes, AccessKind kind) {
    epoch = in;
    origin = from;
    what = slot() | bytes << kSlotBits | (is_atomic(kind) ? kAtomic : 0);
  }
  void drop(unsigned gone) { what &= ~(gone << kSlotBits); }
  // Whether the epoch has made such a read of these bytes, or one that stands for it.
  bool covers(EpochId current, unsigned wanted, bool atomic) const {
    return epoch == current && (wanted & ~bytes()) == 0 && (atomic || !is_atomic(kind()));
  }

  static constexpr unsigned kSlotBits = 25;
  static constexpr uint32_t kSlot = (1u << kSlotBits) - 1, kAtomic = 1u << 29;
};
static_assert(sizeof(LastRead) == sizeof(PastAccess) && Epoch::kMaxSlot < LastRead::kSlot);

// A record of class k has room for them.
constexpr uint32_t crowd_places(unsigned size_class) { return limit(4u, 2u) << size_class; }
static_assert(crowd_places(0) <= record_capacity(0) && crowd_places(5) <= record_capacity(5));

inline Record* crowd_of(Cell r) { return record_at(RecordId{r & kIdMask}); }
inline LastRead* reads_of(Record* crowd) { return reinterpret_cast<LastRead*>(crowd + 1); }

// Calls visit(read) for those of the crowd's reads that touched some of the bytes.
template <class Visit>
inline void each_last_read(Cell r, unsigned bytes, Visit visit) {
  Record* const crowd = crowd_of(r);
  LastRead* const reads = reads_of(crowd);
  for (uint32_t i = 0, seen = 0; seen < crowd->count && i < crowd_places(crowd->size_class); ++i) {
    if (reads[i].slot() == 0) continue;
    ++seen;
    if ((reads[i].bytes() & bytes) != 0) visit(reads[i]);
  }
}

inline uint32_t crowd_slot_of(const Thread& t) { return static_cast<uint32_t>(index(t.slot)) + 1; }
// Where the slot's read is, or would be; null if neither.
LastRead* place_in_crowd(Record* crowd, uint32_t slot);
// What the thread itself has there; null if nothing.
inline LastRead* own_read_in(const Thread& t, Cell r) {
  Record* const crowd = crowd_of(r);
  const uint32_t slot = crowd_slot_of(t);
  LastRead* place = &reads_of(crowd)[slot & (crowd_places(crowd->size_class) - 1)];
  if (__builtin_expect(place->slot() != slot, 0)) place = place_in_crowd(crowd, slot);
  return place != nullptr && place->slot() == slot ? place : nullptr;
}
// Whether the crowd at the thread's R cell says that its current epoch has made such a read. Without the lock; may say no
// wrongly.
inline bool crowd_covers(const Thread& t, const Cell* at, unsigned bytes, bool atomic) {
  const Cell r = __atomic_load_n(at, __ATOMIC_ACQUIRE);
  if (!is_crowd(r)) return false;
  const Record* const crowd = crowd_of(r);
  const uint32_t version = crowd->version.load(std::memory_order_acquire);
  if ((version & 1) != 0) return false;
  const LastRead* const mine = own_read_in(t, r);
  const bool covered = mine != nullptr && mine->covers(t.current, bytes, atomic);
  std::atomic_thread_fence(std::memory_order_acquire);
  return covered && load(at) == r && crowd->version.load(std::memory_order_relaxed) == version;
}

// The word gets a crowd instead of its R cell `r`, with what that says and with the reads that its own record has: `list`,
// which loses them. False if there is no number for it.
bool crowd_begins(Thread& t, uintptr_t word, Cell r, History& list);
// A read by the thread. False if its entry cannot say it beside what it says already.
bool read_in_crowd(Thread& t, uintptr_t word, Cell r, unsigned bytes, AccessKind kind, OriginId origin);
// Whether all reads of the bytes are ordered before the thread.
bool is_crowd_ordered(Thread& t, Cell r, unsigned bytes);
// The bytes have not been read.
void crowd_forgets(Cell r, unsigned bytes);
// No cell names the crowd any more. `t` may be null.
void end_crowd(Thread* t, Cell r);

}  // namespace deadheat::live
