// The keys of all reports, so that nothing is reported twice, and only a report hides a race.
//
// Pair       Races between the same two lines on the same object are one (docs/live.md, "What is told once").
// Claimed    The thread that is about to write a report claims its key. Other threads that want the key keep quiet.
// Suppressed A race that a suppression hid says nothing about another one: suppressions look at whole stacks. So these
//            are remembered by the exact call paths of both sides, as a cache that saves asking for symbols.
// Bound      There is room for 2^20 keys (option told_reports). After that new pairs are counted and not reported.
// Guard      The lock kTold, taken inside.
// Tested by  test/programs/told_*.c
#pragma once

#include <cstdint>

namespace deadheat::live {

// Two keys in either order, on an object.
uint64_t pair_key(uint64_t a, uint64_t b, uint64_t object);

// What a report is about: a key that tells it from others, and the bytes that race, if any. Which of them count is the
// user's choice (suppress_equal_stacks, suppress_equal_addresses).
struct Subject {
  uint64_t key;
  uintptr_t begin = 0, end = 0;
};

// Whether nothing is to be told of it: it was, or there is no room to remember it.
bool keeps_quiet(const Subject& subject);
// True for the one caller that tells it.
bool claim(const Subject& subject);

// By exact call paths.
bool is_known_suppressed(uint64_t paths);
void note_suppressed(uint64_t paths);

void told_start();
uint64_t repeated_reports();  // how often a race was not told because it had been told before

}  // namespace deadheat::live
