#include "live/shadow/records.h"

#include <algorithm>

#include "live/ground/message.h"
#include "live/shadow/byte_reads.h"
#include "live/shadow/cells.h"
#include "live/shadow/reference.h"
#include "live/shadow/summary.h"
#include "live/shadow/word.h"
#include "live/shadow/word_cells.h"

namespace deadheat::live {
namespace {

constexpr uint64_t kPoolBytes = uint64_t{64} << 30;
constexpr unsigned kUnit = 64;  // a cell names a record by its place in units
constexpr unsigned kClasses = 24;
constexpr unsigned kSpareClasses = 4;
constexpr uint32_t kMaxSpares = 32;
constexpr uint32_t kWritesMask = (1u << 26) - 1;
constexpr uint32_t kBuckets = 1u << 18;

char* pool;
std::atomic<uint64_t> pool_used{kUnit};  // unit 0 stays unused: no record has index 0
struct FreeList {
  SpinLock lock{Lock::kFreeRecords};
  uint32_t head = 0;
};
constinit FreeList free_lists[kClasses];
std::atomic<uint32_t>* buckets;  // of interned records

// A list of past accesses being changed, before it is known what form it will take.
constexpr uint32_t kSmall = limit(9, 4);
struct Draft {
  PastAccess past[kSmall + 4 * (kReaderClasses + 1)];  // a cell may have four origins
  uint32_t count = 0;
  uint32_t writes = 0;
};

uint32_t index_of(const Record* record) {
  return static_cast<uint32_t>((reinterpret_cast<const char*>(record) - pool) / kUnit);
}
Record* at_index(uint32_t unit) { return reinterpret_cast<Record*>(pool + uint64_t{unit} * kUnit); }

Record* next_free(const Record* record) {
  const uint32_t next = record->next.load(std::memory_order_relaxed);
  return next == 0 ? nullptr : at_index(next);
}

Record* take_record(Thread& t, unsigned size_class) {
  if (size_class < kSpareClasses && t.spare_records[size_class] != nullptr) {
    Record* record = t.spare_records[size_class];
    t.spare_records[size_class] = next_free(record);
    --t.spare_count[size_class];
    return record;
  }
  FreeList& list = free_lists[size_class];
  {
    SpinGuard guard(list.lock);
    if (list.head != 0) {
      Record* record = at_index(list.head);
      list.head = record->next.load(std::memory_order_relaxed);
      return record;
    }
  }
  const uint64_t bytes = uint64_t{kUnit} << size_class;
  const uint64_t at = pool_used.fetch_add(bytes, std::memory_order_relaxed);
  if (at + bytes > kPoolBytes) die("out of room for shared words: more than 64 GiB of records");
  Record* record = reinterpret_cast<Record*>(pool + at);
  record->version.store(1, std::memory_order_relaxed);
  record->size_class = size_class & 31;
  return record;
}

// The version is odd from here on until the record is published again.
void give_record(Thread* t, Record* record) {
  const unsigned size_class = record->size_class;
  record->version.store(record->version.load(std::memory_order_relaxed) | 1, std::memory_order_release);
  if (t != nullptr && size_class < kSpareClasses && t->spare_count[size_class] < kMaxSpares) {
    record->next.store(t->spare_records[size_class] == nullptr ? 0 : index_of(t->spare_records[size_class]),
                       std::memory_order_relaxed);
    t->spare_records[size_class] = record;
    ++t->spare_count[size_class];
    return;
  }
  FreeList& list = free_lists[size_class];
  SpinGuard guard(list.lock);
  record->next.store(list.head, std::memory_order_relaxed);
  list.head = index_of(record);
}

void publish(Record* record) {
  record->version.store((record->version.load(std::memory_order_relaxed) | 1) + 1, std::memory_order_release);
}
void begin_change(Record* record) {
  record->version.store(record->version.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
}

// The word does not name the cell any more.
void leave(Thread* t, Cell cell) {
  if (is_record(cell) && record_of(cell)->is_own()) give_record(t, record_of(cell));
}

void note(RaceFound& race, uintptr_t word, unsigned bytes, const PastAccess& past) {
  race.add_bytes(past.kind(), past.epoch, past.origin, word, past.bytes() & bytes);
}

// The step of the word for a list of past accesses, without the new one (detect/word_rules.h). Returns the new number
// of entries, and how many of them write in `writes`.
uint32_t supersede(Thread& t, PastAccess* past, uint32_t count, uint32_t& writes, uintptr_t word, unsigned bytes,
                   AccessKind kind, RaceFound& race) {
  const auto is_before = [&t](const PastAccess& p) { return is_ordered(t, p.epoch); };
  const auto on_race = [&](const PastAccess& p) { note(race, word, bytes, p); };
  const uint32_t kept = word::step(past, count, kind, bytes, is_before, on_race);
  writes =
      static_cast<uint32_t>(std::count_if(past, past + kept, [](const PastAccess& p) { return is_write(p.kind()); }));
  return kept;
}

// Entries stand in groups: writes, atomic writes, reads, atomic reads. An access need only look at those it conflicts
// with, however many of its own kind there are.
constexpr uint32_t rank(AccessKind kind) {
  constexpr uint32_t kRanks[kAccessKinds] = {3, 2, 0, 3, 1, 0};
  return kRanks[static_cast<unsigned>(kind)];
}
constexpr AccessKind kByRank[] = {AccessKind::kWrite, AccessKind::kAtomicWrite, AccessKind::kRead,
                                  AccessKind::kAtomicRead};

// Where the group of that rank begins.
uint32_t group_begin(const PastAccess* past, uint32_t count, uint32_t wanted) {
  uint32_t low = 0, high = count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (rank(past[middle].kind()) < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// How many entries at the end of a group are looked at for one that is the same: recent ones are there.
constexpr uint32_t kNear = limit(8, 2);

void append(PastAccess* past, uint32_t& count, uint32_t& writes, PastAccess added) {
  const uint32_t group = rank(added.kind());
  uint32_t end = count;
  if (count <= kSmall)
    while (end != 0 && rank(past[end - 1].kind()) > group) --end;
  else
    end = group_begin(past, count, group + 1);
  for (uint32_t i = end, near = 0; i != 0 && near < kNear; ++near) {
    PastAccess& p = past[--i];
    if (rank(p.kind()) != group) break;
    // The same code in the same epoch on further bytes: one entry.
    if (p.epoch != added.epoch || p.origin != added.origin) continue;
    p.how |= added.bytes();
    return;
  }
  // Each later group gives its first place away and takes one at its end.
  uint32_t hole = count++;
  for (uint32_t later = 3; later > group && hole != end; --later) {
    const uint32_t first = group_begin(past, hole, later);
    if (first == hole) continue;
    past[hole] = past[first];
    hole = first;
  }
  past[hole] = added;
  if (group < 2) ++writes;
}

bool same(const Record* record, const Draft& draft) {
  if (record->count != draft.count) return false;
  for (uint32_t i = 0; i < draft.count; ++i) {
    const PastAccess &a = record->past()[i], &b = draft.past[i];
    if (a.epoch != b.epoch || a.origin != b.origin || a.how != b.how) return false;
  }
  return true;
}

uint32_t bucket_of(const Draft& draft) {
  uint64_t hash = draft.count;
  for (uint32_t i = 0; i < draft.count; ++i) {
    const PastAccess& p = draft.past[i];
    hash =
        (hash ^ number_of(p.epoch) ^ uint64_t{number_of(p.origin)} << 32 ^ uint64_t{p.how} << 56) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 31;
  }
  return static_cast<uint32_t>(hash & (kBuckets - 1));
}

Cell find_interned(uint32_t head, uint32_t until, const Draft& draft) {
  for (uint32_t unit = head; unit != until;) {
    Record* record = at_index(unit);
    if (same(record, draft)) {
      if (record->shared == 0) record->shared = 1;
      return kRecordBit | unit;
    }
    unit = record->next.load(std::memory_order_relaxed);
  }
  return 0;
}

Record* fill(Thread& t, const Draft& draft) {
  unsigned size_class = 0;
  while (record_capacity(size_class) < draft.count) ++size_class;
  Record* record = take_record(t, size_class);
  record->count = draft.count;
  record->writes = draft.writes & kWritesMask;
  record->shared = 0;
  for (uint32_t i = 0; i < draft.count; ++i) record->past()[i] = draft.past[i];
  return record;
}

// Interning pays where words share their histories. Where they do not, the table would grow with every epoch and be
// searched in vain, so new records are put into it only at a rate that the finds justify; they are never taken out, so
// there is a limit, too (2 MiB).
constexpr uint64_t kMostInterned = limit(1u << 15, 64u);
std::atomic<uint64_t> finds{0}, interned{0};
bool may_intern() {
  const uint64_t count = interned.load(std::memory_order_relaxed);
  return count < kMostInterned && count < 4096 + finds.load(std::memory_order_relaxed) / 4;
}

Cell own_record(Thread& t, const Draft& draft, Cell old) {
  if (is_record(old) && record_of(old)->is_own() && draft.count <= record_capacity(record_of(old)->size_class)) {
    Record* record = record_of(old);
    begin_change(record);
    record->count = draft.count;
    record->writes = draft.writes & kWritesMask;
    for (uint32_t i = 0; i < draft.count; ++i) record->past()[i] = draft.past[i];
    publish(record);
    return old;
  }
  Record* record = fill(t, draft);
  record->next.store(Record::kOwn, std::memory_order_relaxed);
  publish(record);
  leave(&t, old);
  return kRecordBit | index_of(record);
}

// The record of a draft; `old` is what the word named before.
Cell record_for(Thread& t, const Draft& draft, Cell old) {
  const bool unshared = is_record(old) && (record_of(old)->is_own() || record_of(old)->shared == 0);
  if (unshared || draft.count > kSmall || !may_intern()) return own_record(t, draft, old);
  std::atomic<uint32_t>& bucket = buckets[bucket_of(draft)];
  uint32_t head = bucket.load(std::memory_order_acquire);
  if (const Cell found = find_interned(head, 0, draft); found != 0) {
    finds.fetch_add(1, std::memory_order_relaxed);
    return found;
  }
  interned.fetch_add(1, std::memory_order_relaxed);
  Record* record = fill(t, draft);
  publish(record);
  for (;;) {
    record->next.store(head, std::memory_order_relaxed);
    uint32_t seen = head;
    if (bucket.compare_exchange_weak(seen, index_of(record), std::memory_order_acq_rel)) break;
    if (const Cell found = find_interned(seen, head, draft); found != 0) {
      give_record(&t, record);
      return found;
    }
    head = seen;
  }
  return kRecordBit | index_of(record);
}

// Whether W and Older can say the same: plain writes of one or two epochs, or those of one epoch and an atomic write of
// all bytes, which stands last.
bool fits_cells(const PastAccess* past, uint32_t count) {
  if (count == 0) return false;
  const PastAccess& last = past[count - 1];
  const bool atomic = last.kind() == AccessKind::kAtomicWrite && last.bytes() == 15;
  const uint32_t plain = count - atomic;
  EpochId other = kNeverId;
  for (uint32_t i = 0; i < plain; ++i) {
    if (past[i].kind() != AccessKind::kWrite) return false;
    if (past[i].epoch == past[0].epoch || past[i].epoch == other) continue;
    if (other != kNeverId || atomic) return false;
    other = past[i].epoch;
  }
  return true;
}
// The cell of the writes in one epoch.
Cell cell_of_writes(Thread& t, const PastAccess* past, uint32_t count, EpochId epoch, OriginId& origin) {
  unsigned bytes = 0;
  origin = kNoOrigin;
  for (uint32_t i = 0; i < count; ++i) {
    if (past[i].epoch != epoch) continue;
    origin = bytes == 0 ? past[i].origin : with_bytes(t.stack_cache, origin, past[i].origin, past[i].bytes());
    bytes |= past[i].bytes();
  }
  return bytes == 0 ? 0 : cell_for(epoch, bytes);
}
void put_into_cells(Thread& t, uintptr_t word, const PastAccess* past, uint32_t count, Cell old) {
  const PastAccess& last = past[count - 1];
  const bool atomic = is_atomic(last.kind());
  EpochId first = past[0].epoch, second = kNeverId;
  for (uint32_t i = 0; i < count - atomic; ++i)
    if (past[i].epoch != first) second = past[i].epoch;
  if (second == t.current) std::swap(first, second);  // what grows is in W
  OriginId origin, older_origin{};
  Cell now, older = 0;
  if (atomic) {
    now = atomic_cell(last.epoch);
    origin = last.origin;
    if (count > 1) older = cell_of_writes(t, past, count - 1, first, older_origin);
  } else {
    now = cell_of_writes(t, past, count, first, origin);
    if (second != kNeverId) older = cell_of_writes(t, past, count, second, older_origin);
  }
  if (!is_whole(now)) {
    store(cell_of(kPlaneOlderOrigin, word), older_origin);
    store(cell_of(kPlaneOlder, word), older);
  }
  store(cell_of(kPlaneWOrigin, word), origin);
  store(cell_of(kPlaneW, word), now);
  leave(&t, old);
}

// Puts a draft into the word: as an epoch if that can express it, else as a record.
void settle(Thread& t, uintptr_t word, const Draft& draft, Cell old) {
  Cell* w = cell_of(kPlaneW, word);
  if (draft.count == 0) {
    store(w, 0);
    leave(&t, old);
  } else if (fits_cells(draft.past, draft.count)) {
    put_into_cells(t, word, draft.past, draft.count, old);
  } else {
    store(w, record_for(t, draft, old));
  }
}

// The origin that a simple state has; kNoOrigin if there is none.
OriginId w_origin(uintptr_t word, Cell w) {
  return w == 0 || !is_simple(w) ? kNoOrigin : load(cell_of(kPlaneWOrigin, word));
}

template <class SomeThread>
auto& transition_for(SomeThread& t, Cell w, uint32_t what) {
  return t.transitions[(w * 0x9e3779b1u ^ what * 0xc2b2ae35u) >> 26];
}
static_assert(kTransitions == 64);

// A state that the cell and its origin tell: own records change without changing their name, and beside a cell of some
// bytes there is the write before.
bool is_fixed(Cell cell) { return is_whole(cell) || (is_record(cell) && !record_of(cell)->is_own()); }

// What W says of the word, without reads that are in cells.
Draft draft_of(uintptr_t word, Cell w) {
  Draft draft;
  if (is_record(w)) {
    const Record* record = record_of(w);
    draft.count = record->count;
    draft.writes = record->writes;
    for (uint32_t i = 0; i < record->count; ++i) draft.past[i] = record->past()[i];
  } else if (w != 0) {
    WordState::load_cells(word, 0).decode_writes(
        [&](const PastAccess& p) { append(draft.past, draft.count, draft.writes, p); });
  }
  return draft;
}

// Takes the earlier read that some class has in Older over into the draft: W is going to be something else.
void take_older_read(uintptr_t word, Cell w, Draft& draft) {
  const unsigned c = class_with_older(word, w);
  if (c == kReaderClasses) return;
  const WordState state = WordState::load_cells(word, 1u << c);
  __atomic_fetch_and(cell_of(plane_r(c), word), ~kHasOlder, __ATOMIC_RELAXED);  // its thread may read meanwhile
  state.decode_older_read(c, [&](const PastAccess& p) { append(draft.past, draft.count, draft.writes, p); });
}

// The bytes that the current epoch stands for in the list, as far as an access of that kind is concerned.
unsigned covered_by(const PastAccess* past, uint32_t count, EpochId current, AccessKind kind) {
  unsigned covered = 0;
  for (uint32_t i = 0; i < count; ++i)
    if (past[i].epoch == current && supersedes(past[i].kind(), kind)) covered |= past[i].bytes();
  return covered;
}

// Does what was done before in the same situation.
void repeat(const Transition& seen, uintptr_t word) {
  if (is_simple(seen.new_w)) {
    if (seen.new_w_origin != kNoOrigin) store(cell_of(kPlaneWOrigin, word), seen.new_w_origin);
  } else if (record_of(seen.new_w)->shared == 0) {
    record_of(seen.new_w)->shared = 1;
  }
  store(cell_of(kPlaneW, word), seen.new_w);
}

Record* moved_to_bigger(Thread& t, Record* record, uint32_t count) {
  Record* bigger = take_record(t, record->size_class + 1u);
  bigger->next.store(Record::kOwn, std::memory_order_relaxed);
  bigger->shared = 0;
  for (uint32_t i = 0; i < count; ++i) bigger->past()[i] = record->past()[i];
  give_record(&t, record);
  return bigger;
}

// A read that the R cell of the thread has: earlier reads of the bytes, which are ordered before it and for which it
// stands, are not needed any more. Returns how many accesses are left.
uint32_t without_earlier_reads(Thread& t, PastAccess* past, uint32_t count, unsigned bytes, AccessKind kind) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; ++i) {
    PastAccess p = past[i];
    if ((p.bytes() & bytes) != 0 && !is_write(p.kind()) && supersedes(kind, p.kind()) && is_ordered(t, p.epoch)) {
      p.drop(bytes);
      if (p.bytes() == 0) continue;
    }
    past[kept++] = p;
  }
  return kept;
}

// Of each thread only the last read of a byte matters. Called when a record is full, so that it grows with the number
// of threads, not with the length of the run; very long ones are left as they are, for this looks at all pairs.
constexpr uint32_t kFewPairs = limit(1024, 8);
uint32_t without_repeated_reads(PastAccess* past, uint32_t count, uint32_t writes) {
  if (count > kFewPairs) return count;
  Epoch when[kFewPairs];
  for (uint32_t i = writes; i < count; ++i) when[i] = epoch_of(past[i].epoch);
  uint32_t kept = writes;
  for (uint32_t i = writes; i < count; ++i) {
    PastAccess p = past[i];
    for (uint32_t j = writes; j < count && p.bytes() != 0; ++j)
      if (when[j].slot() == when[i].slot() && when[j].clock() > when[i].clock() && supersedes(past[j].kind(), p.kind()))
        p.drop(past[j].bytes());
    if (p.bytes() == 0) continue;
    when[kept] = when[i];
    past[kept++] = p;
  }
  return kept;
}

// Puts what the R cell of the thread's class says, and the earlier read beside it, into what W says: the cell is needed
// for another read, of these bytes. No look at what they mean: that was done when they were made.
void keep_reads(Thread& t, uintptr_t word, Cell w, unsigned bytes, AccessKind kind) {
  PastAccess reads[2 * 4];
  uint32_t read_count = 0;
  const WordState state = WordState::load_cells(word, 1u << t.reader_class);
  const unsigned gone = supersedes(kind, kind_of_read(state.r[t.reader_class] & ~kHasOlder)) ? bytes : 0;
  const auto take = [&](PastAccess p) {
    p.drop(gone);
    if (p.bytes() != 0) reads[read_count++] = p;
  };
  state.decode_read(t.reader_class, take);
  state.decode_older_read(t.reader_class, take);
  const Cell r = state.r[t.reader_class];
  store(read_cell_of(t, word), 0);
  if (has_byte_reads(r)) give_byte_reads(&t, r);
  const auto add_to = [&](PastAccess* past, uint32_t& count, uint32_t& writes) {
    for (uint32_t i = 0; i < read_count; ++i) append(past, count, writes, reads[i]);
  };
  if (!is_record(w) || !record_of(w)->is_own()) {
    Draft draft = draft_of(word, w);
    take_older_read(word, w, draft);
    add_to(draft.past, draft.count, draft.writes);
    return settle(t, word, draft, w);
  }
  Record* record = record_of(w);
  begin_change(record);
  uint32_t count = record->count, writes = record->writes;
  count = without_earlier_reads(t, record->past(), count, bytes, kind);
  if (count + read_count > record_capacity(record->size_class))
    count = without_repeated_reads(record->past(), count, writes);
  while (count + read_count > record_capacity(record->size_class)) record = moved_to_bigger(t, record, count);
  add_to(record->past(), count, writes);
  record->count = count;
  record->writes = writes & kWritesMask;
  publish(record);
  store(cell_of(kPlaneW, word), kRecordBit | index_of(record));
}

// Reads go into the thread's own cell, whatever W is. False if the cell is another thread's, or no cell can say it.
bool read_beside_record(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, OriginId origin, RaceFound& race) {
  if (is_atomic(kind) && bytes != 15) return false;  // cells have no room for that
  // Bytes that the current epoch has read already keep the origin of that read, which may have come before the thread
  // knew of the reads in the record: what these say of the bytes stays, as it does when the access is a hit.
  const Cell r = load(read_cell_of(t, word)), before = r & ~kHasOlder;
  const unsigned recorded = has_byte_reads(r)                                    ? byte_reads_in(r, t.current, 15)
                            : cell_covers(before, t.current, 0, is_atomic(kind)) ? bytes_of(before)
                                                                                 : 0;
  if (!read_in_cells(t, word, bytes, kind, origin, race)) {
    if (!is_read_ordered(t, load(read_cell_of(t, word)))) return false;
    keep_reads(t, word, load(cell_of(kPlaneW, word)), bytes, kind);
    read_in_cells(t, word, bytes, kind, origin, race);
  }
  const Cell w = load(cell_of(kPlaneW, word));
  if (!is_record(w)) return true;
  Record* record = record_of(w);
  for (uint32_t i = 0; i < record->writes; ++i) {
    const PastAccess& p = record->past()[i];
    if ((p.bytes() & bytes) != 0 && conflict(kind, p.kind()) && !is_ordered(t, p.epoch)) note(race, word, bytes, p);
  }
  const unsigned added = bytes & ~recorded;
  const auto is_earlier = [&](const PastAccess& p) { return (p.bytes() & added) != 0 && is_ordered(t, p.epoch); };
  if (record->count > kSmall ||
      std::none_of(record->past() + record->writes, record->past() + record->count, is_earlier))
    return true;
  if (record->is_own()) {
    begin_change(record);
    record->count = without_earlier_reads(t, record->past(), record->count, added, kind);
    publish(record);
    if (record->count == 0) {
      store(cell_of(kPlaneW, word), 0);
      leave(&t, w);
    } else if (fits_cells(record->past(), record->count)) {
      put_into_cells(t, word, record->past(), record->count, w);
    }
    return true;
  }
  Draft draft = draft_of(word, w);
  draft.count = without_earlier_reads(t, draft.past, draft.count, added, kind);
  settle(t, word, draft, w);
  return true;
}

// An access to a word with a record of its own, which is changed in place. In a long record we look only at entries
// that conflict; the rest is pruned when there is no room. So n accesses that do not conflict cost O(n log n) in all.
void own_update(Thread& t, uintptr_t word, Cell old, unsigned bytes, AccessKind kind, OriginId origin,
                RaceFound& race) {
  Record* record = record_of(old);
  begin_change(record);
  uint32_t count = record->count, writes = record->writes;
  const uint32_t capacity = record_capacity(record->size_class);
  if (count <= kSmall || kind == AccessKind::kWrite || count + 1 >= capacity) {
    count = supersede(t, record->past(), count, writes, word, bytes, kind, race);
    if (count + 1 >= capacity) count = without_repeated_reads(record->past(), count, writes);
  } else {
    for (const AccessKind other : kByRank) {
      if (!conflict(kind, other)) continue;
      const uint32_t end = group_begin(record->past(), count, rank(other) + 1);
      for (uint32_t i = group_begin(record->past(), count, rank(other)); i < end; ++i) {
        const PastAccess& p = record->past()[i];
        if ((p.bytes() & bytes) != 0 && !is_ordered(t, p.epoch)) note(race, word, bytes, p);
      }
    }
  }
  if (count > kSmall ? count > capacity / 4 * 3 : count == capacity) record = moved_to_bigger(t, record, count);
  append(record->past(), count, writes, {t.current, origin, how(bytes, kind)});
  record->count = count;
  record->writes = writes & kWritesMask;
  publish(record);
  const Cell cell = kRecordBit | index_of(record);
  if (fits_cells(record->past(), count))
    put_into_cells(t, word, record->past(), count, cell);
  else
    store(cell_of(kPlaneW, word), cell);
}

}  // namespace

void records_start() {
  pool = static_cast<char*>(sys::reserve(kPoolBytes));
  buckets = static_cast<std::atomic<uint32_t>*>(sys::reserve(kBuckets * sizeof(uint32_t)));
  if (pool == nullptr || buckets == nullptr) die("no address space for records (is there a limit by ulimit -v?)");
}

void records_return_spares(Thread& t) {
  for (unsigned c = 0; c < kSpareClasses; ++c) {
    while (t.spare_records[c] != nullptr) {
      Record* record = t.spare_records[c];
      t.spare_records[c] = next_free(record);
      give_record(nullptr, record);
    }
    t.spare_count[c] = 0;
  }
}

DEADHEAT_ARRAY_TAKEN_AT_FORK(kFreeRecords, free_lists)

Record* record_of(Cell cell) { return at_index(cell & ~kRecordBit); }

bool record_covers(const Cell* at, Cell cell, EpochId current, AccessKind kind, unsigned bytes) {
  const Record* record = record_of(cell);
  const uint32_t version = record->version.load(std::memory_order_acquire);
  if ((version & 1) != 0) return false;
  const uint32_t count = record->count;
  uint32_t first = 0, last = count;
  if (count > kSmall) {  // only the newest of the same kind
    if (count > record_capacity(record->size_class)) return false;
    first = group_begin(record->past(), count, rank(kind));
    last = group_begin(record->past(), count, rank(kind) + 1);
    if (last - first > kNear) first = last - kNear;
  }
  const unsigned covered = covered_by(record->past() + first, last - first, current, kind);
  std::atomic_thread_fence(std::memory_order_acquire);
  return (covered & bytes) == bytes && record->version.load(std::memory_order_relaxed) == version && load(at) == cell;
}

bool record_writes_ordered(Thread& t, Cell cell, unsigned bytes, AccessKind kind, uint32_t& version) {
  const Record* record = record_of(cell);
  version = record->version.load(std::memory_order_acquire);
  if ((version & 1) != 0 || record->writes > kSmall) return false;
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

#ifdef NDEBUG
void check_word(uintptr_t) {}
#else
void check_word(uintptr_t word) {
  const auto must = [word](bool holds, const char* what) {
    if (!holds) die("shadow of 0x%lx: %s", word, what);
  };
  const unsigned classes = summary_of(word).classes;
  must(summary_of(word).mode == PartMode::kCells, "an update of cells that are not in use");
  for (unsigned c = 0; c < kReaderClasses; ++c) {
    const Cell r = load(cell_of(plane_r(c), word));
    must(!has_older(r) || (is_whole(load(cell_of(kPlaneW, word))) && bytes_of(r) != 15),
         "an earlier read beside a cell that does not permit it");
    must(r == 0 || (classes >> c & 1) != 0, "a read cell of a class that is not noted");
  }
  const Cell w = load(cell_of(kPlaneW, word));
  if (!is_record(w)) return;
  const Record* record = record_of(w);
  must((record->version.load(std::memory_order_relaxed) & 1) == 0, "a record that is free or half changed");
  must(record->count > 0 && record->count <= record_capacity(record->size_class), "a record without or with too much");
  uint32_t writes = 0;
  for (uint32_t i = 0; i < record->count; ++i) {
    const PastAccess& p = record->past()[i];
    must(p.epoch != kNeverId && p.bytes() != 0, "an entry of a record that says nothing");
    must(i == 0 || rank(record->past()[i - 1].kind()) <= rank(p.kind()), "entries of a record out of order");
    if (is_write(p.kind())) ++writes;
  }
  must(writes == record->writes, "a record that miscounts its writes");
}
#endif

bool known_to_cover(const Thread& t, Cell cell, unsigned bytes, AccessKind kind) {
  if (!is_record(cell)) return false;
  const uint32_t what = how(bytes, kind);
  const Transition& seen = transition_for(t, cell, what);
  return seen.w == cell && seen.new_w == cell && seen.current == t.current && seen.what == what;
}

namespace {

void update(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, OriginId origin, RaceFound& race) {
  const Cell w = load(cell_of(kPlaneW, word));
  if (is_freed(w)) return note_freed(t, word, bytes, kind, race);
  if (is_mark(w)) return;
  if (is_write(kind) ? write_in_cells(t, word, bytes, kind, origin, race)
                     : read_beside_record(t, word, bytes, kind, origin, race))
    return;
  if (is_record(w) && record_of(w)->is_own()) {
    const Record* record = record_of(w);
    if (record->count <= kSmall && (covered_by(record->past(), record->count, t.current, kind) & bytes) == bytes)
      return;
    own_update(t, word, w, bytes, kind, origin, race);
    if (is_write(kind)) look_at_readers(t, word, bytes, is_atomic(kind), race);
    return;
  }
  const OriginId old_origin = w_origin(word, w);
  const uint32_t what = how(bytes, kind);
  Transition& seen = transition_for(t, w, what);
  const bool fixed = is_fixed(w) && class_with_older(word, w) == kReaderClasses;
  if (fixed && seen.w == w && seen.w_origin == old_origin && seen.current == t.current && seen.origin == origin &&
      seen.what == what) {
    repeat(seen, word);
    if (seen.new_w != w && is_write(kind)) look_at_readers(t, word, bytes, is_atomic(kind), race);
    return;
  }
  Draft draft = draft_of(word, w);
  if ((covered_by(draft.past, draft.count, t.current, kind) & bytes) == bytes) {
    if (is_record(w)) seen = {w, old_origin, t.current, origin, what, w, kNoOrigin};
    return;
  }
  RaceFound here;
  take_older_read(word, w, draft);
  draft.count = supersede(t, draft.past, draft.count, draft.writes, word, bytes, kind, here);
  append(draft.past, draft.count, draft.writes, {t.current, origin, how(bytes, kind)});
  settle(t, word, draft, w);
  if (is_write(kind)) look_at_readers(t, word, bytes, is_atomic(kind), here);
  const Cell new_w = load(cell_of(kPlaneW, word));
  race.add(here);
  if (here.any() || !fixed || !is_fixed(new_w)) return;
  seen = {w, old_origin, t.current, origin, what, new_w, w_origin(word, new_w)};
}

}  // namespace

void word_update(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, OriginId origin, RaceFound& race) {
  ReferenceStep step(t, word, 1, bytes, kind, origin, &race);
  update(t, word, bytes, kind, origin, race);
  check_word(word);
  step.check(1);
}

namespace {

void forget_bytes(PastAccess* past, uint32_t& count, uint32_t& writes, unsigned bytes) {
  uint32_t kept = 0;
  writes = 0;
  for (uint32_t i = 0; i < count; ++i) {
    PastAccess p = past[i];
    p.drop(bytes);
    if (p.bytes() == 0) continue;
    past[kept++] = p;
    if (is_write(p.kind())) ++writes;
  }
  count = kept;
}

}  // namespace

void word_forget(uintptr_t word, unsigned bytes) {
  ReferenceForget step(word, 1, bytes);
  const Cell w = load(cell_of(kPlaneW, word));
  const unsigned classes = summary_of(word).classes;
  Draft reads;  // of cells: what is left of them goes into a record
  const WordState state = WordState::load_cells(word, classes);
  const auto add_to = [](PastAccess* past, uint32_t& count, uint32_t& writes) {
    return [=, &count, &writes](const PastAccess& p) { append(past, count, writes, p); };
  };
  if (!is_mark(w)) state.decode_reads(add_to(reads.past, reads.count, reads.writes));
  for (unsigned left = classes; left != 0; left &= left - 1)
    give_all_byte_reads(cell_of(plane_r(static_cast<unsigned>(__builtin_ctz(left))), word), cell_of(kPlaneW, word), 1);
  for (unsigned left = classes; left != 0; left &= left - 1)
    store(cell_of(plane_r(static_cast<unsigned>(__builtin_ctz(left))), word), 0);
  Thread* t = tls.thread;
  if (bytes == 15 || is_mark(w) || t == nullptr) {
    leave(nullptr, w);
    store(cell_of(kPlaneW, word), 0);
    return bytes == 15 ? step.check() : void();
  }
  if (is_record(w) && record_of(w)->count > kSmall) {
    Record* record = record_of(w);
    begin_change(record);
    uint32_t count = record->count, writes = 0;
    while (count + reads.count > record_capacity(record->size_class)) record = moved_to_bigger(*t, record, count);
    std::for_each(reads.past, reads.past + reads.count, add_to(record->past(), count, writes));
    forget_bytes(record->past(), count, writes, bytes);
    record->count = count;
    record->writes = writes & kWritesMask;
    publish(record);
    const Cell cell = kRecordBit | index_of(record);
    if (count == 0) {
      store(cell_of(kPlaneW, word), 0);
      leave(t, cell);
    } else if (fits_cells(record->past(), count)) {
      put_into_cells(*t, word, record->past(), count, cell);
    } else {
      store(cell_of(kPlaneW, word), cell);
    }
    return step.check();
  }
  Draft draft = draft_of(word, w);
  std::for_each(reads.past, reads.past + reads.count, add_to(draft.past, draft.count, draft.writes));
  forget_bytes(draft.past, draft.count, draft.writes, bytes);
  settle(*t, word, draft, w);
  step.check();
}

namespace {

void set_words(uintptr_t begin, uintptr_t end, Cell to) {
  Cell* w = cell_of(kPlaneW, begin);
  const unsigned count = static_cast<unsigned>(end - begin) / 4;
  for (unsigned left = summary_of(begin).classes; left != 0; left &= left - 1)
    give_all_byte_reads(cell_of(plane_r(static_cast<unsigned>(__builtin_ctz(left))), begin), w, count);
  constexpr unsigned kOnce = 64;
  for (unsigned i = 0; i < count; i += kOnce) {
    const unsigned some = std::min(count - i, kOnce);
    const Contents before = contents_of(w + i, some);
    if (before.records)
      for (unsigned j = i; j < i + some; ++j) leave(nullptr, load(w + j));
    if (before.anything || to != 0) fill_cells(w + i, some, to);  // cells that are 0 may have no memory yet
  }
  for (unsigned left = summary_of(begin).classes; left != 0; left &= left - 1)
    fill_cells(cell_of(plane_r(static_cast<unsigned>(__builtin_ctz(left))), begin), count, 0);
}

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
  part.classes = 0;
}

void note_freed(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, RaceFound& race) {
  const Cell w = load(cell_of(kPlaneW, word));
  if (kind == AccessKind::kFree && is_ordered(t, id_of(w))) return;
  race.add({AccessKind::kFree, id_of(w), load(cell_of(kPlaneWOrigin, word)), word, bytes});
}

void record_mark_ids(Cell cell) {
  const Record* record = record_of(cell);
  for (uint32_t i = 0; i < record->count; ++i) epochs_mark(record->past()[i].epoch);
}

uint64_t records_bytes() { return pool_used.load(std::memory_order_relaxed); }

}  // namespace deadheat::live
