// What the shadow forgets: memory that is handed out anew, that is freed, or that only one thread can still reach.
// Tested by test/live_shadow, test/programs: freed_*, heap_*, mmap_*
#include "live/ground/inside.h"
#include "live/ground/touched.h"
#include "live/order/sync.h"
#include "live/shadow/byte_reads.h"
#include "live/shadow/cells.h"
#include "live/shadow/records.h"
#include "live/shadow/summary.h"

namespace deadheat::live {
namespace {

// Words of one part that is in cells: `to` is what W becomes, and nothing else is known of them.
void set_words(uintptr_t begin, uintptr_t end, Cell to) {
  Cell* w = cell_of(kPlaneW, begin);
  const unsigned count = static_cast<unsigned>(end - begin) / 4;
  for (const ReaderClass c : summary_of(begin).classes)
    give_all_blocks(cell_of(plane_r(c), begin), cell_of(plane_r_origin(c), begin), w, count);
  constexpr unsigned kOnce = 64;
  for (unsigned i = 0; i < count; i += kOnce) {
    const unsigned some = std::min(count - i, kOnce);
    const Contents before = contents_of(w + i, some);
    if (before.records)
      for (unsigned j = i; j < i + some; ++j) leave(nullptr, load(w + j));
    if (before.anything || to != 0) fill_cells(w + i, some, to);  // cells that are 0 may have no memory yet
  }
  for (const ReaderClass c : summary_of(begin).classes) fill_cells(cell_of(plane_r(c), begin), count, 0);
}

// Forgets whole words; where nothing was recorded, nothing is touched. Says whether any were in cells.
bool forget_words(uintptr_t begin, uintptr_t end) {
  bool cells = false;
  while (begin < end) {
    uintptr_t next = (begin | (kStripeBytes - 1)) + 1;
    if (next > end) next = end;
    Summary& summary = summary_of(begin);
    if (summary.mode != PartMode::kUntouched) {
      SpinGuard guard(stripe_of(begin).lock);
      ++summary.version;
      const bool whole = next - begin == kStripeBytes;
      if (!whole) use_cells(begin);
      if (summary.mode == PartMode::kCells) {
        cells = true;
        set_words(begin, next, 0);
      }
      if (whole) summary.mode = PartMode::kUntouched;
    }
    begin = next;
  }
  return cells;
}

// The same for many: pages of cells that lie wholly within, which are all zero now, are given back.
void forget_pages(uintptr_t begin, uintptr_t end) {
  if (!forget_words(begin, end)) return;
  for (unsigned plane = 0; plane < kCellPlanes; ++plane) {
    const uintptr_t from =
        (reinterpret_cast<uintptr_t>(cell_of(static_cast<Plane>(plane), begin)) + kPage - 1) & ~(kPage - 1);
    const uintptr_t to = (reinterpret_cast<uintptr_t>(cell_of(static_cast<Plane>(plane), end - 1)) + 4) & ~(kPage - 1);
    if (from < to) sys::advise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
  }
}

constexpr size_t kManyBytes = size_t{128} << 10;  // from here on giving pages back is worth its system calls

}  // namespace

void words_forget(uintptr_t begin, uintptr_t end) { set_words(begin, end, 0); }

void words_free(uintptr_t begin, uintptr_t end, Cell freed, OriginId origin) {
  fill_cells(cell_of(kPlaneWOrigin, begin), static_cast<unsigned>(end - begin) / 4, origin);
  set_words(begin, end, freed);
}

void part_forget(uintptr_t address) {
  Summary& part = summary_of(address);
  const uintptr_t begin = address & ~uintptr_t{kStripeBytes - 1};
  ++part.version;
  const Cell* w = cell_of(kPlaneW, begin);
  for (unsigned i = 0; i < kPartWords;) {
    while (i < kPartWords && is_mark(load(w + i))) ++i;
    const unsigned first = i;
    while (i < kPartWords && !is_mark(load(w + i))) ++i;
    if (first < i) set_words(begin + 4 * first, begin + 4 * i, 0);
  }
  part.classes = kNoReaders;
}

void shadow_forget(uintptr_t begin, size_t bytes) {
  if (bytes == 0 || !started.load(std::memory_order_relaxed) || !shadow_covers(begin)) return;
  const Inside inside;
  const uintptr_t end = begin + bytes;
  const uintptr_t first = (begin + 3) & ~uintptr_t{3};
  const uintptr_t last = end & ~uintptr_t{3};
  const auto edge = [](uintptr_t word, unsigned touched) {
    Stripe& stripe = stripe_of(word);
    SpinGuard guard(stripe.lock);
    use_cells(word);
    ++summary_of(word).version;
    word_forget(word, touched);
  };
  if (first > last) return edge(last, 15u << (begin & 3) & ((1u << (end & 3)) - 1));  // bytes in the middle of a word
  if (first > begin) edge(first - 4, 15u << (begin & 3) & 15);
  if (last < end) edge(last, (1u << (end & 3)) - 1);
  if (last > first) {
    if (last - first >= kManyBytes)
      forget_pages(first, last);
    else
      forget_words(first, last);
  }
}

void forget_history(uintptr_t begin, size_t bytes) {
  if constexpr (record::kOn) record::fresh(begin, bytes);
  if (bytes < kManyBytes) {
    shadow_forget(begin, bytes);
    sync_forget_range(begin, bytes);
    return;
  }
  each_touched(begin, begin + bytes, true, [](uintptr_t from, uintptr_t to) {
    shadow_forget(from, to - from);
    sync_forget_range(from, to - from);
  });
}

}  // namespace deadheat::live
