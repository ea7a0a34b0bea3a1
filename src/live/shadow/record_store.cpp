#include "live/shadow/record_store.h"

#include "live/ground/hash.h"
#include "live/ground/message.h"

namespace deadheat::live {

char* record_pool;

namespace {

constexpr uint64_t kPoolBytes = uint64_t{64} << 30;
constexpr unsigned kClasses = 24;
constexpr unsigned kSpareClasses = 4;
constexpr uint32_t kMaxSpares = 32;
constexpr unsigned kBucketBits = 18;

std::atomic<uint64_t> pool_used{kRecordUnit};  // the first unit stays unused: it would be kNoRecord
struct FreeList {
  SpinLock lock{Lock::kFreeRecords};
  RecordId head{};
};
constinit FreeList free_lists[kClasses];
std::atomic<RecordId>* buckets;  // of interned records

Record* next_free(const Record* record) {
  const RecordId next = record->next.load(std::memory_order_relaxed);
  return next == kNoRecord ? nullptr : record_at(next);
}

}  // namespace

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
    if (list.head != kNoRecord) {
      Record* record = record_at(list.head);
      list.head = record->next.load(std::memory_order_relaxed);
      return record;
    }
  }
  const uint64_t bytes = uint64_t{kRecordUnit} << size_class;
  const uint64_t at = pool_used.fetch_add(bytes, std::memory_order_relaxed);
  if (at + bytes > kPoolBytes) die("out of room for shared words: more than 64 GiB of records");
  Record* record = reinterpret_cast<Record*>(record_pool + at);
  record->version.store(1, std::memory_order_relaxed);
  record->size_class = size_class & 31;
  return record;
}

void give_record(Thread* t, Record* record) {
  const unsigned size_class = record->size_class;
  record->version.store(record->version.load(std::memory_order_relaxed) | 1, std::memory_order_release);
  if (t != nullptr && size_class < kSpareClasses && t->spare_count[size_class] < kMaxSpares) {
    Record*& first = t->spare_records[size_class];
    record->next.store(first == nullptr ? kNoRecord : id_of(first), std::memory_order_relaxed);
    first = record;
    ++t->spare_count[size_class];
    return;
  }
  FreeList& list = free_lists[size_class];
  SpinGuard guard(list.lock);
  record->next.store(list.head, std::memory_order_relaxed);
  list.head = id_of(record);
}

namespace {

bool same(Record* record, const History& list) {
  return std::equal(list.begin(), list.end(), record->past(), record->past() + record->count,
                    [](const PastAccess& a, const PastAccess& b) {
                      return a.epoch == b.epoch && a.origin == b.origin && a.how == b.how;
                    });
}

std::atomic<RecordId>& bucket_of(const History& list) {
  uint64_t hash = list.count;
  for (const PastAccess& p : list) hash = mix(hash ^ p.how, uint64_t{number_of(p.origin)} << 32 | number_of(p.epoch));
  return buckets[spread<kBucketBits>(hash)];
}

Cell find_interned(RecordId head, RecordId until, const History& list) {
  for (RecordId id = head; id != until;) {
    Record* record = record_at(id);
    if (same(record, list)) {
      if (record->shared == 0) record->shared = 1;
      return cell_naming(record);
    }
    id = record->next.load(std::memory_order_relaxed);
  }
  return 0;
}

void copy(Record* to, const History& list) { std::copy(list.begin(), list.end(), to->past()); }

Record* new_record(Thread& t, const History& list) {
  unsigned size_class = 0;
  while (record_capacity(size_class) < list.count) ++size_class;
  Record* record = take_record(t, size_class);
  record->shared = 0;
  record->crowded = 0;
  copy(record, list);
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

Cell own_record_for(Thread& t, const History& list, Cell old) {
  if (is_own_record(old) && list.count <= record_of(old)->capacity()) {
    Record* record = record_of(old);
    begin_change(record);
    copy(record, list);
    publish(record, list);
    return old;
  }
  Record* record = new_record(t, list);
  record->next.store(Record::kOwn, std::memory_order_relaxed);
  if (is_own_record(old)) record->crowded = record_of(old)->crowded;
  publish(record, list);
  leave(&t, old);
  return cell_naming(record);
}

}  // namespace

void records_start() {
  record_pool = static_cast<char*>(sys::reserve(kPoolBytes));
  buckets = static_cast<std::atomic<RecordId>*>(sys::reserve(sizeof(RecordId) << kBucketBits));
  if (record_pool == nullptr || buckets == nullptr)
    die("no address space for records (is there a limit by ulimit -v?)");
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

void make_room(Thread& t, Record*& record, History& list, uint32_t more) {
  while (list.count + more > record->capacity()) {
    Record* const bigger = take_record(t, record->size_class + 1u);
    bigger->next.store(Record::kOwn, std::memory_order_relaxed);
    bigger->shared = 0;
    bigger->crowded = record->crowded;
    copy(bigger, list);
    give_record(&t, record);
    record = bigger;
    list.past = bigger->past();
  }
}

Cell record_for(Thread& t, const History& list, Cell old) {
  const bool unshared = is_record(old) && (record_of(old)->is_own() || record_of(old)->shared == 0);
  if (unshared || list.count > kMostShared || !may_intern()) return own_record_for(t, list, old);
  std::atomic<RecordId>& bucket = bucket_of(list);
  RecordId head = bucket.load(std::memory_order_acquire);
  if (const Cell found = find_interned(head, kNoRecord, list); found != 0) {
    finds.fetch_add(1, std::memory_order_relaxed);
    return found;
  }
  interned.fetch_add(1, std::memory_order_relaxed);
  Record* record = new_record(t, list);
  publish(record, list);
  for (;;) {
    record->next.store(head, std::memory_order_relaxed);
    RecordId seen = head;
    if (bucket.compare_exchange_weak(seen, id_of(record), std::memory_order_acq_rel)) break;
    if (const Cell found = find_interned(seen, head, list); found != 0) {
      give_record(&t, record);
      return found;
    }
    head = seen;
  }
  return cell_naming(record);
}

void leave(Thread* t, Cell cell) {
  if (is_own_record(cell)) give_record(t, record_of(cell));
}

DEADHEAT_ARRAY_TAKEN_AT_FORK(kFreeRecords, free_lists)

}  // namespace deadheat::live
