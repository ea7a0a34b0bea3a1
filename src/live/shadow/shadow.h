// The live shadow: for every 4 bytes of the program a write cell, and a read cell for each class of threads.
//
// Planes    W has the write cells; R the read cells, one plane for each class (a thread has one class for life, and
//           while there are no more threads than classes, each has its own). WO and RO name the origins (stacks.h)
//           of the accesses that the cells stand for. A plane is as large as the program's address space in use and costs
//           memory only where it was touched, so data that one thread uses costs four planes, whichever thread it is:
//             cell of byte a in plane p = (a & ~3 & mask) + base[p]         (src/shadow/layout.h chooses mask and base)
// W         0           never written, or ordered before everything to come
//           0bbbb...    an epoch id (live/order/epochs.h): the last write, of the bytes b, or of all four where b is 0;
//                       where b is 1111, an atomic one of all four
//           10...       a record (records.h): several past accesses that cells cannot express
//           110..., 11100...  not the program's data: the 8 bytes before a heap block (live/shadow/blocks.h)
//           11111...    freed, in the epoch of that id: no access of the word hits, and each is reported (free_range).
//                       The cell stays so until the memory is handed out again; nothing else is recorded meanwhile.
// R         0, or an epoch id with its bytes: the last read by a thread of the class. Several threads that read the
//           same words do not meet. A read that finds the cell of its class taken by a read that is not ordered before
//           it (there are more threads than classes) goes into a record instead. Reads that a later write found ordered
//           stay: what is ordered after the write is ordered after them.
//           10000...  a crowd of reads that nothing orders, in a record of that number (crowd.h)
//           1bbbb...  the same with earlier reads of bytes beside it, in a block (byte_reads.h), whose number stands where the
//                     origin would: the last read, of the bytes b, and all of them are in the block
// Older     One earlier write beside those, see word_cells.h.
// Hit       A cell equal to the thread's current id: this access is already recorded. A write stands for the reads of
//           the same epoch, so reads look at R, then at W. Relaxed loads; a conflicting thread sees the record when it
//           updates.
// Update    Under the lock of the 1 KiB stripe: load, decide (detect/fasttrack_rules.h), store. Check and
//           publication of a word are one step, so two conflicting accesses cannot miss each other.
// Readers   A read by a thread that is alone in its class takes no lock: unlocked_read.h.
//
// The states of a word, and what takes one to another. All of them mean a list of past accesses (WordState::decode),
// and every arrow must refine the step of detect/word_rules.h on that list, which development builds check
// (reference.h).
//
//   untouched ---whole words in order---> summed up (summary.h) ---any other access: use_cells---> cells
//
//   in cells:
//
//     whole W, R cells    <--write of all bytes, ordered after W and Older-----------------+
//        |  |  |                                                                            |
//        |  |  +--read of other bytes in a later epoch, or from another place--> a block    |
//        |  |          beside the R cell (byte_reads.h); it ends when one read says it all  |
//        |  |                                                                               |
//        |  +--write of some bytes--> W of bytes, earlier write in Older ------------------>+
//        |             |  a third write, or one that is not ordered: record                 |
//        |             v                                                                    |
//        +--atomic write of all bytes--> atomic W, earlier plain write in Older ----------->+
//                      |  one that is not ordered, or of some bytes: record                 |
//                      v                                                                    |
//     record (records.h): any list --the list fits cells again: put_into_cells------------->+
//        reads stay in the R cells beside it, as far as the cell of their class has room for them
//
//   any state --free, gone--> freed --handed out again--> untouched or empty cells       any state --forget--> empty
//
// Already recorded? One question for each place where the answer may stand, each `true` only if the current epoch
// stands for the access: cell_covers (a cell), covered_by (a list, a record: record_covers), known_to_cover (what the
// thread remembers of records that do not change); is_covered asks them in order. Nothing changes if the answer is yes.
// Tested by test/live_shadow, test/programs, test/live_oracle; the hit paths are kept in test/codegen
#pragma once

#include <cstddef>
#include <cstdint>

#include "live/ground/spin_lock.h"
#include "live/order/thread.h"
#include "live/shadow/found.h"
#include "live/shadow/zones.h"

namespace deadheat::live {

using Cell = uint32_t;

inline constexpr Cell kRecordBit = 0x80000000u;
inline constexpr Cell kMarkBits = 0xc0000000u;
constexpr bool is_mark(Cell w) { return w >= kMarkBits; }
constexpr bool is_record(Cell w) { return (w & kMarkBits) == kRecordBit; }
constexpr bool is_simple(Cell cell) { return (cell & kRecordBit) == 0; }
inline constexpr Cell kFreedBits = 0x1fu << kIdBits;
constexpr Cell freed_cell(EpochId id) { return kFreedBits | number_of(id); }
constexpr bool is_freed(Cell w) { return w >= kFreedBits; }

// Of a simple cell.
inline constexpr Cell kIdMask = (1u << kIdBits) - 1;
constexpr bool is_whole(Cell cell) { return cell <= kIdMask; }  // 0, or plain and all four bytes; false for records
constexpr EpochId id_of(Cell cell) { return EpochId{cell & kIdMask}; }
constexpr unsigned bytes_of(Cell cell) { return cell == 0 ? 0 : is_whole(cell) ? 15 : cell >> kIdBits & 15; }
constexpr Cell whole_cell(EpochId id) { return number_of(id); }
constexpr EpochId id_of_whole(Cell cell) { return EpochId{cell}; }
constexpr Cell cell_for(EpochId id, unsigned bytes) {
  return bytes == 15 ? whole_cell(id) : number_of(id) | bytes << kIdBits;
}
constexpr Cell atomic_cell(EpochId id) { return number_of(id) | 15u << kIdBits; }
constexpr bool is_atomic_cell(Cell cell) { return cell >> kIdBits == 15; }
constexpr AccessKind kind_of_write(Cell w) { return is_atomic_cell(w) ? AccessKind::kAtomicWrite : AccessKind::kWrite; }
constexpr AccessKind kind_of_read(Cell r) { return is_atomic_cell(r) ? AccessKind::kAtomicRead : AccessKind::kRead; }
// Of a read cell (word_cells.h).
inline constexpr Cell kInBlock = 1u << 31;  // of byte reads: the cell says which bytes the last epoch read; or a crowd
constexpr bool has_block(Cell r) { return (r & kInBlock) != 0; }
constexpr bool is_crowd(Cell r) { return r >> kIdBits == kInBlock >> kIdBits; }  // crowd.h
constexpr bool has_byte_reads(Cell r) { return has_block(r) && !is_crowd(r); }
constexpr Cell cell_for_some(EpochId id, unsigned bytes) { return bytes == 0 ? 0 : cell_for(id, bytes); }

// The last has 128 bytes for each KiB (summary.h).
enum Plane : unsigned {
  kPlaneW = 0,
  kPlaneOlder = 2,
  kPlaneR = 4,  // of class 0; the others follow
  kCellPlanes = kPlaneR + 2 * kReaderClasses,
  kPlaneSummary = kCellPlanes,
  kPlanes
};
// Beside each plane of cells: which accesses they stand for.
enum OriginPlane : unsigned {
  kPlaneWOrigin = kPlaneW + 1,
  kPlaneOlderOrigin = kPlaneOlder + 1,
  kPlaneROrigin = kPlaneR + kReaderClasses,
};
constexpr Plane plane_r(ReaderClass c) { return static_cast<Plane>(kPlaneR + static_cast<unsigned>(c)); }
constexpr OriginPlane plane_r_origin(ReaderClass c) {
  return static_cast<OriginPlane>(kPlaneROrigin + static_cast<unsigned>(c));
}

struct ShadowMap {
  uint64_t mask = 0;  // the layout's mask without the two lowest bits
  uint64_t base[kPlanes] = {};
};
extern ShadowMap shadow_map __attribute__((visibility("hidden")));

inline Cell* cell_of(Plane plane, uintptr_t address) {
  return reinterpret_cast<Cell*>((address & shadow_map.mask) + shadow_map.base[plane]);
}
inline OriginId* cell_of(OriginPlane plane, uintptr_t address) {
  return reinterpret_cast<OriginId*>((address & shadow_map.mask) + shadow_map.base[plane]);
}
// The read cell of the calling thread; also before the thread is known.
inline Cell* own_read_cell(uintptr_t address) {
  return reinterpret_cast<Cell*>((address & shadow_map.mask) + shadow_map.base[kPlaneR] + tls.read_plane);
}
inline Cell* read_cell_of(const Thread& t, uintptr_t address) {
  return reinterpret_cast<Cell*>((address & shadow_map.mask) + t.read_cells);
}
inline OriginId* read_origin_of(const Thread& t, uintptr_t address) {
  return reinterpret_cast<OriginId*>((address & shadow_map.mask) + t.read_origins);
}
inline Cell load(const Cell* cell) { return __atomic_load_n(cell, __ATOMIC_RELAXED); }
inline void store(Cell* cell, Cell value) { __atomic_store_n(cell, value, __ATOMIC_RELAXED); }
inline OriginId load(const OriginId* cell) { return peek(*cell); }
inline void store(OriginId* cell, OriginId value) { __atomic_store(cell, &value, __ATOMIC_RELAXED); }

// The plain write before W, if W does not stand for it; 0 if there is none. `w` is what W is (word_cells.h).
inline Cell older_write(uintptr_t word, Cell w) {
  if (is_whole(w) || !is_simple(w)) return 0;
  const Cell older = load(cell_of(kPlaneOlder, word));
  if (is_atomic_cell(w)) return older;
  const unsigned bytes = bytes_of(older) & ~bytes_of(w);
  return bytes == 0 ? 0 : cell_for(id_of(older), bytes);
}

// Guards the words of 1 KiB; several such parts share one.
struct alignas(64) Stripe {
  SpinLock lock{Lock::kStripes};
};
inline constexpr unsigned kStripeBytes = 1024;
inline constexpr unsigned kStripes = 1u << 14;
extern Stripe stripes[kStripes] __attribute__((visibility("hidden")));
inline Stripe& stripe_of(uintptr_t address) {
  return stripes[(address >> 10 ^ address >> 23 ^ address >> 33) & (kStripes - 1)];
}

// Maps the planes; ends the program with one line if there is no place for them.
void shadow_start();
// Whether the word at an address is freed.
inline bool is_freed_at(uintptr_t address) {
  return shadow_covers(address) && is_freed(load(cell_of(kPlaneW, address)));
}

// An access by the calling thread, of any size and alignment. The entry points call these after a miss.
void access_slow(uintptr_t address, size_t bytes, AccessKind kind, uintptr_t pc);
void do_pending_accesses(Thread& t);  // Thread::pending
template <unsigned kWords>
void read_words_slow(uintptr_t address, uintptr_t pc);
template <unsigned kWords>
void write_words_slow(uintptr_t address, uintptr_t pc);
// The same for `count` elements from a word on, each `step` bytes after the one before, which is a multiple of their size.
template <unsigned kWords, bool kWriting>
void sweep_words(uintptr_t first, size_t step, size_t count, uintptr_t pc);
// In recordings: the same for elements at multiples of their size, upwards or downwards. False, with nothing done, if they
// must be checked one by one.
template <unsigned kBytes, AccessKind kKind>
bool record_row(uintptr_t first, ptrdiff_t step, size_t count, uintptr_t pc);
// Of bytes that lie in one word if the address is aligned.
template <unsigned kBytes, AccessKind kKind>
void bytes_slow(uintptr_t address, uintptr_t pc);
// The same for an atomic operation, which holds the lock of its sync object: it hands the race to the caller, which
// reports it after it has left the lock.
void access_atomic(Thread& t, uintptr_t address, size_t bytes, AccessKind kind, uintptr_t pc, RaceFound& race);
// A load that races with nothing, by a thread that has its class for itself. False if it takes a closer look: then
// atomic_read_slow, which leaves the run time and reports.
bool record_atomic_read(Thread& t, uintptr_t address, size_t bytes, uintptr_t pc);
void atomic_read_slow(Thread& t, uintptr_t address, size_t bytes, uintptr_t pc);
void access_range(uintptr_t address, size_t bytes, AccessKind kind, uintptr_t pc);
// A free by the calling thread, which is not inside the run time: a write of all bytes. `gone`: nobody may use them
// until they are handed out again. A thread that is alone marks the front of the block, others all.
void free_range(Thread& t, uintptr_t begin, size_t bytes, bool gone, uintptr_t pc);

// The bytes have no history any more.
void shadow_forget(uintptr_t begin, size_t bytes);
// The same for the clocks of objects in them, too. Quick for any size: reservations can be huge.
void forget_history(uintptr_t begin, size_t bytes);
// What is recorded of the bytes `from` holds for the bytes `to` instead, which had no history. Whole pages.
void shadow_move(uintptr_t from, uintptr_t to, size_t bytes);

}  // namespace deadheat::live
