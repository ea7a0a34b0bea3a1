#include "runtime/shadow.h"

#include "runtime/message.h"
#include "runtime/records.h"
#include "runtime/report.h"
#include "runtime/signals.h"
#include "runtime/simple_state.h"
#include "runtime/summary.h"
#include "shadow/layout.h"

namespace deadheat::live {

constinit ShadowMap shadow_map;
constinit Stripe stripes[kStripes];

namespace {

constinit Layout layout;

void note(RaceFound& race, uintptr_t word, AccessKind kind, EpochId epoch, Plane origin_plane) {
  if (race.found) return;
  race = {true, kind, 15, epoch, load(cell_of(origin_plane, word)), word};
}

// One word, all four bytes, by a thread that is not alone; the stripe's lock is held.
inline void read_word(Thread& t, uintptr_t word, NodeId origin, RaceFound& race) {
  Cell* r = cell_of(kPlaneR, word);
  const SimpleState x = {load(cell_of(kPlaneW, word)), load(r)};
  if (((x.w | x.r) & kRecordBit) != 0) return word_update(t, word, 15, AccessKind::kRead, origin, race);
  const fasttrack::Decision d = fasttrack::read(t.E(), Known{t}, x);
  if (d.rule == fasttrack::Rule::kReadSameEpoch) return;
  if (d.rule == fasttrack::Rule::kReadShare) return word_update(t, word, 15, AccessKind::kRead, origin, race);
  if (d.races_with_write) note(race, word, AccessKind::kWrite, x.w, kPlaneWOrigin);
  store(cell_of(kPlaneROrigin, word), origin);
  store(r, t.current);
}

inline void write_word(Thread& t, uintptr_t word, NodeId origin, RaceFound& race) {
  Cell* w = cell_of(kPlaneW, word);
  Cell* r = cell_of(kPlaneR, word);
  const SimpleState x = {load(w), load(r)};
  if (((x.w | x.r) & kRecordBit) != 0) return word_update(t, word, 15, AccessKind::kWrite, origin, race);
  const fasttrack::Decision d = fasttrack::write(t.E(), Known{t}, x);
  if (d.rule == fasttrack::Rule::kWriteSameEpoch) return;
  if (d.races_with_write)
    note(race, word, AccessKind::kWrite, x.w, kPlaneWOrigin);
  else if (d.races_with_read)
    note(race, word, AccessKind::kRead, x.r, kPlaneROrigin);
  store(cell_of(kPlaneWOrigin, word), origin);
  store(w, t.current);
  store(r, t.current);
}

// Size code of an access for its origin: log2, or 5 for a range.
constexpr uint32_t what_code(size_t bytes, AccessKind kind) {
  const uint32_t size = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : bytes == 16 ? 4 : 5;
  return size | static_cast<uint32_t>(kind) << 4;
}

// While the run time is entered: a signal handler that comes now must not take locks.
class Busy {
 public:
  explicit Busy(Thread& t) : t_(t) { ++tls.busy; }
  ~Busy() {
    if (--tls.busy == 0 && __builtin_expect((t_.pending_count | signals_waiting) != 0, 0)) flush();
  }

 private:
  __attribute__((noinline)) void flush() {
    while (t_.pending_count != 0) {
      const PendingAccess p = t_.pending[--t_.pending_count];
      access_slow(p.address, p.size, p.kind, p.pc);
    }
    run_waiting_signals();
  }
  Thread& t_;
};

// Bytes [begin, end) of one stripe.
void update_part(Thread& t, uintptr_t begin, uintptr_t end, AccessKind kind, NodeId origin, RaceFound& race) {
  Stripe& stripe = stripe_of(begin);
  SpinGuard guard(stripe.lock);
  const bool whole_words = ((begin | end) & 3) == 0 && !is_atomic(kind);
  if (whole_words && summary_access(t, begin, static_cast<unsigned>(end - begin) / 4, is_write(kind), origin)) return;
  if (!whole_words) use_cells(begin);
  for (uintptr_t word = begin & ~uintptr_t{3}; word < end; word += 4) {
    unsigned bytes = 15;
    if (word < begin) bytes &= 15u << (begin - word) & 15;
    if (word + 4 > end) bytes &= (1u << (end - word)) - 1;
    if (load(cell_of(kPlaneW, word)) == kBlockMark) continue;
    if (t.current == 0)
      word_forget(word, 15);
    else if (bytes == 15 && kind == AccessKind::kRead)
      read_word(t, word, origin, race);
    else if (bytes == 15 && (kind == AccessKind::kWrite || kind == AccessKind::kFree))
      write_word(t, word, origin, race);
    else
      word_update(t, word, bytes, kind, origin, race);
  }
}

// True if every word already has the thread's current epoch, without any lock.
bool all_current(Plane plane, uintptr_t begin, uintptr_t end, EpochId current) {
  const Cell* cell = cell_of(plane, begin);
  const Cell* last = cell_of(plane, end - 1);
  Cell different = 0;
  for (; cell <= last; ++cell) different |= load(cell) ^ current;
  return different == 0;
}

void access_now(Thread& t, uintptr_t address, size_t bytes, AccessKind kind, uintptr_t pc) {
  const uint32_t what = what_code(bytes, kind);
  RaceFound race;
  {
    Busy busy(t);
    const NodeId origin = t.current != 0 ? origin_of(t, pc, what) : 0;
    t.used = true;
    const uintptr_t end = address + bytes;
    for (uintptr_t begin = address; begin < end;) {
      uintptr_t next = (begin | (kStripeBytes - 1)) + 1;
      if (next > end) next = end;
      const bool hit = !is_atomic(kind) && all_current(is_write(kind) ? kPlaneW : kPlaneR, begin, next, t.current);
      if (!hit) update_part(t, begin, next, kind, origin, race);
      begin = next;
    }
  }
  if (__builtin_expect(race.found, 0)) report_race(t, address, bytes, kind, pc, race);
}

template <unsigned kWords>
inline bool all_equal(const Cell* cells) {
  for (unsigned i = 1; i < kWords; ++i)
    if (load(cells + i) != load(cells)) return false;
  return true;
}

// Several words with one state are decided once. False if they have not, or if the decision is not the common one.
template <unsigned kWords>
inline bool read_alike(Thread& t, uintptr_t address, NodeId origin) {
  const Cell* w = cell_of(kPlaneW, address);
  Cell* r = cell_of(kPlaneR, address);
  const SimpleState x = {load(w), load(r)};
  if (!all_equal<kWords>(w) || !all_equal<kWords>(r)) return false;
  if (x.w != t.ordered_reads.w || x.r != t.ordered_reads.r) {
    if (((x.w | x.r) & kRecordBit) != 0) return false;
    if (!reads_alone(t, x)) return false;
    t.ordered_reads = {x.w, x.r};
  }
  Cell* o = cell_of(kPlaneROrigin, address);
  for (unsigned i = 0; i < kWords; ++i) store(o + i, origin);
  for (unsigned i = 0; i < kWords; ++i) store(r + i, t.current);
  return true;
}

template <unsigned kWords>
inline bool write_alike(Thread& t, uintptr_t address, NodeId origin) {
  Cell* w = cell_of(kPlaneW, address);
  Cell* r = cell_of(kPlaneR, address);
  const SimpleState x = {load(w), load(r)};
  if (!all_equal<kWords>(w) || !all_equal<kWords>(r)) return false;
  if (x.w != t.ordered_writes.w || x.r != t.ordered_writes.r) {
    if (((x.w | x.r) & kRecordBit) != 0) return false;
    if (!writes_alone(t, x)) return false;
    t.ordered_writes = {x.w, x.r};
  }
  Cell* o = cell_of(kPlaneWOrigin, address);
  for (unsigned i = 0; i < kWords; ++i) store(o + i, origin);
  for (unsigned i = 0; i < kWords; ++i) store(w + i, t.current);
  for (unsigned i = 0; i < kWords; ++i) store(r + i, t.current);
  return true;
}

// Words that several threads read: the thread may stand in their records already.
template <unsigned kWords>
inline bool covered_by_records(const Thread& t, uintptr_t address, AccessKind kind) {
  const Cell* w = cell_of(kPlaneR, address);
  for (unsigned i = 0; i < kWords; ++i) {
    const Cell state = load(w + i);
    if ((state & kRecordBit) == 0 || state == kBlockMark) return false;
    if (i > 0 && state == load(w + i - 1)) continue;
    if (!record_covers(w + i, state, t.current, kind, 15)) return false;
  }
  return true;
}

// The words of a small access that begins at a word and lies in one stripe.
template <unsigned kWords, bool kWriting>
inline void words_slow(uintptr_t address, uintptr_t pc) {
  Thread* t = tls.thread;
  constexpr AccessKind kind = kWriting ? AccessKind::kWrite : AccessKind::kRead;
  const bool one_stripe = (address & 3) == 0 && (address & (kStripeBytes - 1)) + 4 * kWords <= kStripeBytes;
  if (__builtin_expect(t == nullptr || (tls.busy | tls.ignoring) != 0 || t->current == 0 || !one_stripe, 0))
    return access_slow(address, 4 * kWords, kind, pc);
  if (covered_by_records<kWords>(*t, address, kind)) return;
  RaceFound race;
  {
    Busy busy(*t);
    const NodeId origin = origin_of(*t, pc, what_code(4 * kWords, kind));
    t->used = true;
    Stripe& stripe = stripe_of(address);
    SpinGuard guard(stripe.lock);
    const bool summed = summary_access(*t, address, kWords, kWriting, origin);
    const bool alike = summed     ? true
                       : kWriting ? write_alike<kWords>(*t, address, origin)
                                  : read_alike<kWords>(*t, address, origin);
    for (unsigned i = 0; i < kWords && !alike; ++i) {
      if constexpr (kWriting)
        write_word(*t, address + 4 * i, origin, race);
      else
        read_word(*t, address + 4 * i, origin, race);
    }
  }
  if (__builtin_expect(race.found, 0)) report_race(*t, address, 4 * kWords, kind, pc, race);
}

// Bytes of one word, by a thread that is not alone.
void small_access(Thread& t, uintptr_t address, size_t bytes, AccessKind kind, uintptr_t pc) {
  const unsigned touched = ((1u << bytes) - 1) << (address & 3);
  Stripe& stripe = stripe_of(address);
  if (known_to_cover(t, load(cell_of(kPlaneW, address)), touched, kind)) return;
  RaceFound race;
  {
    Busy busy(t);
    const NodeId origin = origin_of(t, pc, what_code(bytes, kind));
    t.used = true;
    SpinGuard guard(stripe.lock);
    use_cells(address);
    word_update(t, address & ~uintptr_t{3}, touched, kind, origin, race);
  }
  if (__builtin_expect(race.found, 0)) report_race(t, address, bytes, kind, pc, race);
}

}  // namespace

void access_slow(uintptr_t address, size_t bytes, AccessKind kind, uintptr_t pc) {
  Thread* t = current_thread();
  if (t == nullptr || tls.ignoring != 0) return;
  if (tls.busy != 0) {
    // A signal handler interrupted the run time. Sixteen accesses can wait; handlers do little.
    if (t->pending_count < sizeof t->pending / sizeof t->pending[0])
      t->pending[t->pending_count++] = {address, bytes, pc, kind};
    return;
  }
  if ((address & 3) + bytes <= 4 && t->current != 0) return small_access(*t, address, bytes, kind, pc);
  access_now(*t, address, bytes, kind, pc);
}

void access_atomic(Thread& t, uintptr_t address, size_t bytes, AccessKind kind, uintptr_t pc, RaceFound& race) {
  if (!shadow_covers(address) || tls.ignoring != 0) return;
  const Cell* cell = cell_of(kPlaneW, address);
  const Cell state = load(cell);
  if ((state & kRecordBit) != 0 && state != kBlockMark && bytes <= 4 && (address & 3) + bytes <= 4) {
    const unsigned touched = ((1u << bytes) - 1) << (address & 3);
    if (record_covers(cell, state, t.current, kind, touched)) return;
  }
  const NodeId origin = origin_of(t, pc, what_code(bytes, kind));
  t.used = true;
  for (uintptr_t begin = address, end = address + bytes; begin < end;) {
    uintptr_t next = (begin | (kStripeBytes - 1)) + 1;
    if (next > end) next = end;
    update_part(t, begin, next, kind, origin, race);
    begin = next;
  }
}

template <unsigned kWords>
void read_words_slow(uintptr_t address, uintptr_t pc) {
  words_slow<kWords, false>(address, pc);
}
template <unsigned kWords>
void write_words_slow(uintptr_t address, uintptr_t pc) {
  words_slow<kWords, true>(address, pc);
}
template void read_words_slow<1>(uintptr_t, uintptr_t);
template void read_words_slow<2>(uintptr_t, uintptr_t);
template void read_words_slow<4>(uintptr_t, uintptr_t);
template void write_words_slow<1>(uintptr_t, uintptr_t);
template void write_words_slow<2>(uintptr_t, uintptr_t);
template void write_words_slow<4>(uintptr_t, uintptr_t);

void access_range(uintptr_t address, size_t bytes, AccessKind kind, uintptr_t pc) {
  if (bytes != 0 && shadow_covers(address)) access_slow(address, bytes, kind, pc);
}

namespace {

// Forgets whole words; where nothing was recorded, nothing is touched.
void forget_words(uintptr_t begin, uintptr_t end) {
  while (begin < end) {
    uintptr_t next = (begin | (kStripeBytes - 1)) + 1;
    if (next > end) next = end;
    Summary& summary = summary_of(begin);
    if (summary.mode != PartMode::kUntouched) {
      SpinGuard guard(stripe_of(begin).lock);
      const bool whole = next - begin == kStripeBytes;
      if (!whole) use_cells(begin);
      if (summary.mode == PartMode::kCells)
        for (uintptr_t word = begin & ~uintptr_t{3}; word < next; word += 4) word_forget(word, 15);
      if (whole) summary.mode = PartMode::kUntouched;
    }
    begin = next;
  }
}

// Large ranges: only pages of the shadow that exist. Pages of all planes that lie wholly within are given back.
void forget_pages(uintptr_t begin, uintptr_t end) {
  // Whole pages of the summary plane that do not exist say that 32 KiB of the program were never touched.
  const auto resident = [](const void* address) {
    unsigned char there = 1;
    sys::call(SYS_mincore, static_cast<long>(reinterpret_cast<uintptr_t>(address) & ~(kPage - 1)), kPage,
              reinterpret_cast<long>(&there));
    return (there & 1) != 0;
  };
  for (uintptr_t piece = begin; piece < end;) {
    // Up to the next page of the plane.
    const uintptr_t within = reinterpret_cast<uintptr_t>(&summary_of(piece)) & (kPage - 1);
    uintptr_t piece_end = (piece & ~uintptr_t{kStripeBytes - 1}) + (kPage - within) / sizeof(Summary) * kStripeBytes;
    if (piece_end > end) piece_end = end;
    if (resident(&summary_of(piece))) forget_words(piece, piece_end);
    piece = piece_end;
  }
  // Everything is zero now but what lies at the edges, which is, too; the pages can go.
  for (unsigned plane = 0; plane < kCellPlanes; ++plane) {
    const uintptr_t from =
        (reinterpret_cast<uintptr_t>(cell_of(static_cast<Plane>(plane), begin)) + kPage - 1) & ~(kPage - 1);
    const uintptr_t to = (reinterpret_cast<uintptr_t>(cell_of(static_cast<Plane>(plane), end - 1)) + 4) & ~(kPage - 1);
    if (from < to) sys::advise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
  }
}

}  // namespace

void shadow_forget(uintptr_t begin, size_t bytes) {
  if (bytes == 0 || !started.load(std::memory_order_relaxed) || !shadow_covers(begin)) return;
  ++tls.busy;
  const uintptr_t end = begin + bytes;
  const uintptr_t first = (begin + 3) & ~uintptr_t{3};
  const uintptr_t last = end & ~uintptr_t{3};
  const auto edge = [](uintptr_t word, unsigned touched) {
    Stripe& stripe = stripe_of(word);
    SpinGuard guard(stripe.lock);
    use_cells(word);
    word_forget(word, touched);
  };
  if (first > begin && first <= end) edge(first - 4, 15u << (begin & 3) & 15);
  if (last < end && last >= first) edge(last, (1u << (end & 3)) - 1);
  if (last > first) {
    if (last - first >= size_t{128} << 10)
      forget_pages(first, last);
    else
      forget_words(first, last);
  }
  --tls.busy;
}

void shadow_move(uintptr_t from, uintptr_t to, size_t bytes) {
  if (!shadow_covers(from) || !shadow_covers(to)) return;
  for (size_t at = 0; at < bytes; at += 4) {
    if (at % kStripeBytes == 0) {
      if (summary_of(from + at).mode == PartMode::kUntouched) {
        at += kStripeBytes - 4;
        continue;
      }
      use_cells(from + at);
      use_cells(to + at);
    }
    Cell* w = cell_of(kPlaneW, from + at);
    Cell* r = cell_of(kPlaneR, from + at);
    if ((load(w) | load(r)) == 0) continue;
    // Nobody can be at either place now: one is unmapped, the other not yet told to the program.
    for (const Plane plane : {kPlaneWOrigin, kPlaneROrigin, kPlaneW, kPlaneR})
      store(cell_of(plane, to + at), load(cell_of(plane, from + at)));
    store(w, 0);
    store(r, 0);
  }
}

void shadow_start() {
  AddressRange map[512];
  const size_t count = read_memory_map(map);
  if (count == 0) die("cannot read /proc/self/maps, which tells where there is room for the shadow; is /proc mounted?");
  PlaneShape planes[kPlanes] = {};
  planes[kPlaneSummary].log2_scale = -3;
  LayoutRequest request;
  request.planes = planes;
  const auto chosen = choose_layout({map, count}, request);
  if (!chosen)
    die("no room for the shadow in the address space; try without address randomisation: setarch -R PROGRAM");
  layout = *chosen;
  shadow_map.mask = layout.mask & ~uint64_t{3};
  for (unsigned plane = 0; plane < kPlanes; ++plane) {
    // Summaries do not straddle pages; the room for the skew has place for this.
    shadow_map.base[plane] = plane == kPlaneSummary
                                 ? (layout.base[plane] + sizeof(Summary) - 1) & ~(sizeof(Summary) - 1)
                                 : layout.base[plane];
    for (size_t zone = 0; zone < layout.zone_count; ++zone) {
      const AddressRange pages = layout.shadow_pages(plane, zone);
      constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
      if (sys::map(reinterpret_cast<void*>(pages.begin), pages.size(), PROT_READ | PROT_WRITE, kFlags) == nullptr)
        die("cannot map %lu GiB of shadow at 0x%lx; is there a limit by ulimit -v or vm.overcommit_memory=2?",
            pages.size() >> 30, pages.begin);
      sys::advise(reinterpret_cast<void*>(pages.begin), pages.size(), MADV_NOHUGEPAGE);
      sys::advise(reinterpret_cast<void*>(pages.begin), pages.size(), MADV_DONTDUMP);
    }
  }
}

bool shadow_covers(uintptr_t address) { return layout.covers(address); }

bool shadow_cover(uintptr_t begin, size_t bytes) {
  if (shadow_covers(begin) && shadow_covers(begin + bytes - 1)) return true;
  static constinit SpinLock lock;
  static bool told;
  SpinGuard guard(lock);
  if (layout.zone_count < Layout::kMaxZones) {
    const size_t zone = layout.zone_count;
    layout.zones[zone] = {begin & ~(kPage - 1), (begin + bytes + kPage - 1) & ~(kPage - 1)};
    unsigned mapped = 0;
    for (; mapped < kPlanes; ++mapped) {
      const AddressRange pages = layout.shadow_pages(mapped, zone);
      constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
      if (sys::map(reinterpret_cast<void*>(pages.begin), pages.size(), PROT_READ | PROT_WRITE, kFlags) == nullptr)
        break;
    }
    if (mapped == kPlanes) {
      ++layout.zone_count;
      return true;
    }
    for (unsigned plane = 0; plane < mapped; ++plane) {
      const AddressRange pages = layout.shadow_pages(plane, zone);
      sys::unmap(reinterpret_cast<void*>(pages.begin), pages.size());
    }
  }
  if (!told) say("memory mapped at 0x%lx is outside of what can be watched: the program may fail there", begin);
  told = true;
  return false;
}

namespace {

void mark_cells(const Cell* cells, size_t count) {
  Cell last = 0;
  for (size_t i = 0; i < count; ++i) {
    const Cell cell = load(cells + i);
    if (cell == last || cell == 0 || cell == kBlockMark) continue;
    last = cell;
    if ((cell & kRecordBit) == 0)
      epochs_mark(cell);
    else
      record_mark_ids(cell);
  }
}

// All parts of a range that have a history. R cells beside a block mark hold its size, which looks like an id or a
// record: a chunk is kept that need not be, and records are looked up only through W.
void mark_range(uintptr_t begin, uintptr_t end) {
  constexpr size_t kPerPage = kPage / sizeof(Summary);
  for (uintptr_t part = begin; part < end; part += kStripeBytes) {
    const Summary& summary = summary_of(part);
    if ((reinterpret_cast<uintptr_t>(&summary) & (kPage - 1)) == 0 || part == begin) {
      unsigned char there = 1;
      sys::call(SYS_mincore, static_cast<long>(reinterpret_cast<uintptr_t>(&summary) & ~(kPage - 1)), kPage,
                reinterpret_cast<long>(&there));
      if ((there & 1) == 0) {
        const size_t within = (reinterpret_cast<uintptr_t>(&summary) & (kPage - 1)) / sizeof(Summary);
        part += (kPerPage - within - 1) * kStripeBytes;
        continue;
      }
    }
    if (summary.mode == PartMode::kSummary) {
      for (const UniformState* state : {&summary.front, &summary.rest})
        for (const Cell id : {state->w, state->r}) epochs_mark(id);
    } else if (summary.mode == PartMode::kCells) {
      mark_cells(cell_of(kPlaneW, part), kPartWords);
      const Cell* r = cell_of(kPlaneR, part);
      for (size_t i = 0; i < kPartWords; ++i)
        if (const Cell cell = load(r + i); (cell & kRecordBit) == 0) epochs_mark(cell);
    }
  }
}

}  // namespace

void shadow_mark_ids() {
  static AddressRange map[4096];
  const size_t count = read_memory_map(map);
  for (size_t i = 0; i < count; ++i) {
    for (size_t zone = 0; zone < layout.zone_count; ++zone) {
      const uintptr_t begin = map[i].begin > layout.zones[zone].begin ? map[i].begin : layout.zones[zone].begin;
      const uintptr_t end = map[i].end < layout.zones[zone].end ? map[i].end : layout.zones[zone].end;
      if (begin >= end) continue;
      mark_range(begin, end);
    }
  }
}

void shadow_lock_for_fork() {
  for (Stripe& stripe : stripes) stripe.lock.lock();
}
void shadow_unlock_after_fork() {
  for (Stripe& stripe : stripes) stripe.lock.unlock();
}

}  // namespace deadheat::live
