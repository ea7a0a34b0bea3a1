// In recordings: which accesses the current epoch has recorded already. Nobody looks for races here.
//
// Idea     The same cells as in detection, and the same hit test in front. A miss is recorded, and the thread's current
//          id goes into W for a write (which stands for reads, too) or into its R for a read. Whatever else stands
//          there, another thread's id included, is lost: the worst that follows is that an access is recorded twice.
// Whole    A part without cells that is accessed as a whole, as in a loop over a large array, gets the id into its
//          summary: it has cells from the first access on that is another one.
// Lock     None. A part gets cells and a summary under the lock of its stripe; after that each store is one of a whole cell. A
//          thread that frees or maps memory clears its cells, so a block that is handed out anew is recorded anew. Only
//          an access that races with the free could still store its id into the next block at that place.
// Full     With every access recorded no cell is used; memory that was accessed is marked all the same (touched.h).
// Tested by test/record, test/live_oracle
#pragma once

#include "live/ground/inside.h"
#include "live/ground/touched.h"
#include "live/record/record.h"
#include "live/shadow/cells.h"
#include "live/shadow/shadow.h"
#include "live/shadow/summary.h"

namespace deadheat::live {

inline void touch_range(uintptr_t begin, uintptr_t end) {
  for (uintptr_t at = begin; at < end; at = (at | ((uintptr_t{1} << kPieceShift) - 1)) + 1)
    if (at >> 47 == 0 && !is_touched(at)) note_touched(at);
}

// Cells of the part around an address may be stored.
inline void use_cells_to_note(const Thread& t, uintptr_t address, bool reading) {
  Summary& part = summary_of(address);
  const uint64_t state = state_of(part);
  if (__builtin_expect(reading ? has_cells_of(state, t.reader_class) : part.mode == PartMode::kCells, 1)) return;
  SpinGuard guard(stripe_of(address).lock);
  const Cell now = whole_cell(t.current);
  const bool is_summary = part.mode == PartMode::kSummary;
  const bool written = is_summary && part.front.w == now, read = is_summary && part.front.r == now;
  if (is_summary) part.front.w = part.front.r = 0;  // what it says of other threads is lost
  use_cells(address);
  if (reading || read) part.note_class(t.reader_class);
  const uintptr_t begin = address & ~uintptr_t{kStripeBytes - 1};
  if (written) fill_cells(cell_of(kPlaneW, begin), kPartWords, now);
  if (read) fill_cells(read_cell_of(t, begin), kPartWords, now);
}

// A whole part that has no cells yet needs none. False if it has.
inline bool note_whole_part(const Thread& t, uintptr_t begin, bool writing) {
  Summary& part = summary_of(begin);
  if (part.mode == PartMode::kCells) return false;
  SpinGuard guard(stripe_of(begin).lock);
  if (part.mode == PartMode::kCells) return false;
  const Cell now = whole_cell(t.current);
  part.fill = kPartWords;
  part.rest = {};
  part.front.writes = part.front.reads = {};
  part.front.r_class = t.reader_class;
  store(&part.front.w, writing ? now : 0);
  store(&part.front.r, writing ? 0 : now);
  if (part.mode == PartMode::kUntouched) {
    using Mode = uint16_t __attribute__((may_alias));
    __atomic_store_n(reinterpret_cast<Mode*>(&part.mode), static_cast<uint16_t>(PartMode::kSummary), __ATOMIC_RELEASE);
    note_touched(begin);
  }
  return true;
}
// Whether a summary says that the thread has recorded the part. Only the thread itself stores its id.
inline bool is_in_summary(const Thread& t, uintptr_t address, bool writing) {
  const Summary& part = summary_of(address);
  if ((state_of(part) >> 32 & 0xffff) != static_cast<uint64_t>(PartMode::kSummary)) return false;
  const Cell now = whole_cell(t.current);
  return load(&part.front.w) == now || (!writing && load(&part.front.r) == now);
}

// Some bytes of one word.
inline void note_bytes(const Thread& t, Cell* cell, unsigned bytes) {
  const Cell before = load(cell);
  if (id_of(before) == t.current && !is_atomic_cell(before)) bytes |= bytes_of(before);
  store(cell, cell_for(t.current, bytes));
}

// Bytes of one part.
inline void note_part(const Thread& t, uintptr_t begin, uintptr_t end, bool writing) {
  use_cells_to_note(t, begin, !writing);
  const auto cell = [&](uintptr_t word) { return writing ? cell_of(kPlaneW, word) : read_cell_of(t, word); };
  const uintptr_t first = (begin + 3) & ~uintptr_t{3}, last = end & ~uintptr_t{3};
  if (first > last) return note_bytes(t, cell(last), ((1u << (end - begin)) - 1) << (begin & 3));
  if (begin < first) note_bytes(t, cell(first - 4), 15u << (begin & 3) & 15);
  if (first < last) fill_cells(cell(first), static_cast<unsigned>(last - first) / 4, whole_cell(t.current));
  if (last < end) note_bytes(t, cell(last), (1u << (end & 3)) - 1);
}

inline void record_bytes(Thread& t, uintptr_t begin, uintptr_t end, AccessKind kind, NodeId path) {
  record::access(t, begin, end - begin, kind, path);
  if (record::full) touch_range(begin, end);
}

// What of some bytes is to be recorded, as `record(from, to)`; neighbouring parts are told at once. `known.recorded_until`
// and `known.new_until` say of bytes of one part how far they are recorded, from the first on, or are not.
template <class Known, class Record>
inline void each_unrecorded(Thread& t, uintptr_t address, uintptr_t end, AccessKind kind, Known known, Record record) {
  uintptr_t from = address;  // what lies from here up to the bytes in hand is to be recorded
  for (uintptr_t begin = address; begin < end && !record::full;) {
    uintptr_t next = (begin | (kStripeBytes - 1)) + 1;
    if (next > end) next = end;
    const bool writing = kind == AccessKind::kWrite, noted = writing || kind == AccessKind::kRead;
    const uintptr_t recorded = noted && is_in_summary(t, begin, writing) ? next : known.recorded_until(begin, next);
    if (recorded != begin) {
      if (from != begin) record(from, begin);
      from = recorded;
    }
    begin = recorded == next ? next : known.new_until(recorded, next);
    if (recorded == begin || !noted) continue;
    t.used = true;
    if (begin - recorded != kStripeBytes || !note_whole_part(t, recorded, writing))
      note_part(t, recorded, begin, writing);
  }
  if (from != end) record(from, end);
}

// Any access of a thread that is not alone and not inside the run time.
template <class Known>
void record_access(Thread& t, uintptr_t address, size_t bytes, AccessKind kind, uintptr_t pc, Known known) {
  if (record::is_paused()) return;
  Inside::enter();
  NodeId path{};
  each_unrecorded(t, address, address + bytes, kind, known, [&](uintptr_t from, uintptr_t to) {
    const uint32_t what = what_code(address, bytes, static_cast<unsigned>(kind));
    if (path == kNoNode) path = t.stack_cache.child(context_node(t), access_key(pc, what));
    record_bytes(t, from, to, kind, path);
  });
  Inside::leave();
}

// Elements of a power of two of bytes at multiples of it, so that each lies in one part; `step` bytes from one to the next.
template <class Known>
void record_elements(Thread& t, uintptr_t first, size_t bytes, ptrdiff_t step, size_t count, AccessKind kind,
                     uintptr_t pc, Known known) {
  if (record::is_paused()) return;
  Inside::enter();
  const uint32_t what = what_code(first, bytes, static_cast<unsigned>(kind));
  const NodeId path = t.stack_cache.child(context_node(t), access_key(pc, what));
  const uintptr_t last = first + (count - 1) * static_cast<uintptr_t>(step);
  if (record::full) {
    record::row(t, first, bytes, step, count, kind, path);
    touch_range(first < last ? first : last, (first < last ? last : first) + bytes);
  } else if (step == static_cast<ptrdiff_t>(bytes)) {
    each_unrecorded(t, first, last + bytes, kind, known, [&](uintptr_t from, uintptr_t to) {
      record::row(t, from, bytes, step, (to - from) / bytes, kind, path);
    });
  } else {
    uintptr_t from = first;
    size_t together = 0;
    for (uintptr_t at = first; count != 0; --count, at += static_cast<uintptr_t>(step)) {
      if (known.has(at) || is_in_summary(t, at, kind == AccessKind::kWrite)) {
        if (together != 0) record::row(t, from, bytes, step, together, kind, path);
        from = at + static_cast<uintptr_t>(step);
        together = 0;
        continue;
      }
      note_part(t, at, at + bytes, kind == AccessKind::kWrite);
      t.used = true;
      ++together;
    }
    record::row(t, from, bytes, step, together, kind, path);
  }
  Inside::leave();
}

// An access that lies in one part.
template <size_t kBytes, AccessKind kKind>
inline void record_one(Thread& t, uintptr_t address, uintptr_t pc) {
  const uint32_t what = what_code(address, kBytes, static_cast<unsigned>(kKind));
  const NodeId path = t.stack_cache.child(context_node(t), access_key(pc, what));
  if (!record::access_at_once<kBytes, kKind>(t.recording, address, path))
    record::access(t, address, kBytes, kKind, path);
  if (record::full && !is_touched(address)) note_touched(address);
}

// Bytes of one word. `is_recorded()` says whether this epoch has them.
template <size_t kBytes, AccessKind kKind, class IsRecorded>
inline void record_few(Thread& t, uintptr_t address, uintptr_t pc, IsRecorded is_recorded) {
  if (record::is_paused() || (!record::full && is_recorded())) return;
  Inside::enter();
  record_one<kBytes, kKind>(t, address, pc);
  if (!record::full) {
    note_part(t, address, address + kBytes, kKind == AccessKind::kWrite);
    t.used = true;
  }
  Inside::leave();
}

// Aligned words of one part.
template <unsigned kWords, bool kWriting>
inline void record_words(Thread& t, uintptr_t address, uintptr_t pc) {
  if (record::is_paused()) return;
  Inside::enter();
  record_one<4 * kWords, kWriting ? AccessKind::kWrite : AccessKind::kRead>(t, address, pc);
  if (!record::full) {
    use_cells_to_note(t, address, !kWriting);
    Cell* const cells = kWriting ? cell_of(kPlaneW, address) : read_cell_of(t, address);
    for (unsigned i = 0; i < kWords; ++i) store(cells + i, whole_cell(t.current));
    t.used = true;
  }
  Inside::leave();
}

// An atomic operation is recorded by itself (record::atomic). The cells say that a load was, for loops that spin.
inline void note_atomic(Thread& t, uintptr_t address, size_t bytes, AccessKind kind) {
  t.used = true;
  if (record::full) return touch_range(address, address + bytes);
  if (t.is_alone()) return;
  use_cells_to_note(t, address, true);
  if (kind != AccessKind::kAtomicRead || (address & 3) != 0 || (bytes != 4 && bytes != 8)) return;
  for (uintptr_t word = address; word < address + bytes; word += 4)
    if (load(read_cell_of(t, word)) != whole_cell(t.current)) store(read_cell_of(t, word), atomic_cell(t.current));
}

// The memory is free: what was recorded of it is of no more use.
inline void forget_freed(uintptr_t begin, size_t bytes) {
  touch_range(begin, begin + bytes);
  if (!record::full) shadow_forget(begin, bytes);
}

}  // namespace deadheat::live
