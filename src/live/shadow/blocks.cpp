#include "live/shadow/blocks.h"

#include <cerrno>

#include "live/ground/inside.h"
#include "live/ground/loader.h"
#include "live/ground/options.h"
#include "live/ground/touched.h"
#include "live/order/sync.h"
#include "live/paths/called.h"
#include "live/shadow/records.h"
#include "live/shadow/shadow.h"
#include "live/shadow/summary.h"
#include "live/shadow/uses.h"

namespace deadheat::live {
namespace {

// The first cell of the mark. The second one: bit 28 when freed, and the size if it fits into the bits below; else they
// are all set and the size is in R of class 0. Neither is the cell of a freed word.
constexpr Cell kBlockMark = 0xe0000000u;
constexpr Cell kFreed = 1u << 28;
constexpr Cell kLarge = kFreed - 1;
static_assert(is_mark(kBlockMark) && !is_freed(kBlockMark) && !is_freed(kMarkBits | kFreed | kLarge));

// The C library maps blocks of this size one by one, and without asking us (M_MMAP_THRESHOLD).
constexpr size_t kMapped = size_t{128} << 10;
bool has_shadow(uintptr_t begin, size_t bytes) {
  return (bytes < kMapped && shadow_covers(begin)) || shadow_cover(begin - 8, bytes + 8);
}

void put_pair(Plane plane, uintptr_t at, uint64_t value) {
  store(cell_of(plane, at), static_cast<Cell>(value));
  store(cell_of(plane, at + 4), static_cast<Cell>(value >> 32));
}
uint64_t get_pair(Plane plane, uintptr_t at) {
  return load(cell_of(plane, at)) | uint64_t{load(cell_of(plane, at + 4))} << 32;
}

// Where its origins would be: the call of the allocation, and the thread.
void put_maker(uintptr_t at, NodeId where, ThreadUid thread) {
  store(cell_of(kPlaneWOrigin, at), as_origin(where));
  store(cell_of(kPlaneWOrigin, at + 4), static_cast<OriginId>(thread));
}

// A block that is handed out while the thread is inside the run time, or at its end. Only the caller knows the block,
// so this needs no lock. (The thread may hold one.)
void not_freed_any_more(uintptr_t begin, uintptr_t end) {
  for (uintptr_t part = begin; part < end;) {
    uintptr_t next = (part | (kStripeBytes - 1)) + 1;
    if (next > end) next = end;
    Summary& summary = summary_of(part);
    if (summary.mode == PartMode::kCells) {
      for (Cell *w = cell_of(kPlaneW, part), *last = cell_of(kPlaneW, next - 4); w <= last; ++w)
        if (is_freed(load(w))) store(w, 0);
    } else if (summary.mode == PartMode::kSummary && is_freed(summary.front.w)) {
      summary.mode = PartMode::kUntouched;
    }
    part = next;
  }
}

// By glibc's note in the size field: a mapping of its own, which free gives back to the system.
bool is_mapping(uintptr_t block) { return (*reinterpret_cast<const size_t*>(block - sizeof(size_t)) & 2) != 0; }

}  // namespace

namespace {

void put_block(uintptr_t begin, size_t bytes, size_t usable, uintptr_t pc) {
  Thread* t = current_thread();
  if (t == nullptr || tls.busy != 0) {
    if (shadow_covers(begin)) not_freed_any_more(begin, begin + usable);
    return;
  }
  if (!has_shadow(begin, usable)) return;
  const Inside inside;
  const NodeId where = t->stack_cache.child(context_node(*t), frame_key(pc));
  const uintptr_t mark = begin - 8, end = begin + usable;
  const bool one_stripe = ((begin | end) & 3) == 0 && (mark ^ (end - 1)) < kStripeBytes;
  if (one_stripe)
    sync_forget_range(begin, usable);
  else
    forget_history(begin, usable);
  // All that the program may use is new to it, also what it did not ask for.
  if constexpr (record::kOn) {
    record::memory(*t, record::What::kAllocate, begin, usable, where);
    if (one_stripe && !record::full) shadow_forget(begin, usable);
    return;  // reports are made elsewhere: nobody asks which block an address is in
  }
  if (__builtin_expect(explaining, 0)) forget_uses(begin, usable);
  SpinGuard guard(stripe_of(mark).lock);
  use_cells(mark);
  if (one_stripe) {
    ++summary_of(mark).version;
    words_forget(begin, end);
  }
  if (bytes >= kLarge) put_pair(kPlaneR, mark, bytes);
  const Cell size = bytes >= kLarge ? kLarge : static_cast<Cell>(bytes);
  put_maker(mark, where, t->uid);
  put_pair(kPlaneW, mark, kBlockMark | uint64_t{kMarkBits | size} << 32);
  note_block(mark);
}

void take_block(uintptr_t begin, size_t usable, uintptr_t pc) {
  if (tls.busy != 0) return;
  Thread* t = current_thread();
  if (t == nullptr || !shadow_covers(begin)) return;
  if constexpr (record::kOn) {
    const Inside inside;
    record::memory(*t, record::What::kRelease, begin, usable, t->stack_cache.child(context_node(*t), frame_key(pc)));
  }
  free_range(*t, begin, usable, options.report_use_after_free && !is_mapping(begin), pc);
  Cell* what = cell_of(kPlaneW, begin - 4);
  if (!is_mark(load(what))) return;
  // Other memory may come to lie where a part of a mapping was: that is no part of the block.
  if (is_mapping(begin))
    put_pair(kPlaneW, begin - 8, 0);
  else
    store(what, load(what) | kFreed);
}

}  // namespace

void allocated(void* block, size_t bytes, size_t usable, uintptr_t pc) {
  if (!started.load(std::memory_order_relaxed)) return;
  const int error = errno;
  put_block(reinterpret_cast<uintptr_t>(block), bytes, usable, pc);
  block_taken_hooks(block, bytes, pc);
  errno = error;
}

void freeing(void* block, size_t usable, uintptr_t pc) {
  if (!started.load(std::memory_order_relaxed)) return;
  const int error = errno;
  block_given_hooks(block, pc);
  if (!is_loader(caller_in(pc))) take_block(reinterpret_cast<uintptr_t>(block), usable, pc);
  errno = error;
}

void access_touched(uintptr_t begin, size_t bytes, AccessKind kind, uintptr_t pc) {
  if (!shadow_covers(begin)) return;
  each_touched(begin, begin + bytes, false, [&](uintptr_t from, uintptr_t to) {
    if constexpr (record::kOn) return access_range(from, to - from, kind, pc);  // cells do not say what has a history
    for (uintptr_t part = from; part < to;) {
      uintptr_t next = (part | (kStripeBytes - 1)) + 1;
      if (next > to) next = to;
      if (summary_of(part).mode != PartMode::kUntouched) access_range(part, next - part, kind, pc);
      part = next;
    }
  });
}

bool block_of(uintptr_t address, Block& block) {
  constexpr uintptr_t kFarthest = uintptr_t{4} << 30;
  uintptr_t at = address & ~uintptr_t{15};
  for (uintptr_t walked = 0; walked < kFarthest; walked += 16, at -= 16) {
    const uintptr_t mark = at - 8;
    if (!shadow_covers(mark)) return false;
    // Nothing in this piece or part: on with the last 16 bytes of the one before.
    uintptr_t empty = bytes_without_blocks(mark);
    if (empty == 0 && summary_of(mark).mode != PartMode::kCells) empty = kStripeBytes;
    if (empty != 0) {
      const uintptr_t step = (at - 16) & (empty - 1);
      walked += step;
      at -= step;
      continue;
    }
    if (load(cell_of(kPlaneW, mark)) != kBlockMark) continue;
    const NodeId where = as_node(load(cell_of(kPlaneWOrigin, mark)));
    const ThreadUid thread = static_cast<ThreadUid>(load(cell_of(kPlaneWOrigin, mark + 4)));
    const Cell what = load(cell_of(kPlaneW, mark + 4));
    const size_t bytes = (what & kLarge) == kLarge ? get_pair(kPlaneR, mark) : what & kLarge;
    block = {at, bytes, where, thread, (what & kFreed) != 0};
    return address < at + (block.bytes == 0 ? 1 : block.bytes);
  }
  return false;
}

}  // namespace deadheat::live
