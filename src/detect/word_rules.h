// The accesses of a word that matter, and what one more access does to them: the reference that every shadow refines.
//
// State      a list of past accesses of the word, each with its epoch, its kind and the bytes of the word it touched
// Conflict   Two accesses of one byte conflict if at least one of them writes and at least one is not atomic.
// Race       A new access races with every past access that it conflicts with and that is not ordered before it.
// Supersedes A new access makes a past one superfluous, byte by byte, if everything that conflicts with the past one
//            conflicts with the new one, and either the past one is ordered before it, so that whatever races with the
//            past one races with the new one too, or the two race, so that the first race of the byte is found already.
// A shadow may keep more than this step keeps, as long as what it keeps is ordered before something that it also keeps;
// it may not lose anything, nor find other races.
// Tested by test/rules/word_rules_test.cpp; test/differential and test/live_oracle through its users
#pragma once

#include <cstdint>

#include "base/access_kind.h"

namespace deadheat::word {

constexpr bool conflict(AccessKind a, AccessKind b) {
  return (is_write(a) || is_write(b)) && !(is_atomic(a) && is_atomic(b));
}

// Everything that conflicts with `old` conflicts with `now`.
constexpr bool supersedes(AccessKind now, AccessKind old) {
  constexpr AccessKind kAll[] = {AccessKind::kRead, AccessKind::kWrite, AccessKind::kAtomicRead,
                                 AccessKind::kAtomicWrite};
  for (const AccessKind other : kAll)
    if (conflict(old, other) && !conflict(now, other)) return false;
  return true;
}

// The step of a word. A past access is anything with
//   past.kind(), past.bytes()   what it was
//   past.drop(bytes)            it has not touched these any more
// `is_ordered(past)` says whether it is ordered before the new access; `on_race(past)` is told of each race. Returns how
// many of the past accesses are left, in the order they had; the new one is the caller's to add.
template <class Past, class IsOrdered, class OnRace>
uint32_t step(Past* past, uint32_t count, AccessKind kind, unsigned bytes, IsOrdered is_ordered, OnRace on_race) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; ++i) {
    Past p = past[i];
    if ((p.bytes() & bytes) != 0) {
      const bool ordered = is_ordered(p);
      const bool races = !ordered && conflict(kind, p.kind());
      if (races) on_race(p);
      if ((ordered || races) && supersedes(kind, p.kind())) p.drop(bytes);
    }
    if (p.bytes() != 0) past[kept++] = p;
  }
  return kept;
}

}  // namespace deadheat::word
