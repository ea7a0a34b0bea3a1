// Reads without the lock of the stripe, by a thread that has its class for itself, so that threads which read the same
// data do not wait for each other.
//
// Steps     1  load the state of the part and the number of collections
//           2  load W, and R of the thread's class; the read must be ordered after the accesses that they name
//           3  store this read in R, then a full fence
//           4  load the number of collections, W and the state again; if none has changed, the read is done
//           5  else take the lock, undo step 3, and do the read again under the lock
// Writers   hold the lock. They store W, then a full fence, then look at R. So a writer sees the R of step 3, or the
//           reader sees in step 4 that W has changed. If history was forgotten meanwhile, the version of the part shows
//           it.
// Ids       A collection may free an id that no cell names, although a thread still has it in hand, and the id may
//           stand for another epoch at once. Up to step 3 cells name the ids of W and R; or a collection has run, and
//           then step 4 sees it and draws no conclusion from them. From step 3 on no cell names what R was. So step 5
//           puts back no id but the thread's current one, which every collection keeps, and only if history was not
//           forgotten meanwhile. Otherwise R becomes 0.
// No loss   Step 3 is reached in two cases. Either this read stands for the one that R named (which is ordered before
//           it, is of no other bytes, and conflicts with nothing more), or R is of the current epoch, and step 5 puts
//           it back. Step 5 records the read again. A thread that looks in between sees what it would see before the
//           read.
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

// `look(r)` says what R is, and whether the read may go on: R has no block. `put()` stores R with a full fence. `same()`:
// W is what it was. True if the read is recorded; else take_back_read() follows, under the lock.
template <class Look, class Put, class Same>
__attribute__((always_inline)) inline bool read_unlocked(Thread& t, const Summary& part, UnlockedRead& read, Look look,
                                                         Put put, Same same) {
  read.state = state_of(part);
  const uint64_t collections = epochs_collections.load(std::memory_order_acquire);
  if (!has_cells_of(read.state, t.reader_class)) return false;
  Cell r;
  read.changed = look(r);
  if (read.changed) {
    put();
    read.kept = id_of(r) == t.current ? r : 0;
  }
  // Also where nothing was put: what the look found out is remembered by the thread.
  if (__builtin_expect(epochs_collections.load(std::memory_order_relaxed) != collections, 0)) {
    forget_ids(t);
    return false;
  }
  return read.changed && same() && state_of(part) == read.state;
}

template <unsigned kWords>
__attribute__((noinline)) void take_back_read(Thread& t, uintptr_t address, const UnlockedRead& read) {
  constexpr uint64_t kVersionAndMode = (uint64_t{1} << 48) - 1;
  const uint64_t now = state_of(summary_of(address));
  const bool known = ((now ^ read.state) & kVersionAndMode) == 0;
  for (unsigned i = 0; i < kWords; ++i) store(read_cell_of(t, address + 4 * i), known ? read.kept : 0);
}

}  // namespace deadheat::live
