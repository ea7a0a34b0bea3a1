#include "live/shadow/records.h"

#include "live/ground/hash.h"
#include "live/shadow/byte_reads.h"
#include "live/shadow/cells.h"
#include "live/shadow/reference.h"
#include "live/shadow/summary.h"
#include "live/shadow/word.h"
#include "live/shadow/word_cells.h"

namespace deadheat::live {
namespace {

// A list being changed, before it is known what form it will take.
struct Draft : History {
  Draft() : History{room, 0, 0} {}
  Draft(uintptr_t word, Cell w);  // what W says of the word, without reads that are in cells
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  PastAccess room[kMostShared + 4 * (kReaderClasses + 1)];  // a cell may have four origins
};
auto add_to(History& list) {
  return [&list](const PastAccess& p) { list.append(p); };
}

Draft::Draft(uintptr_t word, Cell w) : Draft() {
  if (is_record(w)) {
    const History list = record_of(w)->history();
    std::copy(list.begin(), list.end(), room);
    count = list.count;
    writes = list.writes;
  } else if (w != 0) {
    WordState::load_cells(word, kNoReaders).decode_writes(add_to(*this));
  }
}

// Whether W and Older can say the same: plain writes of one or two epochs, or those of one epoch and an atomic write of
// all bytes, which stands last.
bool fits_cells(const History& list) {
  const PastAccess& last = list.past[list.count - 1];
  const bool atomic = last.kind() == AccessKind::kAtomicWrite && last.bytes() == 15;
  const EpochId first = list.past[0].epoch;
  EpochId other = kNeverId;
  for (uint32_t i = 0; i < list.count - atomic; ++i) {
    const PastAccess& p = list.past[i];
    if (p.kind() != AccessKind::kWrite) return false;
    if (p.epoch == first || p.epoch == other) continue;
    if (other != kNeverId || atomic) return false;
    other = p.epoch;
  }
  return true;
}
// The cell of the plain writes in one epoch.
Cell cell_of_writes(Thread& t, const History& list, EpochId epoch, OriginId& origin) {
  unsigned bytes = 0;
  origin = kNoOrigin;
  for (const PastAccess& p : list) {
    if (p.epoch != epoch || p.kind() != AccessKind::kWrite) continue;
    origin = bytes == 0 ? p.origin : with_bytes(t.stack_cache, origin, p.origin, p.bytes());
    bytes |= p.bytes();
  }
  return cell_for_some(epoch, bytes);
}

// Puts a list into cells, so that the word does not name `old` any more. False if they cannot say it.
bool put_into_cells(Thread& t, uintptr_t word, const History& list, Cell old) {
  if (is_own_record(old) && record_of(old)->crowded != 0) return false;
  OriginId origin{}, older_origin{};
  Cell now = 0, older = 0;
  if (list.count != 0) {
    if (!fits_cells(list)) return false;
    const PastAccess& last = list.past[list.count - 1];
    EpochId first = list.past[0].epoch, second = kNeverId;
    for (const PastAccess& p : list)
      if (p.epoch != first && !is_atomic(p.kind())) second = p.epoch;
    if (second == t.current && second != kNeverId) std::swap(first, second);  // what grows is in W
    if (is_atomic(last.kind())) {
      now = atomic_cell(last.epoch);
      origin = last.origin;
      if (list.count > 1) older = cell_of_writes(t, list, first, older_origin);
    } else {
      now = cell_of_writes(t, list, first, origin);
      if (second != kNeverId) older = cell_of_writes(t, list, second, older_origin);
    }
    if (!is_whole(now)) {
      store(cell_of(kPlaneOlderOrigin, word), older_origin);
      store(cell_of(kPlaneOlder, word), older);
    }
    store(cell_of(kPlaneWOrigin, word), origin);
  }
  store(cell_of(kPlaneW, word), now);
  leave(&t, old);
  return true;
}

// The list is the word's history, which named `old`.
void settle(Thread& t, uintptr_t word, const History& list, Cell old) {
  if (!put_into_cells(t, word, list, old)) store(cell_of(kPlaneW, word), record_for(t, list, old));
}
// The same for the word's own record, which has been changed to that.
void settle(Thread& t, uintptr_t word, Record* record, const History& list) {
  publish(record, list);
  const Cell cell = cell_naming(record);
  if (!put_into_cells(t, word, list, cell)) store(cell_of(kPlaneW, word), cell);
}

// The origin that a simple state has; kNoOrigin if there is none.
OriginId w_origin(uintptr_t word, Cell w) {
  return w == 0 || !is_simple(w) ? kNoOrigin : load(cell_of(kPlaneWOrigin, word));
}

template <class SomeThread>
auto& transition_for(SomeThread& t, Cell w, uint32_t what) {
  return t.transitions[spread32(w ^ spread32(what)) >> 26];
}
static_assert(kTransitions == 64);

// A state that the cell and its origin tell: own records change without changing their name, and beside a cell of some
// bytes there is the write before.
bool is_fixed(Cell cell) { return is_whole(cell) || (is_record(cell) && !record_of(cell)->is_own()); }

// Another word gets it.
void share(Cell cell) {
  if (is_record(cell) && record_of(cell)->shared == 0) record_of(cell)->shared = 1;
}

// Does what was done before in the same situation.
void repeat(const Transition& seen, uintptr_t word) {
  if (is_simple(seen.new_w) && seen.new_w_origin != kNoOrigin) store(cell_of(kPlaneWOrigin, word), seen.new_w_origin);
  share(seen.new_w);
  store(cell_of(kPlaneW, word), seen.new_w);
}

// What the cell of the thread's class says of reads goes, to visit(PastAccess).
template <class Visit>
void take_reads(Thread& t, uintptr_t word, Visit visit) {
  const WordState state = WordState::load_cells(word, ReaderSet(t.reader_class));
  const Cell r = state.r[t.reader_class];
  state.decode_read(t.reader_class, visit);
  store(read_cell_of(t, word), 0);
  if (has_block(r)) give_byte_reads(&t, state.r_origin[t.reader_class]);
}

// Puts what the R cell of the thread's class says into what W says: the cell is needed for another read, of these bytes.
// Reads that the other one stands for are left out.
void keep_reads(Thread& t, uintptr_t word, Cell w, unsigned bytes, AccessKind kind) {
  PastAccess reads[4];
  uint32_t read_count = 0;
  take_reads(t, word, [&](PastAccess p) {
    if (supersedes(kind, p.kind()) && is_ordered(t, p.epoch)) p.drop(bytes);
    if (p.bytes() != 0) reads[read_count++] = p;
  });
  if (!is_own_record(w)) {
    Draft draft(word, w);
    std::for_each(reads, reads + read_count, add_to(draft));
    return settle(t, word, draft, w);
  }
  Record* record = record_of(w);
  begin_change(record);
  History list = record->history();
  list.drop_earlier_reads(t, bytes, kind);
  if (list.count + read_count > record->capacity()) list.drop_repeated_reads();
  make_room(t, record, list, read_count);
  std::for_each(reads, reads + read_count, add_to(list));
  settle(t, word, record, list);
}

// Which bytes the R cell of the thread's class, or a crowd, says the current epoch has read, as far as a read of that kind is
// concerned.
unsigned bytes_read_in(const Thread& t, uintptr_t word, AccessKind kind) {
  const Cell r = load(read_cell_of(t, word));
  if (has_byte_reads(r)) return byte_reads_in(byte_reads_at(t.reader_class, word), t.current, 15);
  if (!is_crowd(r)) return cell_covers(r, t.current, 0, is_atomic(kind)) ? bytes_of(r) : 0;
  unsigned bytes = 0;
  each_of_thread(crowd_of(r), whose(t.slot, kind), [&](const LastAccess& mine) {
    if (mine.covers(t.current, 0, kind)) bytes |= mine.bytes();
    return false;
  });
  return bytes;
}

// Reads go into the thread's own cell, or into a crowd, whatever W is. False if the cell is another thread's, or no cell can
// say it.
bool read_beside_record(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, OriginId origin, RaceFound& race) {
  if (is_atomic(kind) && bytes != 15 && !is_crowd(load(read_cell_of(t, word)))) return false;  // cells cannot say it
  // Bytes that the current epoch has read already keep the origin of that read, which may have come before the thread
  // knew of the reads in the record: what these say of the bytes stays, as it does when the access is a hit.
  const unsigned recorded = bytes_read_in(t, word, kind);
  if (!read_in_cells(t, word, bytes, kind, origin, race)) {
    const Cell r = load(read_cell_of(t, word));
    // A thread that has its class for itself gets the cell in any case: whoever had the class before reads no more.
    if (is_crowd(r) || (!t.class_is_own && !is_read_ordered(t, t.reader_class, word, r))) return false;
    keep_reads(t, word, load(cell_of(kPlaneW, word)), bytes, kind);
    read_in_cells(t, word, bytes, kind, origin, race);
  }
  const Cell w = load(cell_of(kPlaneW, word));
  if (!is_record(w)) return true;
  Record* record = record_of(w);
  History list = record->history();
  for (uint32_t i = 0; i < list.writes; ++i) {
    const PastAccess& p = list.past[i];
    if ((p.bytes() & bytes) != 0 && conflict(kind, p.kind()) && !is_ordered(t, p.epoch)) note(race, word, bytes, p);
  }
  if (record->crowded != 0) look_at_crowd(t, word, load(crowd_cell_of(word)), bytes, kind, race);
  const unsigned added = bytes & ~recorded;
  const auto is_earlier = [&](const PastAccess& p) { return (p.bytes() & added) != 0 && is_ordered(t, p.epoch); };
  if (list.count > kSmall || std::none_of(list.past + list.writes, list.end(), is_earlier)) return true;
  if (record->is_own()) {
    begin_change(record);
    list.drop_earlier_reads(t, added, kind);
    settle(t, word, record, list);
  } else {
    Draft draft(word, w);
    draft.drop_earlier_reads(t, added, kind);
    settle(t, word, draft, w);
  }
  return true;
}

// An access to a word with a record of its own, which is changed in place. In a long record we look only at entries
// that conflict; the rest is pruned when there is no room. So n accesses that do not conflict cost O(n log n) in all.
// Then it also forgets all but the last read of each byte by each thread, so that it grows with the number of threads.
void own_update(Thread& t, uintptr_t word, Record* record, unsigned bytes, AccessKind kind, OriginId origin,
                RaceFound& race) {
  begin_change(record);
  History list = record->history();
  const uint32_t capacity = record->capacity();
  if (list.count <= kSmall || kind == AccessKind::kWrite || list.count + 1 >= capacity) {
    list.supersede(t, word, bytes, kind, race);
    if (list.count + 1 >= capacity) list.drop_repeated_reads();
  } else {
    list.look_at_conflicts(t, word, bytes, kind, race);
  }
  make_room(t, record, list, list.count > kSmall ? capacity - capacity / 4 * 3 : 1);
  list.append({t.current, origin, how(bytes, kind)});
  settle(t, word, record, list);
}

// An own record with so many accesses gives atomic ones to a crowd.
constexpr uint32_t kFewAtomics = 2;

// A word with a record of its own, which a thread reads whose class has its cell for another read: the word gets a crowd.
bool find_place(Thread& t, uintptr_t word, Record* record, unsigned bytes, AccessKind kind) {
  const Cell r = load(read_cell_of(t, word));
  if (is_write(kind) || (is_atomic(kind) && bytes != 15) || t.reader_class != kCommonClass) return false;
  if (r == 0 || has_block(r) || is_ordered(t, id_of(r))) return false;
  begin_change(record);
  History list = record->history();
  const bool found = crowd_begins(t, word, false, list);
  if (found)
    settle(t, word, record, list);
  else
    publish(record, list);
  return found;
}

// The atomic operations that a word's own record has are in a crowd from now on.
void begin_crowd_of_atomics(Thread& t, uintptr_t word, Record* record) {
  begin_change(record);
  History list = record->history();
  record->crowded = crowd_begins(t, word, true, list) ? 1 : 0;
  publish(record, list);
  if (record->crowded != 0) __atomic_thread_fence(__ATOMIC_SEQ_CST);  // see atomic_in_crowd
}

// A plain write of the whole word, ordered after all that its crowd says, stands for it.
void drop_crowd(Thread& t, uintptr_t word, Record* record) {
  Cell* const cell = crowd_cell_of(word);
  const Cell r = load(cell);
  if (!is_crowd(r) || !is_crowd_ordered(t, r, 15)) return;
  store(cell, 0);
  record->crowded = 0;
  end_crowd(&t, r);
}

void update(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, OriginId origin, RaceFound& race) {
  const Cell w = load(cell_of(kPlaneW, word));
  if (is_freed(w)) return note_freed(t, word, bytes, kind, race);
  if (is_mark(w)) return;
  if (is_write(kind) ? write_in_cells(t, word, bytes, kind, origin, race)
                     : read_beside_record(t, word, bytes, kind, origin, race))
    return;
  if (is_own_record(w)) {
    Record* record = record_of(w);
    if (find_place(t, word, record, bytes, kind)) {
      read_beside_record(t, word, bytes, kind, origin, race);
      return;
    }
    if (is_atomic(kind)) {
      if (record->crowded == 0 && record->count >= kFewAtomics) begin_crowd_of_atomics(t, word, record);
      if (atomic_in_crowd(t, word, bytes, kind, origin, race)) return;
    }
    if (kind == AccessKind::kWrite && bytes == 15) drop_crowd(t, word, record);
    if (record->count <= kSmall && (record->history().covered_by(t.current, kind) & bytes) == bytes) return;
    own_update(t, word, record, bytes, kind, origin, race);
    if (is_write(kind)) look_at_readers(t, word, bytes, is_atomic(kind), race);
    return;
  }
  const OriginId old_origin = w_origin(word, w);
  const uint32_t what = how(bytes, kind);
  Transition& seen = transition_for(t, w, what);
  const bool fixed = is_fixed(w);
  if (fixed && seen.w == w && seen.w_origin == old_origin && seen.current == t.current && seen.origin == origin &&
      seen.what == what) {
    repeat(seen, word);
    if (seen.new_w != w && is_write(kind)) look_at_readers(t, word, bytes, is_atomic(kind), race);
    return;
  }
  Draft draft(word, w);
  if ((draft.covered_by(t.current, kind) & bytes) == bytes) {
    if (is_record(w)) seen = {w, old_origin, t.current, origin, what, w, kNoOrigin};
    return;
  }
  RaceFound here;
  draft.supersede(t, word, bytes, kind, here);
  draft.append({t.current, origin, what});
  settle(t, word, draft, w);
  if (is_write(kind)) look_at_readers(t, word, bytes, is_atomic(kind), here);
  const Cell new_w = load(cell_of(kPlaneW, word));
  race.add(here);
  if (here.any() || !fixed || !is_fixed(new_w)) return;
  seen = {w, old_origin, t.current, origin, what, new_w, w_origin(word, new_w)};
}

}  // namespace

bool atomic_in_crowd(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, OriginId origin, RaceFound& race) {
  const Cell w = load(cell_of(kPlaneW, word));
  if (!is_own_record(w) || record_of(w)->crowded == 0 || !access_in_crowd(t, word, bytes, kind, origin)) return false;
  if (record_of(w)->count != 0) record_of(w)->history().look_at_conflicts(t, word, bytes, kind, race);
  if (is_write(kind)) look_at_reads(t, word, bytes, true, race);
  return true;
}

void word_update(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, OriginId origin, RaceFound& race) {
  ReferenceStep step(t, word, 1, bytes, kind, origin, &race);
  update(t, word, bytes, kind, origin, race);
  check_word(word);
  step.check(1);
}

WordSeen::WordSeen(const Thread& t, uintptr_t word)
    : w(load(cell_of(kPlaneW, word))),
      r(load(read_cell_of(t, word))),
      w_origin(load(cell_of(kPlaneWOrigin, word))),
      r_origin(load(read_origin_of(t, word))) {}

unsigned repeat_read(Thread& t, uintptr_t word, unsigned most, const WordSeen& before, OriginId origin) {
  const WordSeen now(t, word);
  if (!is_fixed(before.w) || !is_fixed(now.w) || !is_simple(before.r) || !is_simple(now.r)) return 0;
  // Where the cell goes on to say what it said, or the record says it now, its origin counts, which the next words need not have.
  const bool replaced = before.r == 0 || (is_whole(before.r) && now.w == before.w);
  if (!replaced && (now.r != before.r || now.r_origin != before.r_origin)) return 0;
  Cell *const w = cell_of(kPlaneW, word) + 1, *const r = read_cell_of(t, word) + 1;
  unsigned count = equal_cells(w, most, before.w);
  count = equal_cells(r, count, before.r);
  OriginId* const w_origin = cell_of(kPlaneWOrigin, word) + 1;
  if (is_simple(before.w) && before.w != 0)
    count = equal_cells(reinterpret_cast<const Cell*>(w_origin), count, number_of(before.w_origin));
  if (count == 0) return 0;
  ReferenceStep step(t, word + 4, count, 15, AccessKind::kRead, origin);
  if (now.w != before.w) {
    if (is_simple(now.w)) fill_cells(w_origin, count, now.w_origin);
    share(now.w);
    fill_cells(w, count, now.w);
  }
  if (now.r != before.r) {
    fill_cells(read_origin_of(t, word) + 1, count, now.r_origin);
    fill_cells(r, count, now.r);
  }
  step.check(count);
  return count;
}

bool record_covers(const Cell* at, Cell cell, EpochId current, AccessKind kind, unsigned bytes) {
  Record* record = record_of(cell);
  const uint32_t version = record->version.load(std::memory_order_acquire);
  if ((version & 1) != 0) return false;
  History list = record->history();
  if (list.count > kSmall) {  // only the newest of the same kind
    if (list.count > record->capacity()) return false;
    const uint32_t first = list.group_begin(rank(kind)), last = list.group_begin(rank(kind) + 1);
    const uint32_t newest = last - first > kNear ? last - kNear : first;
    list = {list.past + newest, last - newest, 0};
  }
  const unsigned covered = list.covered_by(current, kind);
  std::atomic_thread_fence(std::memory_order_acquire);
  return (covered & bytes) == bytes && record->version.load(std::memory_order_relaxed) == version && load(at) == cell;
}

bool record_writes_ordered(Thread& t, Cell cell, unsigned bytes, AccessKind kind, uint32_t& version) {
  Record* record = record_of(cell);
  version = record->version.load(std::memory_order_acquire);
  if ((version & 1) != 0 || record->writes > kSmall) return false;
  if (record->crowded != 0 && !is_atomic(kind)) return false;
  for (uint32_t i = 0; i < record->writes; ++i) {
    const PastAccess p = record->past()[i];
    if ((p.bytes() & bytes) != 0 && conflict(kind, p.kind()) && !is_ordered(t, p.epoch)) return false;
  }
  return true;
}

bool record_is(Cell cell, uint32_t version) {
  std::atomic_thread_fence(std::memory_order_acquire);
  return record_of(cell)->version.load(std::memory_order_relaxed) == version;
}

bool known_to_cover(const Thread& t, Cell cell, unsigned bytes, AccessKind kind) {
  if (!is_record(cell)) return false;
  const uint32_t what = how(bytes, kind);
  const Transition& seen = transition_for(t, cell, what);
  return seen.w == cell && seen.new_w == cell && seen.current == t.current && seen.what == what;
}

void word_forget(uintptr_t word, unsigned bytes) {
  ReferenceForget step(word, 1, bytes);
  const Cell w = load(cell_of(kPlaneW, word));
  Thread* t = tls.thread;
  const bool wholly = bytes == 15 || is_mark(w) || t == nullptr;
  Draft reads;  // of cells: what is left of them goes into a record
  for (const ReaderClass c : summary_of(word).classes) {
    Cell* const r = cell_of(plane_r(c), word);
    if (!wholly && is_crowd(load(r))) {
      crowd_forgets(load(r), bytes);
      continue;
    }
    if (!wholly) WordState::load_cells(word, ReaderSet(c)).decode_reads(add_to(reads));
    give_all_blocks(r, cell_of(plane_r_origin(c), word), cell_of(kPlaneW, word), 1);
    store(r, 0);
  }
  if (wholly) {
    leave(nullptr, w);
    store(cell_of(kPlaneW, word), 0);
    return bytes == 15 ? step.check() : void();
  }
  const auto add_and_drop = [&](History& list) {
    std::for_each(reads.begin(), reads.end(), add_to(list));
    list.drop_bytes(bytes);
  };
  if (is_own_record(w) && record_of(w)->count > kSmall) {  // maybe more than a draft has room for
    Record* record = record_of(w);
    begin_change(record);
    History list = record->history();
    make_room(*t, record, list, reads.count);
    add_and_drop(list);
    settle(*t, word, record, list);
  } else {
    Draft draft(word, w);
    add_and_drop(draft);
    settle(*t, word, draft, w);
  }
  step.check();
}

void note_freed(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, RaceFound& race) {
  const Cell w = load(cell_of(kPlaneW, word));
  if (kind == AccessKind::kFree && is_ordered(t, id_of(w))) return;
  race.add({AccessKind::kFree, id_of(w), load(cell_of(kPlaneWOrigin, word)), word, bytes});
}

}  // namespace deadheat::live
