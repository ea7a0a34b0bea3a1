// Accesses that missed: the update of the shadow, from the common case (a few aligned words with one state) to the
// general one (any bytes of any words, atomics, frees).
//
// The common case decides once for all words of an access. Ranges go by runs of words that are ordered before; elements
// with gaps between them take one lock for each part (sweep_part); some bytes of one word have a way of their own
// (bytes_of_word). Everything else goes word by word (read_word, write_word), and states that two epochs cannot express
// by records (records.h). Each of these ways is followed by the reference step in development builds (reference.h).
//
// Tested by test/live_shadow; test/programs, above all stress_*.cpp
#include <algorithm>

#include "live/ground/degraded.h"
#include "live/ground/inside.h"
#include "live/shadow/byte_reads.h"
#include "live/shadow/cells.h"
#include "live/shadow/recorded.h"
#include "live/shadow/records.h"
#include "live/shadow/reference.h"
#include "live/shadow/summary.h"
#include "live/shadow/unlocked_read.h"
#include "live/shadow/uses.h"
#include "live/shadow/word_cells.h"
#include "live/shadow/word_state.h"

namespace deadheat::live {
namespace {

uint32_t what_of(uintptr_t address, size_t bytes, AccessKind kind) {
  return what_code(address, bytes, static_cast<unsigned>(kind));
}

// Which bytes of a word lie within.
inline unsigned bytes_within(uintptr_t word, uintptr_t begin, uintptr_t end) {
  unsigned bytes = 15;
  if (word < begin) bytes &= 15u << (begin - word) & 15;
  if (word + 4 > end) bytes &= (1u << (end - word)) - 1;
  return bytes;
}

// Calls `do_part(begin, end)` for the parts of a range.
template <class DoPart>
inline void each_part(uintptr_t begin, uintptr_t end, DoPart do_part) {
  while (begin < end) {
    uintptr_t next = (begin | (kStripeBytes - 1)) + 1;
    if (next > end) next = end;
    do_part(begin, next);
    begin = next;
  }
}

// One word, all four bytes, by a thread that is not alone; the stripe's lock is held and the part is in cells.
inline void update_by_read(Thread& t, uintptr_t word, OriginId origin, RaceFound& race) {
  Cell* r = read_cell_of(t, word);
  const Cell w = load(cell_of(kPlaneW, word)), before = load(r);
  if (w == whole_cell(t.current)) return;  // the write stands for it
  if (is_crowd(before) && is_whole(w) && read_in_cells(t, word, 15, AccessKind::kRead, origin, race)) return;
  if (!is_whole(w | before)) return word_update(t, word, 15, AccessKind::kRead, origin, race);
  const fasttrack::Decision d = fasttrack::read(t.current, Known{t}, ReadView{id_of_whole(w), id_of_whole(before)});
  if (d.rule == fasttrack::Rule::kReadSameEpoch) return;
  if (d.rule == fasttrack::Rule::kReadShare) return word_update(t, word, 15, AccessKind::kRead, origin, race);
  if (d.races_with_write) race.add(AccessKind::kWrite, w, load(cell_of(kPlaneWOrigin, word)), word, 15);
  store(read_origin_of(t, word), origin);
  store(r, whole_cell(t.current));
}

// A write of whole words came after what the thread's own class has read of them, and stands for it. Reads that are not
// simple go, so that later ones begin anew; the others do no harm. `r` is what the cells are, none of them a block.
inline void drop_own_reads(Cell* cells, unsigned count, Cell r) {
  if (!is_whole(r)) fill_cells(cells, count, 0);
}

// A write of the whole word came after all that the blocks and crowds say, and stands for it.
void drop_blocks(Thread& t, uintptr_t word, ReaderSet classes) {
  for (const ReaderClass c : classes) {
    Cell* cell = cell_of(plane_r(c), word);
    const Cell r = load(cell);
    if (!has_block(r)) continue;
    store(cell, 0);
    give_block(&t, r, load(cell_of(plane_r_origin(c), word)));
  }
}

inline void update_by_write(Thread& t, uintptr_t word, ReaderSet classes, OriginId origin, RaceFound& race) {
  Cell* w = cell_of(kPlaneW, word);
  const Cell before = load(w);
  if (!is_whole(before)) return word_update(t, word, 15, AccessKind::kWrite, origin, race);
  const WriteView x = {id_of_whole(before), word, classes};
  if (fasttrack::is_write_same_epoch(t.current, x)) return;
  const OriginId old_origin = load(cell_of(kPlaneWOrigin, word));
  store(cell_of(kPlaneWOrigin, word), origin);
  store(w, whole_cell(t.current));
  if (!classes.without(t.reader_class).is_empty()) __atomic_thread_fence(__ATOMIC_SEQ_CST);
  const fasttrack::Decision d = fasttrack::write(t.current, Known{t}, x);
  if (d.races_with_write) race.add(AccessKind::kWrite, before, old_origin, word, 15);
  if (d.races_with_read) return look_at_readers(t, word, 15, false, race);
  if (x.in_block) drop_blocks(t, word, classes);
  drop_own_reads(read_cell_of(t, word), 1, load(read_cell_of(t, word)));
}

inline void read_word(Thread& t, uintptr_t word, OriginId origin, RaceFound& race) {
  ReferenceStep step(t, word, 1, 15, AccessKind::kRead, origin, &race);
  update_by_read(t, word, origin, race);
  step.check(1);
}
// The same, and what it does to the words after it that were as that one. How many there were, with it.
inline unsigned read_words_alike(Thread& t, uintptr_t word, unsigned most, OriginId origin, RaceFound& race) {
  const WordSeen before(t, word);
  read_word(t, word, origin, race);
  if (most == 1 || race.any()) return 1;
  return 1 + repeat_read(t, word, std::min(most - 1, kCheckedWords), before, origin);
}
inline void write_word(Thread& t, uintptr_t word, ReaderSet classes, OriginId origin, RaceFound& race) {
  ReferenceStep step(t, word, 1, 15, AccessKind::kWrite, origin, &race);
  update_by_write(t, word, classes, origin, race);
  step.check(1);
}

// How many cells from the first on are epochs that are ordered before, other than `except`.
unsigned ordered_run(Thread& t, const Cell* cells, unsigned count, Cell except) {
  unsigned i = 0;
  while (i < count) {
    const Cell cell = load(cells + i);
    if (cell == except || !is_whole(cell) || !is_ordered(t, id_of_whole(cell))) break;
    i += equal_cells(cells + i, count - i, cell);
  }
  return i;
}

// Whole words of one part, written or freed at once: one fence for all. `now` is what W becomes. How many were; it ends
// before one whose W is not an epoch ordered before.
unsigned write_run(Thread& t, const Summary& part, uintptr_t begin, unsigned most, Cell now, OriginId origin,
                   RaceFound& race) {
  Cell* w = cell_of(kPlaneW, begin);
  if (const unsigned same_epoch = equal_cells(w, most, now); same_epoch != 0) return same_epoch;
  const unsigned words = ordered_run(t, w, most, now);
  if (words == 0) return 0;
  fill_cells(cell_of(kPlaneWOrigin, begin), words, origin);
  fill_cells(w, words, now);
  if (!part.classes.without(t.reader_class).is_empty()) __atomic_thread_fence(__ATOMIC_SEQ_CST);
  for (const ReaderClass c : part.classes) {
    Cell* r = cell_of(plane_r(c), begin);
    const OriginId* origins = cell_of(plane_r_origin(c), begin);
    for (unsigned i = equal_cells(r, words, 0); i < words;) {
      const Cell cell = load(r + i);
      if (is_read_ordered(t, c, begin + 4 * i, cell)) {
        const bool in_block = has_block(cell);
        const unsigned alike =
            in_block ? 1 : std::max(1u, equal_cells(r + i, words - i, cell));  // 0 if its thread has read it meanwhile
        if (c == t.reader_class || in_block) {
          drop_own_reads(r + i, alike, cell);
          if (in_block) give_block(&t, cell, load(origins + i));
        }
        i += alike;
      } else {
        look_at_readers(t, begin + 4 * i, 15, false, race);
        ++i;
      }
    }
    if (!is_freed(now)) continue;
    give_all_blocks(r, origins, w, words);
    fill_cells(r, words, 0);  // what a thread has read in its current epoch must not be a hit
  }
  return words;
}

// The same for a read, by a thread whose class has only read what is ordered before.
unsigned read_run(Thread& t, Summary& part, uintptr_t begin, unsigned most, OriginId origin) {
  const Cell now = whole_cell(t.current);
  const unsigned recorded = cells_with(cell_of(kPlaneW, begin), read_cell_of(t, begin), most, now);
  if (recorded != 0) return recorded;
  unsigned words = ordered_run(t, cell_of(kPlaneW, begin), most, now);
  words = ordered_run(t, read_cell_of(t, begin), words, now);
  if (words == 0) return 0;
  part.note_class(t.reader_class);
  fill_cells(read_origin_of(t, begin), words, origin);
  fill_cells(read_cell_of(t, begin), words, now);
  return words;
}

// Any bytes of one word, by a thread that is not alone; the stripe's lock is held and the part is in cells.
inline void update_bytes_locked(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, OriginId origin,
                                RaceFound& race) {
  ReferenceStep step(t, word, 1, bytes, kind, origin, &race);
  const bool simple = is_simple(load(cell_of(kPlaneW, word)));
  if (simple && (is_write(kind) ? write_in_cells(t, word, bytes, kind, origin, race)
                                : read_in_cells(t, word, bytes, kind, origin, race))) {
    check_word(word);
    return step.check(1);
  }
  word_update(t, word, bytes, kind, origin, race);
}

// Bytes [begin, end) of one stripe, by a thread that is not alone.
void update_part(Thread& t, uintptr_t begin, uintptr_t end, AccessKind kind, OriginId origin, RaceFound& race) {
  SpinGuard guard(stripe_of(begin).lock);
  const bool whole_words = ((begin | end) & 3) == 0 && !is_atomic(kind);
  const unsigned words = static_cast<unsigned>(end - begin) / 4;
  ReferenceStep summed_up(t, begin & ~uintptr_t{3}, words, 15, kind, origin);
  if (whole_words && summary_access(t, begin, words, is_write(kind), origin)) return summed_up.check(words);
  if (!whole_words) use_cells(begin);
  Summary& part = summary_of(begin);
  if (!is_write(kind)) part.note_class(t.reader_class);
  for (uintptr_t word = begin & ~uintptr_t{3}; word < end; word += 4) {
    const unsigned bytes = bytes_within(word, begin, end);
    if (bytes == 15 && !is_atomic(kind)) {
      const unsigned most = std::min(static_cast<unsigned>(end - word) / 4, kCheckedWords);
      ReferenceStep step(t, word, most, 15, kind, origin, &race);
      const unsigned done = is_write(kind) ? write_run(t, part, word, most, whole_cell(t.current), origin, race)
                                           : read_run(t, part, word, most, origin);
      step.check(done);
      if (done != 0) {
        word += 4 * (done - 1);
        continue;
      }
    }
    if (bytes == 15 && kind == AccessKind::kRead)
      word += 4 * (read_words_alike(t, word, static_cast<unsigned>(end - word) / 4, origin, race) - 1);
    else if (bytes == 15 && kind == AccessKind::kWrite)
      write_word(t, word, part.classes, origin, race);
    else
      update_bytes_locked(t, word, bytes, kind, origin, race);
  }
}

// A block, or what of it is in one part, is freed; `now` is what W becomes. With `sum_up` the whole part is.
void free_part(Thread& t, uintptr_t begin, uintptr_t end, Cell now, bool sum_up, OriginId origin, RaceFound& race) {
  SpinGuard guard(stripe_of(begin).lock);
  const Summary& part = summary_of(begin);
  ReferenceStep summed_up(t, begin, kPartWords, 15, AccessKind::kFree, origin);
  if (sum_up &&
      (is_freed(now) ? summary_free(t, begin, now, origin) : summary_access(t, begin, kPartWords, true, origin)))
    return summed_up.check(kPartWords);
  use_cells(begin);
  for (uintptr_t word = begin; word < end; word += 4) {
    const unsigned most = std::min(static_cast<unsigned>(end - word) / 4, kCheckedWords);
    ReferenceStep step(t, word, most, 15, AccessKind::kFree, origin, &race);
    const unsigned done = write_run(t, part, word, most, now, origin, race);
    step.check(done);
    if (done != 0) {
      word += 4 * (done - 1);
      continue;
    }
    if (is_freed(load(cell_of(kPlaneW, word))))
      note_freed(t, word, 15, AccessKind::kFree, race);
    else
      write_word(t, word, part.classes, origin, race);
    if (is_freed(now)) words_free(word, word + 4, now, origin);
    step.check(1);
  }
}

// True if the current epoch already stands for such an access of some bytes of a word, without any lock.
__attribute__((always_inline)) inline bool is_covered(const Thread& t, uintptr_t word, unsigned bytes,
                                                      AccessKind kind) {
  const auto covers = [&](Cell cell) { return cell_covers(cell, t.current, bytes, is_atomic(kind)); };
  const Cell* w = cell_of(kPlaneW, word);
  const Cell cell = load(w);
  if (is_simple(cell) && covers(cell)) return true;
  if (!is_write(kind)) {
    const Cell r = load(read_cell_of(t, word));
    if (covers(r) || (is_crowd(r) && crowd_covers(t, read_cell_of(t, word), bytes, kind))) return true;
  }
  if (kind == AccessKind::kRead && t.class_is_own) return false;  // its reads are in its own cell
  if (!is_record(cell)) return false;
  return known_to_cover(t, cell, bytes, kind) || record_covers(w, cell, t.current, kind, bytes) ||
         (is_atomic(kind) && crowd_covers(t, crowd_cell_of(word), bytes, kind));
}

// The same for bytes of any number of words.
bool all_covered(const Thread& t, uintptr_t begin, uintptr_t end, AccessKind kind) {
  const uintptr_t first = (begin + 3) & ~uintptr_t{3}, last = end & ~uintptr_t{3};
  if (first > last) return is_covered(t, last, (15u << (begin & 3)) & ((1u << (end & 3)) - 1), kind);
  const Cell* w = cell_of(kPlaneW, first);
  const unsigned words = static_cast<unsigned>(last - first) / 4;
  if (cells_with(w, is_write(kind) ? w : read_cell_of(t, first), words, whole_cell(t.current)) != words) return false;
  if (first != begin && !is_covered(t, first - 4, 15u << (begin & 3) & 15, kind)) return false;
  return last == end || is_covered(t, last, (1u << (end & 3)) - 1, kind);
}

// The same where the words have records: atomic operations, which are small.
bool each_word_covered(const Thread& t, uintptr_t begin, uintptr_t end, AccessKind kind) {
  for (uintptr_t word = begin & ~uintptr_t{3}; word < end; word += 4) {
    const unsigned bytes = bytes_within(word, begin, end);
    if (!is_covered(t, word, bytes, kind)) return false;
  }
  return true;
}

// A read by a thread that has its class for itself. False if it needs the lock.
__attribute__((always_inline)) inline bool read_bytes_alone(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind,
                                                            OriginId origin, UnlockedRead& read) {
  return t.class_is_own && !has_block(load(read_cell_of(t, word))) &&
         read_bytes_unlocked(t, word, bytes, kind, origin, read);
}

// Any bytes of one word.
void update_bytes(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, OriginId origin, RaceFound& race) {
  UnlockedRead read;
  if (!is_write(kind) && read_bytes_alone(t, word, bytes, kind, origin, read)) return;
  SpinGuard guard(stripe_of(word).lock);
  if (__builtin_expect(read.changed, 0)) take_back_read<1>(t, word, read);
  use_cells(word);
  update_bytes_locked(t, word, bytes, kind, origin, race);
}

// Whether bytes of one part have nothing that a thread which is alone would have to look at.
bool nothing_there(uintptr_t begin, uintptr_t end) {
  const unsigned words = static_cast<unsigned>(end - (begin & ~uintptr_t{3}) + 3) / 4;
  if (equal_cells(cell_of(kPlaneW, begin), words, 0) != words) return false;
  const Summary& part = summary_of(begin);
  return part.mode != PartMode::kSummary || !is_freed(part.front.w);
}

// Everything recorded is ordered before what a thread that is alone does, and will never matter again: what it meets is
// forgotten by parts, so that its next accesses are hits. Freed memory is still freed.
void access_alone(Thread& t, uintptr_t address, size_t bytes, AccessKind kind, uintptr_t pc) {
  RaceFound race;
  Inside::enter();
  each_part(address, address + bytes, [&](uintptr_t begin, uintptr_t end) {
    if (nothing_there(begin, end)) return;
    const bool unknown_others = threads_alive() != 1;  // unordered with everybody: what they did is kept if it can be
    SpinGuard guard(stripe_of(begin).lock);
    use_cells(begin);
    for (uintptr_t word = begin & ~uintptr_t{3}; word < end; word += 4) {
      const Cell w = load(cell_of(kPlaneW, word));
      if (is_freed(w))
        note_freed(t, word, bytes_within(word, begin, end), kind, race);
      else if (unknown_others && !is_mark(w))
        word_forget(word, 15);
      else
        check_all_ordered(t, word);
    }
    if (!unknown_others) part_forget(begin);
  });
  Inside::leave();
  if (__builtin_expect(race.any(), 0)) report_race(t, address, bytes, kind, pc, race);
}

void access_now(Thread& t, uintptr_t address, size_t bytes, AccessKind kind, uintptr_t pc) {
  RaceFound race;
  OriginId origin{};
  Inside::enter();
  each_part(address, address + bytes, [&](uintptr_t begin, uintptr_t end) {
    const auto covered = [&] { return !is_atomic(kind) && all_covered(t, begin, end, kind); };
    if (covered()) return check_recorded(t, begin, end - begin, kind, covered);
    if (origin == kNoOrigin) origin = origin_of(t, pc, what_of(address, bytes, kind));
    use(t, begin, end - begin);
    update_part(t, begin, end, kind, origin, race);
  });
  Inside::leave();
  if (__builtin_expect(race.any(), 0)) report_race(t, address, bytes, kind, pc, race);
}

// The value of kWords cells that are all the same; false if they are not.
template <unsigned kWords>
inline bool alike(const Cell* cells, Cell& value) {
  if constexpr (kWords == 1) {
    value = load(cells);
    return true;
  } else if constexpr (kWords == 2) {
    uint64_t both;
    __builtin_memcpy(&both, cells, 8);
    value = static_cast<Cell>(both);
    return both >> 32 == value;
  } else {
    const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(cells));
    value = static_cast<Cell>(_mm_cvtsi128_si32(four));
    return _mm_movemask_epi8(_mm_cmpeq_epi32(four, _mm_shuffle_epi32(four, 0))) == 0xffff;
  }
}
template <unsigned kWords>
inline void fill(Cell* cells, Cell value) {
  if constexpr (kWords == 1) {
    store(cells, value);
  } else if constexpr (kWords == 2) {
    const uint64_t both = value | uint64_t{value} << 32;
    __builtin_memcpy(cells, &both, 8);
  } else {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(cells), _mm_set1_epi32(static_cast<int>(value)));
  }
}
template <unsigned kWords>
inline void fill(OriginId* cells, OriginId value) {
  fill<kWords>(reinterpret_cast<Cell*>(cells), number_of(value));
}

// Passes over arrays: the cells two lines on, which the stores of the next misses would wait for.
template <unsigned kWords, bool kWriting>
inline void prefetch_ahead(const Thread& t, uintptr_t address) {
  constexpr unsigned kAhead = 32;
  __builtin_prefetch(cell_of(kPlaneW, address) + kAhead, kWriting);
  __builtin_prefetch(read_cell_of(t, address) + kAhead, !kWriting);
  __builtin_prefetch((kWriting ? cell_of(kPlaneWOrigin, address) : read_origin_of(t, address)) + kAhead, 1);
}

// Several words with one state are decided once. False if they have not, or if the decision is not the common one.
template <unsigned kWords>
inline bool read_alike(Thread& t, Summary& part, uintptr_t address, OriginId origin) {
  Cell* cells = read_cell_of(t, address);
  Cell w, r;
  if (!alike<kWords>(cell_of(kPlaneW, address), w) || !alike<kWords>(cells, r)) return false;
  if (w == whole_cell(t.current)) return true;
  if (!is_whole(w | r) || !reads_alone(t, id_of_whole(w), id_of_whole(r))) return false;
  part.note_class(t.reader_class);
  fill<kWords>(read_origin_of(t, address), origin);
  fill<kWords>(cells, whole_cell(t.current));
  return true;
}

// What other classes read, before a write by a thread that has found W ordered.
template <unsigned kWords>
inline bool others_ordered(Thread& t, ReaderSet others, uintptr_t address) {
  for (const ReaderClass c : others) {
    Cell r;
    if (!alike<kWords>(cell_of(plane_r(c), address), r)) return false;
    if (has_block(r) || !is_ordered(t, id_of(r))) return false;
  }
  return true;
}

template <unsigned kWords>
inline bool write_alike(Thread& t, const Summary& part, uintptr_t address, OriginId origin) {
  Cell* w_cells = cell_of(kPlaneW, address);
  Cell w, r;
  if (!alike<kWords>(w_cells, w) || !alike<kWords>(read_cell_of(t, address), r)) return false;
  if (!is_whole(w) || has_block(r) || !writes_alone(t, id_of_whole(w), id_of(r))) return false;
  fill<kWords>(cell_of(kPlaneWOrigin, address), origin);
  fill<kWords>(w_cells, whole_cell(t.current));
  prefetch_ahead<kWords, true>(t, address);
  const ReaderSet others = part.classes.without(t.reader_class);
  if (!others.is_empty()) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (!others_ordered<kWords>(t, others, address)) {
      // Its origin is lost: it is ordered before, and written over before the lock is left.
      fill<kWords>(w_cells, w);
      return false;
    }
  }
  drop_own_reads(read_cell_of(t, address), kWords, r);
  return true;
}

// The same by a thread that has its class for itself. False if something came in between, or if this is not the common
// case.
template <unsigned kWords>
inline bool read_alike_unlocked(Thread& t, const Summary& part, uintptr_t address, OriginId origin,
                                UnlockedRead& read) {
  const Cell* w_cells = cell_of(kPlaneW, address);
  Cell* r_cells = read_cell_of(t, address);
  Cell w;
  ReferenceRead reference;
  const auto look = [&](Cell& r) __attribute__((always_inline)) {
    if (!alike<kWords>(w_cells, w) || !alike<kWords>(r_cells, r)) return false;
    if (!is_whole(w | r) || !reads_alone(t, id_of_whole(w), id_of_whole(r))) return false;
    reference.look(t, address, w, r, 15, AccessKind::kRead, whole_cell(t.current));
    return true;
  };
  const auto put = [&]() __attribute__((always_inline)) {
    fill<kWords>(read_origin_of(t, address), origin);
    fill<kWords>(r_cells, whole_cell(t.current));
    prefetch_ahead<kWords, false>(t, address);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  };
  const auto same = [&]() __attribute__((always_inline)) {
    Cell again;
    return alike<kWords>(w_cells, again) && again == w;
  };
  return reference.check(read_unlocked(t, part, read, look, put, same));
}

// Whether the current epoch has read all words, each of which has a crowd. Without any lock.
template <unsigned kWords>
bool crowds_cover(const Thread& t, uintptr_t address) {
  for (unsigned i = 0; i < kWords; ++i)
    if (!crowd_covers(t, read_cell_of(t, address) + i, 15, AccessKind::kRead)) return false;
  return true;
}

// Where the words differ, or the common case is not given. The stripe's lock is held, and left here.
template <unsigned kWords, bool kWriting>
__attribute__((noinline)) void words_one_by_one(Thread& t, uintptr_t address, uintptr_t pc, OriginId origin) {
  RaceFound race;
  Summary& part = summary_of(address);
  if constexpr (!kWriting) part.note_class(t.reader_class);
  for (unsigned i = 0; i < kWords; ++i) {
    const uintptr_t word = address + 4 * i;
    if constexpr (kWriting)
      write_word(t, word, part.classes, origin, race);
    else
      i += read_words_alike(t, word, kWords - i, origin, race) - 1;
    check_word(word);
  }
  stripe_of(address).lock.unlock();
  Inside::leave();
  if (__builtin_expect(race.any(), 0))
    report_race(t, address, 4 * kWords, kWriting ? AccessKind::kWrite : AccessKind::kRead, pc, race);
}

// The words of a small access that begins at a word and lies in one stripe.
template <unsigned kWords, bool kWriting>
inline void words_slow(uintptr_t address, uintptr_t pc) {
  Thread* t = tls.thread;
  constexpr AccessKind kind = kWriting ? AccessKind::kWrite : AccessKind::kRead;
  const bool one_stripe = (address & 3) == 0 && (address & (kStripeBytes - 1)) + 4 * kWords <= kStripeBytes;
  if (__builtin_expect(t == nullptr || (tls.busy | tls.ignoring) != 0 || t->is_alone() || !one_stripe, 0))
    return access_slow(address, 4 * kWords, kind, pc);
  if constexpr (record::kOn) return record_words<kWords, kWriting>(*t, address, pc);
  if constexpr (!kWriting) {
    const auto covered = [&] { return crowds_cover<kWords>(*t, address); };
    if (__builtin_expect(is_crowd(load(read_cell_of(*t, address))), 0) && covered())
      return check_hit(address, 4 * kWords, kind, covered);
  }
  // Asked for at once, while the origin is looked up: one wait for memory instead of three.
  __builtin_prefetch(kWriting ? cell_of(kPlaneWOrigin, address) : read_origin_of(*t, address), 1);
  __builtin_prefetch(kWriting ? read_cell_of(*t, address) : cell_of(kPlaneW, address));
  Inside::enter();
  const OriginId origin = origin_of(*t, pc, what_of(address, 4 * kWords, kind));
  use(*t, address, 4 * kWords);
  Stripe& stripe = stripe_of(address);
  Summary& part = summary_of(address);
  UnlockedRead read;
  if constexpr (!kWriting) {
    if (t->class_is_own && read_alike_unlocked<kWords>(*t, part, address, origin, read)) return Inside::leave();
  }
  stripe.lock.lock();
  if (__builtin_expect(read.changed, 0)) take_back_read<kWords>(*t, address, read);
  bool done;
  ReferenceStep step(*t, address, kWords, 15, kind, origin);
  if (__builtin_expect(part.mode == PartMode::kCells, 1)) {
    if constexpr (kWriting)
      done = write_alike<kWords>(*t, part, address, origin);
    else
      done = read_alike<kWords>(*t, part, address, origin);
  } else {
    done = summary_access_slow(part, *t, address, kWords, kWriting, origin);
  }
  if (__builtin_expect(!done, 0)) return words_one_by_one<kWords, kWriting>(*t, address, pc, origin);
  step.check(kWords);
  stripe.lock.unlock();
  Inside::leave();
}

// Elements of one part, `step` bytes from one to the next, under one lock and with one origin. How many it did, at least
// one; it ends with one that is no common case, since that may race, and a race is reported outside.
template <unsigned kWords, bool kWriting>
size_t sweep_part(Thread& t, uintptr_t first, size_t step, size_t count, uintptr_t pc) {
  constexpr AccessKind kind = kWriting ? AccessKind::kWrite : AccessKind::kRead;
  Inside::enter();
  const OriginId origin = origin_of(t, pc, what_of(first, 4 * kWords, kind));
  Stripe& stripe = stripe_of(first);
  stripe.lock.lock();
  use_cells(first);
  Summary& part = summary_of(first);
  for (size_t done = 0; done < count; ++done, first += step) {
    ReferenceStep reference(t, first, kWords, 15, kind, origin);
    Cell now;
    const Cell* const cells = kWriting ? cell_of(kPlaneW, first) : read_cell_of(t, first);
    if (!alike<kWords>(cells, now) || now != whole_cell(t.current)) {
      use(t, first, 4 * kWords);
      // What this begins in vain is finished before others see it.
      if (kWriting ? !write_alike<kWords>(t, part, first, origin) : !read_alike<kWords>(t, part, first, origin)) {
        words_one_by_one<kWords, kWriting>(t, first, pc, origin);
        return done + 1;
      }
    }
    reference.check(kWords);
  }
  stripe.lock.unlock();
  Inside::leave();
  return count;
}

// The rest of bytes_of_word; the stripe's lock is held, and left here.
template <unsigned kBytes, AccessKind kKind>
__attribute__((always_inline)) inline void bytes_locked(Thread& t, uintptr_t address, OriginId origin, uintptr_t pc) {
  RaceFound race;
  const uintptr_t word = address & ~uintptr_t{3};
  use_cells(word);
  update_bytes_locked(t, word, ((1u << kBytes) - 1) << (address & 3), kKind, origin, race);
  stripe_of(word).lock.unlock();
  Inside::leave();
  if (__builtin_expect(race.any(), 0)) report_race(t, address, kBytes, kKind, pc, race);
}

// Bytes of one word.
template <unsigned kBytes, AccessKind kKind>
__attribute__((always_inline)) inline void bytes_of_word(Thread& t, uintptr_t address, uintptr_t pc) {
  const uintptr_t word = address & ~uintptr_t{3};
  const unsigned bytes = ((1u << kBytes) - 1) << (address & 3);
  const auto covered = [&] { return is_covered(t, word, bytes, kKind); };
  if (covered()) return check_hit(address, kBytes, kKind, covered);
  __builtin_prefetch(kKind == AccessKind::kRead ? read_origin_of(t, address) : cell_of(kPlaneWOrigin, address), 1);
  Inside::enter();
  const OriginId origin = origin_of(t, pc, what_of(address, kBytes, kKind));
  use(t, address, kBytes);
  UnlockedRead read;
  if (kKind == AccessKind::kRead && read_bytes_alone(t, word, bytes, kKind, origin, read)) return Inside::leave();
  Stripe& stripe = stripe_of(word);
  stripe.lock.lock();
  if (__builtin_expect(read.changed, 0)) take_back_read<1>(t, word, read);
  if (kKind == AccessKind::kRead || !write_bytes_alone(t, word, bytes, origin))
    return bytes_locked<kBytes, kKind>(t, address, origin, pc);
  stripe.lock.unlock();
  Inside::leave();
}

// What the C library does to a few bytes, by a thread that is not alone and is not inside the run time.
void in_one_word(Thread& t, uintptr_t address, size_t bytes, AccessKind kind, uintptr_t pc) {
  const uintptr_t word = address & ~uintptr_t{3};
  const unsigned touched = bytes_within(word, address, address + bytes);
  const auto covered = [&] { return is_covered(t, word, touched, kind); };
  if (covered()) return check_hit(address, bytes, kind, covered);
  RaceFound race;
  Inside::enter();
  const OriginId origin = origin_of(t, pc, what_of(address, bytes, kind));
  use(t, address, bytes);
  update_bytes(t, word, touched, kind, origin, race);
  Inside::leave();
  if (__builtin_expect(race.any(), 0)) report_race(t, address, bytes, kind, pc, race);
}

// What this epoch has recorded, of bytes of one part: all of them, or nothing that is known.
struct KnownBytes {
  const Thread& t;
  AccessKind kind;
  unsigned element = 0;
  bool has(uintptr_t at) const { return all_covered(t, at, at + element, kind); }
  uintptr_t recorded_until(uintptr_t begin, uintptr_t end) const {
    return all_covered(t, begin, end, kind) ? end : begin;
  }
  uintptr_t new_until(uintptr_t, uintptr_t end) const { return end; }
};
// The same for whole elements of some words.
template <unsigned kWords, bool kWriting>
struct KnownElements {
  const Thread& t;
  bool has(uintptr_t at) const {
    Cell value;
    const Cell now = whole_cell(t.current);
    return (alike<kWords>(cell_of(kPlaneW, at), value) && value == now) ||
           (!kWriting && alike<kWords>(read_cell_of(t, at), value) && value == now) ||
           recorded_until(at, at + 4 * kWords) != at;
  }
  template <class Count>
  uintptr_t until(uintptr_t begin, uintptr_t end, Count count) const {
    const Cell* const w = cell_of(kPlaneW, begin);
    const unsigned words =
        count(w, kWriting ? w : read_cell_of(t, begin), static_cast<unsigned>(end - begin) / 4, whole_cell(t.current));
    return begin + words / kWords * kWords * 4;
  }
  uintptr_t recorded_until(uintptr_t begin, uintptr_t end) const { return until(begin, end, cells_with); }
  // Not before the end of the first element, of which some words may be recorded.
  uintptr_t new_until(uintptr_t begin, uintptr_t end) const {
    const uintptr_t second = begin + kWords * 4, found = until(begin, end, cells_without);
    return found < second ? second : found;
  }
};

// In recordings.
[[maybe_unused]] void record_missed(Thread& t, uintptr_t address, size_t bytes, AccessKind kind, uintptr_t pc) {
  record_access(t, address, bytes, kind, pc, KnownBytes{t, kind});
}

}  // namespace

void access_slow(uintptr_t address, size_t bytes, AccessKind kind, uintptr_t pc) {
  Thread* t = current_thread();
  if (t == nullptr || tls.ignoring != 0) return;
  if (tls.busy != 0) {
    // A signal handler interrupted the run time. Sixteen accesses can wait; handlers do little.
    postponed.accesses = 1;
    if (t->pending_count < sizeof t->pending / sizeof t->pending[0])
      t->pending[t->pending_count++] = {address, bytes, pc, kind};
    else
      note_degraded(Degradation::kHandlerAccesses);
    return;
  }
  if (is_left_alone(*t)) return access_alone(*t, address, bytes, kind, pc);
  if constexpr (record::kOn) return record_missed(*t, address, bytes, kind, pc);
  if ((address & 3) + bytes <= 4) return in_one_word(*t, address, bytes, kind, pc);
  access_now(*t, address, bytes, kind, pc);
}

void do_pending_accesses(Thread& t) {
  while (t.pending_count != 0) {
    const PendingAccess p = t.pending[--t.pending_count];
    access_slow(p.address, p.size, p.kind, p.pc);
  }
}

template <unsigned kBytes, AccessKind kKind>
void bytes_slow(uintptr_t address, uintptr_t pc) {
  Thread* t = tls.thread;
  const bool one_word = (address & 3) + kBytes <= 4;
  if (__builtin_expect(t == nullptr || (tls.busy | tls.ignoring) != 0 || t->is_alone() || !one_word, 0))
    return access_slow(address, kBytes, kKind, pc);
  if constexpr (record::kOn)
    return record_few<kBytes, kKind>(*t, address, pc,
                                     [&] { return all_covered(*t, address, address + kBytes, kKind); });
  bytes_of_word<kBytes, kKind>(*t, address, pc);
}
template void bytes_slow<1, AccessKind::kRead>(uintptr_t, uintptr_t);
template void bytes_slow<2, AccessKind::kRead>(uintptr_t, uintptr_t);
template void bytes_slow<1, AccessKind::kWrite>(uintptr_t, uintptr_t);
template void bytes_slow<2, AccessKind::kWrite>(uintptr_t, uintptr_t);

namespace {

// Atomic operations on one or two words that have one state; false if they have not, or if it takes a closer look.
template <unsigned kWords>
inline bool atomic_read_unlocked(Thread& t, uintptr_t address, OriginId origin, UnlockedRead& read) {
  Cell w;
  ReferenceRead reference;
  const auto look = [&](Cell& r) __attribute__((always_inline)) {
    if (!alike<kWords>(cell_of(kPlaneW, address), w) || !alike<kWords>(read_cell_of(t, address), r)) return false;
    if ((r != 0 && !is_atomic_cell(r)) || !is_ordered(t, id_of(r))) return false;
    Cell older = 0;
    if (is_atomic_cell(w) ? !alike<kWords>(cell_of(kPlaneOlder, address), older) || !is_ordered(t, id_of(older))
                          : !is_whole(w) || !is_ordered(t, id_of_whole(w)))
      return false;
    reference.look(t, address, w, r, 15, AccessKind::kAtomicRead, atomic_cell(t.current));
    return true;
  };
  const auto put = [&]() __attribute__((always_inline)) {
    fill<kWords>(read_origin_of(t, address), origin);
    fill<kWords>(read_cell_of(t, address), atomic_cell(t.current));
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  };
  const auto same = [&]() __attribute__((always_inline)) {
    Cell again;
    return alike<kWords>(cell_of(kPlaneW, address), again) && again == w;
  };
  return reference.check(read_unlocked(t, summary_of(address), read, look, put, same));
}

template <unsigned kWords>
inline bool read_atomic(Thread& t, uintptr_t address, OriginId origin) {
  UnlockedRead read;
  if (!t.class_is_own) return false;
  if (atomic_read_unlocked<kWords>(t, address, origin, read)) return true;
  if (!read.changed) return false;
  SpinGuard guard(stripe_of(address).lock);
  take_back_read<kWords>(t, address, read);
  return false;
}

// The stripe's lock is held.
template <unsigned kWords>
bool write_atomic(Thread& t, uintptr_t address, OriginId origin, RaceFound& race) {
  use_cells(address);
  Cell w, older;
  // Only an id may be asked for its order: what else there is would be remembered as one.
  if (!alike<kWords>(cell_of(kPlaneW, address), w) || !is_simple(w) || !is_ordered(t, id_of(w))) return false;
  if (is_atomic_cell(w)) {
    if (!alike<kWords>(cell_of(kPlaneOlder, address), older) || !is_ordered(t, id_of(older))) return false;
  } else {
    if (!is_whole(w)) return false;
    for (unsigned i = 0; i < kWords; ++i)
      store(cell_of(kPlaneOlderOrigin, address) + i, load(cell_of(kPlaneWOrigin, address) + i));
    fill<kWords>(cell_of(kPlaneOlder, address), w);
  }
  fill<kWords>(cell_of(kPlaneWOrigin, address), origin);
  fill<kWords>(cell_of(kPlaneW, address), atomic_cell(t.current));
  const ReaderSet classes = summary_of(address).classes;
  if (!classes.without(t.reader_class).is_empty()) __atomic_thread_fence(__ATOMIC_SEQ_CST);
  for (const ReaderClass c : classes) {
    Cell r;
    const bool same = alike<kWords>(cell_of(plane_r(c), address), r) && !has_block(r);
    if (same && (is_atomic_cell(r) || is_ordered(t, id_of(r)))) continue;
    for (unsigned i = 0; i < kWords; ++i) look_at_readers(t, address + 4 * i, 15, true, race);
    break;
  }
  return true;
}

bool words_atomic(Thread& t, uintptr_t address, size_t bytes, bool writing, OriginId origin, RaceFound& race) {
  if (!writing) return bytes == 4 ? read_atomic<1>(t, address, origin) : read_atomic<2>(t, address, origin);
  SpinGuard guard(stripe_of(address).lock);
  ReferenceStep step(t, address, bytes == 4 ? 1 : 2, 15, AccessKind::kAtomicWrite, origin, &race);
  if (is_record(load(cell_of(kPlaneW, address)))) {
    unsigned done = 0;
    while (4 * done < bytes && atomic_in_crowd(t, address + 4 * done, 15, AccessKind::kAtomicWrite, origin, race))
      ++done;
    for (unsigned i = done; done != 0 && 4 * i < bytes; ++i)
      word_update(t, address + 4 * i, 15, AccessKind::kAtomicWrite, origin, race);
    if (done != 0) step.check(2);
    return done != 0;
  }
  if (!(bytes == 4 ? write_atomic<1>(t, address, origin, race) : write_atomic<2>(t, address, origin, race)))
    return false;
  step.check(2);
  return true;
}

}  // namespace

void access_atomic(Thread& t, uintptr_t address, size_t bytes, AccessKind kind, uintptr_t pc, RaceFound& race) {
  if (!shadow_covers(address) || tls.ignoring != 0) return;
  if constexpr (record::kOn) return note_atomic(t, address, bytes, kind);
  const auto covered = [&] { return !t.is_alone() && each_word_covered(t, address, address + bytes, kind); };
  if (covered()) return check_recorded(t, address, bytes, kind, covered);
  const OriginId origin = origin_of(t, pc, what_of(address, bytes, kind));
  use(t, address, bytes);
  const bool one_or_two = (bytes == 4 || bytes == 8) && address % bytes == 0;
  if (one_or_two && !t.is_alone() && words_atomic(t, address, bytes, is_write(kind), origin, race)) return;
  const uintptr_t end = address + bytes;
  for (uintptr_t word = address & ~uintptr_t{3}; word < end; word += 4)
    update_bytes(t, word, bytes_within(word, address, end), kind, origin, race);
}

bool record_atomic_read(Thread& t, uintptr_t address, size_t bytes, uintptr_t pc) {
  if (record::kOn || t.is_alone() || tls.ignoring != 0 || !shadow_covers(address)) return false;
  if ((bytes != 4 && bytes != 8) || address % bytes != 0) return false;
  const auto recorded = [&] { return is_atomic_read_recorded(t, address, bytes); };
  if (recorded()) {
    check_recorded(t, address, bytes, AccessKind::kAtomicRead, recorded);
    return true;
  }
  const OriginId origin = origin_of(t, pc, what_of(address, bytes, AccessKind::kAtomicRead));
  use(t, address, bytes);
  return bytes == 4 ? read_atomic<1>(t, address, origin) : read_atomic<2>(t, address, origin);
}

void atomic_read_slow(Thread& t, uintptr_t address, size_t bytes, uintptr_t pc) {
  RaceFound race;
  access_atomic(t, address, bytes, AccessKind::kAtomicRead, pc, race);
  Inside::leave();
  if (__builtin_expect(race.any(), 0)) report_race(t, address, bytes, AccessKind::kAtomicRead, pc, race);
}

template <unsigned kWords>
void read_words_slow(uintptr_t address, uintptr_t pc) {
  words_slow<kWords, false>(address, pc);
}
template <unsigned kWords>
void write_words_slow(uintptr_t address, uintptr_t pc) {
  words_slow<kWords, true>(address, pc);
}
template <unsigned kWords, bool kWriting>
void sweep_words(uintptr_t first, size_t step, size_t count, uintptr_t pc) {
  Thread* const t = tls.thread;
  while (count != 0) {
    const size_t room = kStripeBytes - (first & (kStripeBytes - 1));
    const bool together = t != nullptr && (tls.busy | tls.ignoring) == 0 && !t->is_alone();  // now: handlers ran
    if (together && room >= 4 * kWords) {
      const size_t done =
          sweep_part<kWords, kWriting>(*t, first, step, std::min(count, (room - 4 * kWords) / step + 1), pc);
      first += done * step;
      count -= done;
    } else {
      words_slow<kWords, kWriting>(first, pc);
      first += step;
      --count;
    }
  }
}
template void sweep_words<1, false>(uintptr_t, size_t, size_t, uintptr_t);
template void sweep_words<2, false>(uintptr_t, size_t, size_t, uintptr_t);
template void sweep_words<4, false>(uintptr_t, size_t, size_t, uintptr_t);
template void sweep_words<1, true>(uintptr_t, size_t, size_t, uintptr_t);
template void sweep_words<2, true>(uintptr_t, size_t, size_t, uintptr_t);
template void sweep_words<4, true>(uintptr_t, size_t, size_t, uintptr_t);
template void read_words_slow<1>(uintptr_t, uintptr_t);
template void read_words_slow<2>(uintptr_t, uintptr_t);
template void read_words_slow<4>(uintptr_t, uintptr_t);
template void write_words_slow<1>(uintptr_t, uintptr_t);
template void write_words_slow<2>(uintptr_t, uintptr_t);
template void write_words_slow<4>(uintptr_t, uintptr_t);

template <unsigned kBytes, AccessKind kKind>
bool record_row(uintptr_t first, ptrdiff_t step, size_t count, uintptr_t pc) {
  Thread* const t = tls.thread;
  if (!record::kOn || t == nullptr || (tls.busy | tls.ignoring) != 0 || t->is_alone()) return false;
  if constexpr (record::kOn && kBytes < 4)
    record_elements(*t, first, kBytes, step, count, kKind, pc, KnownBytes{*t, kKind, kBytes});
  else if constexpr (record::kOn)
    record_elements(*t, first, kBytes, step, count, kKind, pc, KnownElements<kBytes / 4, is_write(kKind)>{*t});
  return true;
}
#define RECORD_ROW(bytes)                                                                         \
  template bool record_row<bytes, AccessKind::kRead>(uintptr_t, ptrdiff_t, size_t, uintptr_t pc); \
  template bool record_row<bytes, AccessKind::kWrite>(uintptr_t, ptrdiff_t, size_t, uintptr_t pc);
RECORD_ROW(1)
RECORD_ROW(2)
RECORD_ROW(4)
RECORD_ROW(8)
RECORD_ROW(16)
#undef RECORD_ROW

namespace {

// The cells of so many bytes at the front of a block are marked, whatever the block's size: they are what a thread that
// is alone looks at. Not more, because such a thread pays nothing else for the memory of its blocks.
constexpr size_t kFrontBytes = 256;

void free_alone(Thread& t, uintptr_t begin, uintptr_t end, uintptr_t pc) {
  // There is no id for this epoch, but there have been others, which are before whatever is done from now on.
  const EpochId when = t.uid == ThreadUid{} || t.chunk_end == kNeverId ? kNeverId : t.chunk_begin();
  Inside::enter();
  const OriginId origin = origin_of(t, pc, what_of(begin, end - begin, AccessKind::kFree));
  t.used = true;
  each_part(begin, end - begin > kFrontBytes ? begin + kFrontBytes : end, [&](uintptr_t from, uintptr_t to) {
    SpinGuard guard(stripe_of(from).lock);
    use_cells(from);
    words_free(from, to, freed_cell(when), origin);
  });
  Inside::leave();
}

}  // namespace

void free_range(Thread& t, uintptr_t begin, size_t bytes, bool gone, uintptr_t pc) {
  if (tls.ignoring != 0) return;
  if constexpr (record::kOn) return forget_freed(begin, bytes);
  const uintptr_t end = (begin + bytes) & ~uintptr_t{3};
  if (is_left_alone(t)) return gone ? free_alone(t, begin, end, pc) : void();
  RaceFound race;
  Inside::enter();
  const OriginId origin = origin_of(t, pc, what_of(begin, bytes, AccessKind::kFree));
  t.used = true;
  const Cell now = gone ? freed_cell(t.current) : whole_cell(t.current);
  each_part(begin, end, [&](uintptr_t from, uintptr_t to) {
    const bool sum_up = to - from == kStripeBytes && (!gone || from - begin >= kFrontBytes);
    free_part(t, from, to, now, sum_up, origin, race);
  });
  Inside::leave();
  if (__builtin_expect(race.any(), 0)) report_race(t, begin, bytes, AccessKind::kFree, pc, race);
}

void access_range(uintptr_t address, size_t bytes, AccessKind kind, uintptr_t pc) {
  if (bytes == 0 || !shadow_covers(address)) return;
  // Strings and small objects are looked at again and again.
  if (const Thread* t = tls.thread; t != nullptr && !t->is_alone() && bytes <= 64 && !(record::kOn && record::full)) {
    const unsigned words = static_cast<unsigned>((address & 3) + bytes + 3) / 4;
    const Cell* w = cell_of(kPlaneW, address);
    const auto recorded = [&] {
      return cells_with(w, is_write(kind) ? w : read_cell_of(*t, address), words, whole_cell(t->current)) == words;
    };
    if (recorded()) return check_hit(address, bytes, kind, recorded);
  }
  // Of a few words it is what an access by compiled code is.
  if ((address & 3) == 0 && bytes <= 16 && (kind == AccessKind::kRead || kind == AccessKind::kWrite)) {
    const bool writing = kind == AccessKind::kWrite;
    if (bytes == 4) return writing ? write_words_slow<1>(address, pc) : read_words_slow<1>(address, pc);
    if (bytes == 8) return writing ? write_words_slow<2>(address, pc) : read_words_slow<2>(address, pc);
    if (bytes == 16) return writing ? write_words_slow<4>(address, pc) : read_words_slow<4>(address, pc);
  }
  access_slow(address, bytes, kind, pc);
}

}  // namespace deadheat::live
