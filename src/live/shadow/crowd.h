// Crowds: what many threads have done to a word without any order among them: FastTrack's clock of reads, and the same for atomic
// operations. A crowd has the last access of each thread.
//
// State    The R cell of the common class has kInBlock, no bytes, and the number of a record (record_store.h) where the epoch
//          would be. The record's memory is a hash table by slots, so that a thread finds what it did itself at once, however
//          many others there are.
// Begin    The word has a record of its own already, and a read finds no place in the cell of its class, or an
//          atomic operation adds to a record that has two entries. Words that share their records, as those of arrays do, keep
//          them: they are smaller.
// Entries  An entry is some bytes, in one epoch, by accesses of one kind. A slot is used again only by a thread that knows what
//          its former owner did, so entries of a thread's slot are always ordered before it: of each byte it keeps one
//          read and one atomic read or write.
// Beside   The reads may stand beside any W. Atomic writes stand in a crowd only if W names a record of its own that says
//          so (`crowded`), because readers without the lock look at W alone.
// End      A plain write of the whole word that is ordered after all of it. Whatever forgets the word.
// Full     What the new access stands for goes; if that is not enough, the crowd gets a bigger record.
// Peeking  A thread looks for its own accesses without the lock. Only it puts one there or changes it. The record's
//          version changes when the record becomes another crowd's or none, so: the cell names the record before and after,
//          and the version is the same.
// Guard    The stripe's lock, for every change.
// Cost     An access in a new epoch: the lock, and one entry. 12 to 24 bytes for each thread. A plain write looks at
//          all entries.
// Tested by test/live_shadow, test/programs/crowd_*.c
#pragma once

#include "live/shadow/record_store.h"

namespace deadheat::live {

struct LastAccess {
  EpochId epoch;
  OriginId origin;
  uint32_t what;  // bits 0..24: slot of the thread, plus 1 (0: a free place); 25: a write; 26: atomic; 27..30: bytes

  uint32_t whose() const { return load(&what) & kWhose; }  // the slot, and whether it is a write
  unsigned bytes() const { return what >> kBytesShift & 15; }
  AccessKind kind() const {
    return (what & kWrite) != 0    ? AccessKind::kAtomicWrite
           : (what & kAtomic) != 0 ? AccessKind::kAtomicRead
                                   : AccessKind::kRead;
  }
  void set(EpochId in, OriginId from, unsigned bytes, AccessKind kind) {
    epoch = in;
    origin = from;
    what = whose() | (is_atomic(kind) ? kAtomic : 0) | bytes << kBytesShift;
  }
  void drop(unsigned gone) { what &= ~(gone << kBytesShift); }
  // Whether the epoch has made such an access of these bytes, or one that stands for it.
  bool covers(EpochId current, unsigned wanted, AccessKind wanted_kind) const {
    return epoch == current && (wanted & ~bytes()) == 0 && supersedes(kind(), wanted_kind);
  }

  static constexpr unsigned kSlotBits = 25, kBytesShift = 27;
  static constexpr uint32_t kSlot = (1u << kSlotBits) - 1, kWrite = 1u << 25, kAtomic = 1u << 26;
  static constexpr uint32_t kWhose = kSlot | kWrite;
};
static_assert(sizeof(LastAccess) == sizeof(PastAccess) && Epoch::kMaxSlot < LastAccess::kSlot);
// What LastAccess::whose() is of the accesses of a kind.
inline uint32_t whose(Slot slot, AccessKind kind) {
  return (static_cast<uint32_t>(index(slot)) + 1) | (is_write(kind) ? LastAccess::kWrite : 0);
}

// A record of class k has room for them.
constexpr uint32_t crowd_places(unsigned size_class) { return limit(4u, 2u) << size_class; }
static_assert(crowd_places(0) <= record_capacity(0) && crowd_places(5) <= record_capacity(5));

inline Cell* crowd_cell_of(uintptr_t word) { return cell_of(plane_r(kCommonClass), word); }
inline Record* crowd_of(Cell r) { return record_at(RecordId{r & kIdMask}); }
inline LastAccess* accesses_of(Record* crowd) { return reinterpret_cast<LastAccess*>(crowd + 1); }

// Calls visit(access) for those that touched some of the bytes.
template <class Visit>
inline void each_in_crowd(Cell r, unsigned bytes, Visit visit) {
  Record* const crowd = crowd_of(r);
  LastAccess* const accesses = accesses_of(crowd);
  for (uint32_t i = 0, seen = 0; seen < crowd->count && i < crowd_places(crowd->size_class); ++i) {
    if (accesses[i].whose() == 0) continue;
    ++seen;
    if ((accesses[i].bytes() & bytes) != 0) visit(accesses[i]);
  }
}

// Calls visit(access) for those of one thread, reads or writes, until it returns true. The first free place after them; null if
// there is none or if visit has returned true.
template <class Visit>
inline LastAccess* each_of_thread(Record* crowd, uint32_t whose, Visit visit) {
  LastAccess* const accesses = accesses_of(crowd);
  const uint32_t mask = crowd_places(crowd->size_class) - 1;
  uint32_t i = (whose & LastAccess::kSlot) + ((whose & LastAccess::kWrite) != 0 ? mask / 2 + 1 : 0);
  for (uint32_t tried = 0; tried <= mask; ++i, ++tried) {
    LastAccess& there = accesses[i & mask];
    const uint32_t its = there.whose();
    if (its == 0) return &there;
    if (its == whose && visit(there)) return nullptr;
  }
  return nullptr;
}

// Whether the crowd of a word says that the thread's current epoch has made such an access. Without the lock; may say no wrongly.
inline bool crowd_covers(const Thread& t, const Cell* at, unsigned bytes, AccessKind kind) {
  const Cell r = __atomic_load_n(at, __ATOMIC_ACQUIRE);
  if (!is_crowd(r)) return false;
  Record* const crowd = crowd_of(r);
  const uint32_t version = crowd->version.load(std::memory_order_acquire);
  if ((version & 1) != 0) return false;
  bool covered = false;
  each_of_thread(crowd, whose(t.slot, kind),
                 [&](const LastAccess& mine) { return covered = mine.covers(t.current, bytes, kind); });
  std::atomic_thread_fence(std::memory_order_acquire);
  return covered && load(at) == r && crowd->version.load(std::memory_order_relaxed) == version;
}

// The word gets a crowd, if it has none, with what the cell of the common class says. It takes over what `list`, the word's own record,
// has of reads and of atomic operations, but for plain reads if `atomic`. False, and nothing is done, if a cell cannot name it.
bool crowd_begins(Thread& t, uintptr_t word, bool atomic, History& list);
// An access by the thread, other than a plain write. False if there is no room, because no cell can name a bigger record.
bool access_in_crowd(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, OriginId origin);
// Whether all of it that touched the bytes is ordered before the thread.
bool is_crowd_ordered(Thread& t, Cell r, unsigned bytes);
// Notes what of it an access of that kind races with.
void look_at_crowd(Thread& t, uintptr_t word, Cell r, unsigned bytes, AccessKind kind, RaceFound& race);
// The bytes have not been touched.
void crowd_forgets(Cell r, unsigned bytes);
// No cell names the crowd any more. `t` may be null.
void end_crowd(Thread* t, Cell r);

}  // namespace deadheat::live
