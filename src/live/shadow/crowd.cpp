#include "live/shadow/crowd.h"

#include "live/shadow/byte_reads.h"
#include "live/shadow/summary.h"

namespace deadheat::live {
namespace {

// Of a record that is a crowd `count` says how many places are taken, and `writes` whether any access is a plain read.
bool is_full(uint32_t count, unsigned size_class) { return count + 1 > crowd_places(size_class) * 7 / 8; }

// The place is free, or has what its thread did not do.
void put_at(Record* crowd, LastAccess& place, uint32_t whose, const PastAccess& access) {
  if (place.whose() == 0) ++crowd->count;
  if (!is_atomic(access.kind())) crowd->writes = 1;
  store(&place.what, whose);
  place.set(access.epoch, access.origin, access.bytes(), access.kind());
}
void put(Record* crowd, const PastAccess& access) {
  const uint32_t its = whose(epoch_of(access.epoch).slot(), access.kind());
  put_at(crowd, *each_of_thread(crowd, its, [](const LastAccess&) { return false; }), its, access);
}
PastAccess past_of(const LastAccess& access) {
  return {access.epoch, access.origin, how(access.bytes(), access.kind())};
}

// An empty one with room for so many accesses; null if a cell cannot name it.
Record* new_crowd(Thread& t, uint32_t accesses) {
  unsigned size_class = 0;
  while (is_full(accesses - 1, size_class)) ++size_class;
  Record* const crowd = take_record(t, size_class);
  if (number_of(id_of(crowd)) > kIdMask) {
    give_record(&t, crowd);
    return nullptr;
  }
  crowd->next.store(Record::kOwn, std::memory_order_relaxed);
  crowd->shared = 0;
  crowd->count = 0;
  crowd->writes = 0;
  for (uint32_t i = 0; i < crowd_places(size_class); ++i) accesses_of(crowd)[i] = {};
  return crowd;
}

// The word's crowd is that one from now on. What its cell named before is given back by the caller.
void name(uintptr_t word, Record* crowd) {
  publish(crowd, {crowd->past(), crowd->count, crowd->writes});
  __atomic_store_n(crowd_cell_of(word), kInBlock | number_of(id_of(crowd)), __ATOMIC_RELEASE);
}

// The same but for what the new access, of these bytes, stands for, in a record with room for so many more. Null if there is none.
Record* grown(Thread& t, uintptr_t word, Cell r, unsigned bytes, AccessKind kind, uint32_t more) {
  const auto is_needed = [&](const LastAccess& access) {
    return (access.bytes() & ~bytes) != 0 || !supersedes(kind, access.kind()) || !is_ordered(t, access.epoch);
  };
  uint32_t needed = 0;
  each_in_crowd(r, 15, [&](const LastAccess& access) { needed += is_needed(access) ? 1 : 0; });
  Record* const bigger = new_crowd(t, needed + needed / 4 + more);
  if (bigger == nullptr) return nullptr;
  each_in_crowd(r, 15, [&](const LastAccess& access) {
    if (is_needed(access)) put(bigger, past_of(access));
  });
  name(word, bigger);
  end_crowd(&t, r);
  return bigger;
}

}  // namespace

bool crowd_begins(Thread& t, uintptr_t word, bool atomic, History& list) {
  const Cell r = load(crowd_cell_of(word));
  const OriginId origin = load(cell_of(plane_r_origin(kCommonClass), word));
  Record* const crowd =
      is_crowd(r) ? grown(t, word, r, 0, AccessKind::kAtomicRead, list.count + 1) : new_crowd(t, list.count + 4 + 1);
  if (crowd == nullptr) return false;
  if (has_byte_reads(r))
    each_byte_read(byte_reads_of(origin), 15, [&](unsigned byte, EpochId id, OriginId its_origin) {
      put(crowd, {id, its_origin, how(byte, AccessKind::kRead)});
    });
  else if (r != 0 && !is_crowd(r))
    put(crowd, {id_of(r), origin, how(bytes_of(r), kind_of_read(r))});
  const auto takes = [atomic](AccessKind kind) { return atomic ? is_atomic(kind) : !is_write(kind); };
  uint32_t kept = 0, writes = 0;
  for (const PastAccess& p : list) {
    if (takes(p.kind())) {
      put(crowd, p);
      continue;
    }
    if (is_write(p.kind())) ++writes;
    list.past[kept++] = p;
  }
  list.count = kept;
  list.writes = writes;
  if (has_byte_reads(r)) give_byte_reads(&t, origin);
  summary_of(word).note_class(kCommonClass);
  name(word, crowd);
  return true;
}

bool access_in_crowd(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, OriginId origin) {
  const Cell r = load(crowd_cell_of(word));
  Record* crowd = crowd_of(r);
  const uint32_t mine = whose(t.slot, kind);
  LastAccess* into = nullptr;
  bool done = false;
  LastAccess* const free = each_of_thread(crowd, mine, [&](LastAccess& access) {
    if (access.covers(t.current, bytes, kind)) return done = true;
    if (access.epoch == t.current && access.kind() == kind && access.bytes() != 0) {
      access.set(t.current, with_bytes(t.stack_cache, access.origin, origin, bytes & ~access.bytes()),
                 access.bytes() | bytes, kind);
      return done = true;
    }
    if (supersedes(kind, access.kind())) access.drop(bytes);
    if (access.bytes() == 0) into = &access;
    return false;
  });
  if (done) return true;
  const PastAccess now = {t.current, origin, how(bytes, kind)};
  if (into == nullptr && (free == nullptr || is_full(crowd->count, crowd->size_class))) {
    crowd = grown(t, word, r, bytes, kind, 1);
    if (crowd == nullptr) return false;
    put(crowd, now);
  } else {
    put_at(crowd, into != nullptr ? *into : *free, mine, now);
  }
  return true;
}

bool is_crowd_ordered(Thread& t, Cell r, unsigned bytes) {
  bool ordered = true;
  each_in_crowd(r, bytes, [&](const LastAccess& access) { ordered = ordered && is_ordered(t, access.epoch); });
  return ordered;
}

void look_at_crowd(Thread& t, uintptr_t word, Cell r, unsigned bytes, AccessKind kind, RaceFound& race) {
  if (is_atomic(kind) && crowd_of(r)->writes == 0) return;
  each_in_crowd(r, bytes, [&](const LastAccess& access) {
    if (!conflict(kind, access.kind()) || is_ordered(t, access.epoch)) return;
    each_origin(access.origin, access.bytes() & bytes, [&](OriginId origin, unsigned some) {
      race.add_bytes(access.kind(), access.epoch, origin, word, some);
    });
  });
}

void crowd_forgets(Cell r, unsigned bytes) {
  each_in_crowd(r, bytes, [&](LastAccess& access) { access.drop(bytes); });
}

void end_crowd(Thread* t, Cell r) { give_record(t, crowd_of(r)); }

}  // namespace deadheat::live
