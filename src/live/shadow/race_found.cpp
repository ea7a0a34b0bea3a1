#include "live/ground/degraded.h"
#include "live/ground/heap.h"
#include "live/ground/inside.h"
#include "live/ground/options.h"
#include "live/shadow/shadow.h"

namespace deadheat::live {

bool RaceFound::is_same(const PastRace& a, const PastRace& b) const {
  return a.origin == b.origin && (by_origin_ || a.epoch == b.epoch);
}

// Makes room: where a pair of lines is told once, one epoch of each origin is enough.
void RaceFound::keep_origins() {
  if (by_origin_ || !options.suppress_equal_stacks) return;
  by_origin_ = true;
  const unsigned before = count_;
  count_ = 0;
  for (unsigned i = 0; i < before; ++i) add(PastRace(races_[i]));
}

void RaceFound::grow() {
  PastRace* const grown = static_cast<PastRace*>(heap_allocate(2 * capacity_ * sizeof(PastRace)));
  for (unsigned i = 0; i < count_; ++i) grown[i] = races_[i];
  if (races_ != few_) heap_free(races_, capacity_ * sizeof(PastRace));
  races_ = grown;
  capacity_ *= 2;
}

void RaceFound::add(const PastRace& race) {
  // Neighbours often raced with the same access.
  for (unsigned i = count_; i-- > 0;)
    if (is_same(races_[i], race) && races_[i].extend(race)) return;
  if (count_ == kMost) keep_origins();
  if (count_ == kMost) {
    note_degraded(Degradation::kRaces);
    return;
  }
  if (count_ == capacity_) grow();
  if (!in_hand_) ++tls.thread->races_in_hand;
  in_hand_ = true;
  races_[count_++] = race;
}

void RaceFound::add_bytes(AccessKind past, EpochId when, OriginId where, uintptr_t word, unsigned bytes) {
  while (bytes != 0) {
    const unsigned together = bytes & ~(bytes + (bytes & -bytes));
    add({past, when, where, word, together});
    bytes &= ~together;
  }
}

void RaceFound::add(AccessKind past, uint32_t cell, OriginId origin, uintptr_t word, unsigned bytes) {
  each_origin(origin, bytes_of(cell),
              [&](OriginId part, unsigned its_bytes) { add_bytes(past, id_of(cell), part, word, its_bytes & bytes); });
}

void RaceFound::release() {
  --tls.thread->races_in_hand;
  if (races_ == few_) return;
  const Inside inside;
  heap_free(races_, capacity_ * sizeof(PastRace));
}

}  // namespace deadheat::live
