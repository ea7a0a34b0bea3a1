#include "live/shadow/crowd.h"

namespace deadheat::live {

LastRead* place_in_crowd(Record* crowd, uint32_t slot) {
  LastRead* const reads = reads_of(crowd);
  const uint32_t mask = crowd_places(crowd->size_class) - 1;
  for (uint32_t i = slot & mask, tried = 0; tried <= mask; i = (i + 1) & mask, ++tried)
    if (const uint32_t there = reads[i].slot(); there == slot || there == 0) return &reads[i];
  return nullptr;
}

namespace {

// Of a record that is a crowd `count` says how many places are taken, and `writes` whether any read is plain.
bool is_full(uint32_t count, unsigned size_class) { return count + 1 > crowd_places(size_class) * 7 / 8; }

uint32_t slot_of(EpochId id) { return static_cast<uint32_t>(index(epoch_of(id).slot())) + 1; }

LastRead& take_place(Record* crowd, LastRead* place, uint32_t slot, AccessKind kind) {
  if (place->slot() == 0) ++crowd->count;
  if (!is_atomic(kind)) crowd->writes = 1;
  *place = {};
  store(&place->what, slot);
  return *place;
}
void put(Record* crowd, uint32_t slot, EpochId epoch, OriginId origin, unsigned bytes, AccessKind kind) {
  take_place(crowd, place_in_crowd(crowd, slot), slot, kind).set(epoch, origin, bytes, kind);
}

// An empty one with room for so many reads; null if a cell cannot name it.
Record* new_crowd(Thread& t, uint32_t reads) {
  unsigned size_class = 0;
  while (is_full(reads - 1, size_class)) ++size_class;
  Record* const crowd = take_record(t, size_class);
  if (number_of(id_of(crowd)) > kIdMask) {
    give_record(&t, crowd);
    return nullptr;
  }
  crowd->next.store(Record::kOwn, std::memory_order_relaxed);
  crowd->shared = 0;
  crowd->count = 0;
  crowd->writes = 0;
  for (uint32_t i = 0; i < crowd_places(size_class); ++i) reads_of(crowd)[i] = {};
  return crowd;
}

void name(Thread& t, uintptr_t word, Record* crowd) {
  publish(crowd, {crowd->past(), crowd->count, crowd->writes});
  __atomic_store_n(read_cell_of(t, word), kInBlock | number_of(id_of(crowd)), __ATOMIC_RELEASE);
}

// The same reads but for those that the new one, of these bytes, stands for, in a record with room for one more. Null if
// there is none.
Record* grown(Thread& t, uintptr_t word, Cell r, unsigned bytes, AccessKind kind) {
  const auto is_needed = [&](const LastRead& read) {
    return (read.bytes() & ~bytes) != 0 || !supersedes(kind, read.kind()) || !is_ordered(t, read.epoch);
  };
  uint32_t needed = 0;
  each_last_read(r, 15, [&](const LastRead& read) { needed += is_needed(read) ? 1 : 0; });
  Record* const bigger = new_crowd(t, needed + needed / 4 + 1);
  if (bigger == nullptr) return nullptr;
  each_last_read(r, 15, [&](const LastRead& read) {
    if (is_needed(read)) put(bigger, read.slot(), read.epoch, read.origin, read.bytes(), read.kind());
  });
  name(t, word, bigger);
  end_crowd(&t, r);
  return bigger;
}

}  // namespace

bool crowd_begins(Thread& t, uintptr_t word, Cell r, History& list) {
  Record* const crowd = new_crowd(t, list.count - list.writes + 2);
  if (crowd == nullptr) return false;
  put(crowd, slot_of(id_of(r)), id_of(r), load(read_origin_of(t, word)), bytes_of(r), kind_of_read(r));
  uint32_t kept = list.writes;
  for (uint32_t i = list.writes; i < list.count; ++i) {
    const PastAccess p = list.past[i];
    LastRead* const place = place_in_crowd(crowd, slot_of(p.epoch));
    if (place->slot() == 0)
      put(crowd, slot_of(p.epoch), p.epoch, p.origin, p.bytes(), p.kind());
    else
      list.past[kept++] = p;
  }
  list.count = kept;
  name(t, word, crowd);
  return true;
}

bool read_in_crowd(Thread& t, uintptr_t word, Cell r, unsigned bytes, AccessKind kind, OriginId origin) {
  Record* crowd = crowd_of(r);
  LastRead* mine = place_in_crowd(crowd, crowd_slot_of(t));
  if (mine == nullptr || (mine->slot() == 0 && is_full(crowd->count, crowd->size_class))) {
    crowd = grown(t, word, r, bytes, kind);
    if (crowd == nullptr) return false;
    mine = place_in_crowd(crowd, crowd_slot_of(t));
  }
  if (mine->slot() == 0) take_place(crowd, mine, crowd_slot_of(t), kind);
  const unsigned had = mine->bytes(), added = bytes & ~had;
  const bool is_current = mine->epoch == t.current;
  if (is_current && added == 0 && supersedes(mine->kind(), kind)) return true;
  if (is_current && mine->kind() == kind && had != 0) {
    mine->set(t.current, with_bytes(t.stack_cache, mine->origin, origin, added), had | bytes, kind);
    return true;
  }
  if ((had & ~bytes) != 0 || (had != 0 && !supersedes(kind, mine->kind()))) return false;
  if (!is_atomic(kind)) crowd->writes = 1;
  mine->set(t.current, origin, bytes, kind);
  return true;
}

bool is_crowd_ordered(Thread& t, Cell r, unsigned bytes) {
  bool ordered = true;
  each_last_read(r, bytes, [&](const LastRead& read) { ordered = ordered && is_ordered(t, read.epoch); });
  return ordered;
}

void crowd_forgets(Cell r, unsigned bytes) {
  each_last_read(r, bytes, [&](LastRead& read) { read.drop(bytes); });
}

void end_crowd(Thread* t, Cell r) { give_record(t, crowd_of(r)); }

}  // namespace deadheat::live
