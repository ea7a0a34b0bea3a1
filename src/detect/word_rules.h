// The accesses of a word that matter, and what one more access does to them: the reference that every shadow refines.
//
// State      a list of past accesses of the word, each with its epoch, its kind and the bytes of the word it touched
// Conflict   Two accesses of one byte conflict if at least one of them writes and at least one is not atomic.
// Race       A new access races with every past access that it conflicts with and that is not ordered before it.
// Supersedes A new access makes a past one superfluous, byte by byte, if everything that conflicts with the past one
//            conflicts with the new one, and either the past one is ordered before it, so that whatever races with the
//            past one races with the new one too, or the two race, so that the first race of the byte is found already.
// Refines    A shadow may do less and keep more, as `disagreement` says exactly: an access whose epoch already stands for it
//            may change nothing, and a past access that this step would drop may stay. Such a one is ordered before
//            something that is kept too, or has raced, so the first race of each byte is found by the same access. A
//            shadow may not lose anything, remember what nobody did, or miss or invent a race.
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

// How an update of a shadow differs from the step; nullptr if it refines it. `access` is the new one, recorded as a past
// access; `before` and `after` are the states.
//   is_ordered(past)     before the new access
//   is_same(a, b)        two past accesses of the same epoch and place in the program
//   is_later(a, b)       a is of the same epoch as b, or b is ordered before a; may say no wrongly where neither is new
//   is_found(past, byte) the shadow has found that race
// A byte of the word is a bit, as in bytes().
template <class Past, class IsOrdered, class IsSame, class IsLater, class IsFound>
const char* disagreement(const Past* before, uint32_t before_count, const Past& access, const Past* after,
                         uint32_t after_count, IsOrdered is_ordered, IsSame is_same, IsLater is_later,
                         IsFound is_found) {
  const auto any = [](const Past* past, uint32_t count, unsigned byte, auto holds) {
    for (uint32_t i = 0; i < count; ++i)
      if ((past[i].bytes() & byte) != 0 && holds(past[i])) return true;
    return false;
  };
  for (unsigned byte = 1; byte < 16; byte <<= 1) {
    const bool touched = (access.bytes() & byte) != 0;
    const auto stands_for = [&](const Past& old) {
      return [&](const Past& p) { return supersedes(p.kind(), old.kind()) && is_later(p, old); };
    };
    // `access` itself is of the current epoch, so that whatever is later than it is of that epoch, too.
    const bool covered = touched && any(before, before_count, byte, stands_for(access));
    for (uint32_t i = 0; i < before_count; ++i) {
      const Past& p = before[i];
      if ((p.bytes() & byte) == 0) continue;
      const bool ordered = is_ordered(p), races = touched && !ordered && conflict(access.kind(), p.kind());
      if (races && !covered && !is_found(p, byte)) return "misses a race";
      if (!races && is_found(p, byte)) return "finds a race that is none";
      if (touched && (ordered || races) && supersedes(access.kind(), p.kind())) continue;
      if (!any(after, after_count, byte, stands_for(p))) return "loses a past access";
    }
    if (touched && !any(after, after_count, byte, stands_for(access))) return "does not remember the access";
    for (uint32_t i = 0; i < after_count; ++i) {
      const Past& p = after[i];
      if ((p.bytes() & byte) == 0) continue;
      const auto is_p = [&](const Past& q) { return q.kind() == p.kind() && is_same(p, q); };
      if (!(touched && is_p(access)) && !any(before, before_count, byte, is_p)) return "remembers what nobody did";
    }
  }
  return nullptr;
}

}  // namespace deadheat::word
