// A list of past accesses of a word: in a record, or in a draft of what is going to be one. It changes by the step of
// detect/word_rules.h.
//
// Order    Entries stand grouped by kind: writes, atomic writes, reads, atomic reads. So an access need only look at
//          those it conflicts with, however many of its own kind there are.
// Room     The list lies in memory of its owner, which has room for what is added.
// Guard    The stripe's lock.
// Tested by test/live_shadow, test/programs/stress_*.cpp
#pragma once

#include <algorithm>

#include "detect/word_rules.h"
#include "live/order/thread.h"
#include "live/shadow/found.h"

namespace deadheat::live {

struct PastAccess {
  EpochId epoch;
  OriginId origin;
  uint32_t how;  // bits 0..3: bytes of the word; from 4: AccessKind

  unsigned bytes() const { return how & 15; }
  AccessKind kind() const { return static_cast<AccessKind>(how >> 4); }
  void drop(unsigned gone) { how &= ~gone; }
};

inline uint32_t how(unsigned bytes, AccessKind kind) { return bytes | static_cast<uint32_t>(kind) << 4; }

using word::conflict;
using word::supersedes;

inline void note(RaceFound& race, uintptr_t word, unsigned bytes, const PastAccess& past) {
  race.add_bytes(past.kind(), past.epoch, past.origin, word, past.bytes() & bytes);
}

// A list of so many is looked at from end to end.
inline constexpr uint32_t kSmall = limit(9, 4);
// How many entries at the end of a group are looked at for one that is the same: recent ones are there.
inline constexpr uint32_t kNear = limit(8, 2);

// The groups, in their order.
constexpr uint32_t rank(AccessKind kind) {
  constexpr uint32_t kRanks[kAccessKinds] = {3, 2, 0, 3, 1, 0};
  return kRanks[static_cast<unsigned>(kind)];
}
inline constexpr AccessKind kByRank[] = {AccessKind::kWrite, AccessKind::kAtomicWrite, AccessKind::kRead,
                                         AccessKind::kAtomicRead};

struct History {
  PastAccess* past;
  uint32_t count;
  uint32_t writes;  // the first so many entries write

  PastAccess* begin() const { return past; }
  PastAccess* end() const { return past + count; }

  // Where the group of that rank begins.
  uint32_t group_begin(uint32_t wanted) const {
    const auto is_before = [wanted](const PastAccess& p) { return rank(p.kind()) < wanted; };
    return static_cast<uint32_t>(std::partition_point(begin(), end(), is_before) - begin());
  }

  void append(PastAccess added);
  // The step of the word, without the new access.
  void supersede(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, RaceFound& race);
  // Only what of the step notes races: for lists that are long.
  void look_at_conflicts(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, RaceFound& race) const;
  // A read stands elsewhere: earlier reads of the bytes, which are ordered before it and for which it stands, are not
  // needed any more.
  void drop_earlier_reads(Thread& t, unsigned bytes, AccessKind kind);
  // Of each thread only the last read of a byte matters. Very long lists are left as they are, for this looks at all
  // pairs.
  void drop_repeated_reads();
  void drop_bytes(unsigned bytes);

  // The bytes that the current epoch stands for, as far as an access of that kind is concerned.
  unsigned covered_by(EpochId current, AccessKind kind) const {
    unsigned covered = 0;
    for (const PastAccess& p : *this)
      if (p.epoch == current && supersedes(p.kind(), kind)) covered |= p.bytes();
    return covered;
  }

 private:
  // Each entry loses some bytes; those that have none left go.
  template <class Gone>
  void drop(Gone gone) {
    uint32_t kept = 0;
    for (PastAccess p : *this) {
      p.drop(gone(p));
      if (p.bytes() != 0) past[kept++] = p;
    }
    count = kept;
  }
};

inline void History::append(PastAccess added) {
  const uint32_t group = rank(added.kind());
  uint32_t end = count;
  if (count <= kSmall)
    while (end != 0 && rank(past[end - 1].kind()) > group) --end;
  else
    end = group_begin(group + 1);
  for (uint32_t i = end, near = 0; i != 0 && near < kNear; ++near) {
    PastAccess& p = past[--i];
    if (rank(p.kind()) != group) break;
    // The same code in the same epoch on further bytes: one entry.
    if (p.epoch != added.epoch || p.origin != added.origin) continue;
    p.how |= added.bytes();
    return;
  }
  // Each later group gives its first place away and takes one at its end.
  uint32_t hole = count;
  for (uint32_t later = 3; later > group && hole != end; --later) {
    const uint32_t first = group_begin(later);
    if (first == hole) continue;
    past[hole] = past[first];
    hole = first;
  }
  past[hole] = added;
  ++count;
  if (group < 2) ++writes;
}

inline void History::supersede(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind, RaceFound& race) {
  const auto is_before = [&t](const PastAccess& p) { return is_ordered(t, p.epoch); };
  const auto on_race = [&](const PastAccess& p) { note(race, word, bytes, p); };
  count = word::step(past, count, kind, bytes, is_before, on_race);
  writes = group_begin(2);
}

inline void History::look_at_conflicts(Thread& t, uintptr_t word, unsigned bytes, AccessKind kind,
                                       RaceFound& race) const {
  for (const AccessKind other : kByRank) {
    if (!conflict(kind, other)) continue;
    const uint32_t last = group_begin(rank(other) + 1);
    for (uint32_t i = group_begin(rank(other)); i < last; ++i)
      if ((past[i].bytes() & bytes) != 0 && !is_ordered(t, past[i].epoch)) note(race, word, bytes, past[i]);
  }
}

inline void History::drop_earlier_reads(Thread& t, unsigned bytes, AccessKind kind) {
  drop([&](const PastAccess& p) {
    const bool stands_for = (p.bytes() & bytes) != 0 && !is_write(p.kind()) && supersedes(kind, p.kind());
    return stands_for && is_ordered(t, p.epoch) ? bytes : 0;
  });
}

inline void History::drop_repeated_reads() {
  constexpr uint32_t kFewPairs = limit(1024, 8);
  if (count > kFewPairs) return;
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
  count = kept;
}

inline void History::drop_bytes(unsigned bytes) {
  drop([bytes](const PastAccess&) { return bytes; });
  writes = group_begin(2);
}

}  // namespace deadheat::live
