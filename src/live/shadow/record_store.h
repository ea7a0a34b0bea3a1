// Where records are kept: lists of past accesses for words whose history cells cannot express (records.h).
//
// Sharing   Words with the same history name the same record, which is found by its content in a table (interned) and
//           never changes. A word whose history is its own has an own record instead, which is changed in place and
//           given back when the word no longer needs it. A record is interned only if it grew out of an epoch or of a
//           record that several words name, and only while enough lookups succeed. So the table grows with the number
//           of histories that words share, not with the length of the run.
// Peeking   Readers that change nothing take no lock: `version` is odd while a record is changed or free, and it
//           changes whenever the content does.
// Guard     Of a word's own record the stripe's lock; of free ones a lock for each size; interned ones are found and
//           added without one.
// Tested by test/live_shadow, test/programs/stress_*.cpp
#pragma once

#include <atomic>
#include <cstdint>

#include "live/shadow/history.h"
#include "live/shadow/shadow.h"

namespace deadheat::live {

enum class RecordId : uint32_t {};  // its place in the pool, as a cell names it
inline constexpr RecordId kNoRecord{};

struct Record {
  static constexpr RecordId kOwn{0xffffffffu};

  std::atomic<uint32_t> version;
  std::atomic<RecordId> next;  // interned: in its bucket; an own record: kOwn; while free: the next free one
  uint32_t count;
  uint32_t writes : 25;  // the first so many entries write
  uint32_t crowded : 1;  // an own record: atomic writes of the word are in its crowd (crowd.h)
  uint32_t size_class : 5;
  uint32_t shared : 1;  // interned, and named by a second word

  bool is_own() const { return next.load(std::memory_order_relaxed) == kOwn; }
  uint32_t capacity() const;
  PastAccess* past() { return reinterpret_cast<PastAccess*>(this + 1); }
  // What it says; changes of it count when they are published.
  History history() { return {past(), count, writes}; }
};

inline constexpr unsigned kRecordUnit = 64;
// Class k is a block of 64 << k bytes.
// Of a record that words share.
inline constexpr uint32_t kMostShared = limit(64, 6);
constexpr uint32_t record_capacity(unsigned size_class) { return ((kRecordUnit << size_class) - 16) / 12; }
static_assert(sizeof(Record) == 16 && sizeof(PastAccess) == 12);
inline uint32_t Record::capacity() const { return record_capacity(size_class); }

extern char* record_pool __attribute__((visibility("hidden")));
inline Record* record_at(RecordId id) {
  return reinterpret_cast<Record*>(record_pool + uint64_t{number_of(id)} * kRecordUnit);
}
inline Record* record_of(Cell cell) { return record_at(RecordId{cell & ~kRecordBit}); }
inline RecordId id_of(const Record* record) {
  return static_cast<RecordId>((reinterpret_cast<const char*>(record) - record_pool) / kRecordUnit);
}
inline Cell cell_naming(const Record* record) { return kRecordBit | number_of(id_of(record)); }
inline bool is_own_record(Cell cell) { return is_record(cell) && record_of(cell)->is_own(); }

void records_start();
void records_return_spares(Thread& t);

// A record of the word's own is changed between these.
inline void begin_change(Record* record) {
  record->version.store(record->version.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
}
inline void publish(Record* record, const History& now) {
  record->count = now.count;
  record->writes = now.writes & ((1u << 25) - 1);
  record->version.store((record->version.load(std::memory_order_relaxed) | 1) + 1, std::memory_order_release);
}
// A record with room for record_capacity(size_class); its version is odd until it is published.
Record* take_record(Thread& t, unsigned size_class);
// Its version is odd from here on. `t` may be null.
void give_record(Thread* t, Record* record);
// While it is changed to that list: becomes a bigger one if there is no room for so many more entries.
void make_room(Thread& t, Record*& record, History& list, uint32_t more);

// The record with that list, as a cell; `old` is what the word named before.
Cell record_for(Thread& t, const History& list, Cell old);
// The word does not name the cell any more. `t` may be null.
void leave(Thread* t, Cell cell);

}  // namespace deadheat::live
