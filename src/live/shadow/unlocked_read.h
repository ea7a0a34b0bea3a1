// Reads without the lock of the stripe, by a thread that has its class for itself, so that threads which read the same
// data do not wait for each other.
//
// Frame     1  the state of the part, the number of collections
//           2  look: W, and R of the thread's class; the read must be ordered after all that they say
//           3  put: R is this read, then a full fence
//           4  the number of collections, W and the state again: if any has changed, the read was for nothing
//           5  then, under the lock, R is taken back, and the read is done there as if it came only now
// Writers   (under the lock) store W, then a full fence, then look at R. So a writer sees the R of step 3, or the reader
//           sees W changed in step 4. What was forgotten meanwhile shows in the version of the part.
// Ids       An id that a thread has in hand, but no cell, may be collected and stand for another epoch at once. Before step
//           3 cells name W and R, or the number of collections changes until step 4, and nothing is concluded from them.
//           From step 3 on nothing names what R was. So step 5 puts no id back but the current one of the thread, which
//           every collection keeps, and only where history was not forgotten meanwhile; else R is 0.
// Lost      is nothing by that: step 3 is reached only if this read stands for all that R said (it is ordered before, of
//           no other bytes, and not of a kind that conflicts with more), or R is of the current epoch and is put back. The
//           read that is done in step 5 records it anew. Whoever looks in between sees what it would see if the read
//           were not yet done.
// Tested by test/programs/epochs_collected_unlocked.c
#pragma once

#include "live/order/thread.h"
#include "live/shadow/summary.h"

namespace deadheat::live {

struct UnlockedRead {
  bool changed = false;  // R was changed in vain
  Cell kept = 0;         // what is put back then
  uint64_t state = 0;    // of the part, before
};

// `look(r)` says what R is, and whether the read may go on. `put()` stores R with a full fence; false if R was changed by
// another thread. `same()`: W is what it was. True if the read is recorded; else take_back_read() follows, under the
// lock.
template <class Look, class Put, class Same>
__attribute__((always_inline)) inline bool read_unlocked(Thread& t, const Summary& part, UnlockedRead& read, Look look,
                                                         Put put, Same same) {
  read.state = state_of(part);
  const uint64_t collections = epochs_collections.load(std::memory_order_acquire);
  if (!has_cells_of(read.state, t.reader_class)) return false;
  Cell r;
  if (!look(r) || !put()) return false;
  read.changed = true;
  read.kept = id_of(r) == t.current ? r & ~kHasOlder : 0;
  if (__builtin_expect(epochs_collections.load(std::memory_order_relaxed) != collections, 0)) {
    forget_ids(t);
    return false;
  }
  return same() && state_of(part) == read.state;
}

// Whether others took over the earlier read that R says there is, they have said in R meanwhile.
template <unsigned kWords>
__attribute__((noinline)) void take_back_read(Thread& t, uintptr_t address, const UnlockedRead& read) {
  constexpr uint64_t kVersionAndMode = (uint64_t{1} << 48) - 1;
  const uint64_t now = state_of(summary_of(address));
  const bool known = ((now ^ read.state) & kVersionAndMode) == 0;
  for (unsigned i = 0; i < kWords; ++i) {
    Cell* cell = read_cell_of(t, address + 4 * i);
    store(cell, known ? read.kept | (load(cell) & kHasOlder) : 0);
  }
}

}  // namespace deadheat::live
