#include "live/shadow/shadow.h"

#include "live/ground/inside.h"
#include "live/ground/message.h"
#include "live/ground/touched.h"
#include "live/order/sync.h"
#include "live/shadow/records.h"
#include "live/shadow/summary.h"
#include "live/shadow/word_cells.h"

namespace deadheat::live {

constinit ShadowMap shadow_map;
constinit Stripe stripes[kStripes];

namespace {

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
        words_forget(begin, next);
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

// Whether Older says anything about the word.
bool has_older(uintptr_t word) {
  const Cell w = load(cell_of(kPlaneW, word));
  return is_simple(w) && (!is_whole(w) || class_with_older(word, w) != kReaderClasses);
}

constexpr size_t kManyBytes = size_t{128} << 10;  // from here on giving pages back is worth its system calls

}  // namespace

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

namespace {

// Parts from `from` up to `end`, to a place that is `distance` away. No thread can access either place now: one is
// unmapped, and the program does not know the other yet.
void move_parts(uintptr_t from, uintptr_t end, uintptr_t distance) {
  for (uintptr_t word = from; word < end; word += 4) {
    const uintptr_t to = word + distance;
    if (word % kStripeBytes == 0) {
      if (summary_of(word).mode == PartMode::kUntouched) {
        word += kStripeBytes - 4;
        continue;
      }
      use_cells(word);
      use_cells(to);
      ++summary_of(word).version;
      summary_of(to).classes = summary_of(word).classes;
    }
    const unsigned classes = summary_of(word).classes;
    const WordState state = WordState::load_cells(word, classes);
    state.store(to);
    if (state.w != 0) store(cell_of(kPlaneW, word), 0);
    for (unsigned left = classes; left != 0; left &= left - 1) {
      const unsigned c = static_cast<unsigned>(__builtin_ctz(left));
      if (state.r[c] != 0) store(cell_of(plane_r(c), word), 0);
    }
  }
}

}  // namespace

void shadow_move(uintptr_t from, uintptr_t to, size_t bytes) {
  if (!shadow_covers(from) || !shadow_covers(to)) return;
  each_touched(from, from + bytes, false, [&](uintptr_t begin, uintptr_t end) { move_parts(begin, end, to - from); });
}

void shadow_start() {
  AddressRange map[512];
  const size_t count = read_memory_map(map);
  if (count == 0) die("cannot read /proc/self/maps, which tells where there is room for the shadow; is /proc mounted?");
  PlaneShape planes[kPlanes] = {};
  planes[kPlaneSummary].log2_scale = -3;
  LayoutRequest request;
  request.planes = planes;
  request.extra_zone = {request.user_space.begin, uint64_t{1} << 32};  // for MAP_32BIT
  // Two that are too large for the gaps between libraries say where mappings go, and which way.
  constexpr size_t kProbe = 1 << 30;
  void* const one = sys::map(nullptr, kProbe, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
  void* const two = sys::map(nullptr, kProbe, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
  request.new_mapping = reinterpret_cast<uint64_t>(one);
  request.grows_up = one < two;
  if (one != nullptr) sys::unmap(one, kProbe);
  if (two != nullptr) sys::unmap(two, kProbe);
  auto chosen = choose_layout({map, count}, request);
  if (!chosen) {
    request.extra_zone = {};
    chosen = choose_layout({map, count}, request);
  }
  if (!chosen)
    die("no room for the shadow in the address space; try without address randomisation: setarch -R PROGRAM");
  // Summaries do not straddle pages; the room for the skew has place for this.
  uint64_t& summaries = chosen->base[kPlaneSummary];
  summaries = (summaries + sizeof(Summary) - 1) & ~(sizeof(Summary) - 1);
  layout = *chosen;
  shadow_map.mask = layout.mask & ~uint64_t{3};
  for (unsigned plane = 0; plane < kPlanes; ++plane) shadow_map.base[plane] = layout.base[plane];
  zones_start();
}

namespace {

void mark_cells(const Cell* cells, size_t count) {
  Cell last = 0;
  for (size_t i = 0; i < count; ++i) {
    const Cell cell = load(cells + i);
    if (cell == last || cell == 0 || (is_mark(cell) && !is_freed(cell))) continue;
    last = cell;
    if (!is_record(cell))
      epochs_mark(id_of(cell));
    else
      record_mark_ids(cell);
  }
}

void mark_read(Cell r, Cell w) {
  if (names_byte_reads(r, w))
    each_byte_read(r, 15, [](unsigned, EpochId id, OriginId) { epochs_mark(id); });
  else
    epochs_mark(id_of(r));
}

// All parts of a range that have a history. The R cells of class 0 beside the mark of a very large block hold its size,
// which looks like ids: chunks are kept that need not be.
void mark_range(uintptr_t begin, uintptr_t end) {
  for (uintptr_t part = begin; part < end; part += kStripeBytes) {
    const Summary& summary = summary_of(part);
    if (summary.mode == PartMode::kSummary) {
      for (const UniformState* state : {&summary.front, &summary.rest})
        for (const Cell cell : {state->w, state->r}) epochs_mark(id_of(cell));
    } else if (summary.mode == PartMode::kCells) {
      mark_cells(cell_of(kPlaneW, part), kPartWords);
      for (uintptr_t word = part; word < part + kStripeBytes; word += 4)
        if (has_older(word)) epochs_mark(id_of(load(cell_of(kPlaneOlder, word))));
      for (unsigned left = summary.classes; left != 0; left &= left - 1) {
        const Cell* r = cell_of(plane_r(static_cast<unsigned>(__builtin_ctz(left))), part);
        for (size_t i = 0; i < kPartWords; ++i) mark_read(load(r + i), load(cell_of(kPlaneW, part) + i));
      }
    }
  }
}

}  // namespace

void shadow_mark_ids() {
  each_zone([](uint64_t begin, uint64_t end) { each_touched(begin, end, false, mark_range); });
}

DEADHEAT_ARRAY_TAKEN_AT_FORK(kStripes, stripes)

}  // namespace deadheat::live
