#include "live/shadow/uses.h"

#include "live/ground/hash.h"
#include "live/ground/inside.h"
#include "live/ground/spin_lock.h"

namespace deadheat::live {
namespace {

constexpr unsigned kUsedBits = 20, kWays = 4;  // a word is in one of so many neighbours
constexpr size_t kUsed = size_t{1} << kUsedBits, kMostBytes = 4096;

struct alignas(64) UsesLock {
  SpinLock lock{Lock::kUses};
};
constinit UsesLock uses_locks[64];  // by the place in the table
Uses* table;

size_t place_of(uintptr_t word) { return spread<kUsedBits>(word >> 2) & ~size_t{kWays - 1}; }
SpinLock& lock_of(size_t place) { return uses_locks[place / kWays % 64].lock; }

Uses* find(uintptr_t word, size_t place) {
  for (size_t i = place; i < place + kWays; ++i)
    if (table[i].word == word) return &table[i];
  return nullptr;
}

Uses& make(uintptr_t word, size_t place) {
  if (Uses* const known = find(word, place)) return *known;
  Uses* least = &table[place];
  for (size_t i = place; i < place + kWays; ++i)
    if (table[i].accesses < least->accesses) least = &table[i];
  *least = Uses{.word = word};
  return *least;
}

void count_lock(Uses& uses, uint64_t lock) {
  Uses::Under* least = &uses.under[0];
  for (Uses::Under& under : uses.under) {
    if (under.lock == lock) {
      ++under.accesses;
      return;
    }
    if (under.accesses < least->accesses) least = &under;
  }
  *least = {lock, 1};
}

}  // namespace

DEADHEAT_ARRAY_TAKEN_AT_FORK(kUses, uses_locks)

void uses_start() {
  if (!explaining) return;
  table = static_cast<Uses*>(sys::reserve(kUsed * sizeof(Uses)));
  if (table == nullptr) explaining = false;
}

void count_use_slow(const Thread& t, uintptr_t address, size_t bytes) {
  const Inside inside;
  if (bytes > kMostBytes) return;
  for (uintptr_t word = address & ~uintptr_t{3}; word < address + bytes; word += 4) {
    const size_t place = place_of(word);
    const SpinGuard held(lock_of(place));
    Uses& uses = make(word, place);
    ++uses.accesses;
    for (uint32_t i = 0; i < t.held_count; ++i) count_lock(uses, t.held[i].lock);
  }
}

void forget_uses(uintptr_t begin, size_t bytes) {
  const uintptr_t first = begin & ~uintptr_t{3}, end = begin + bytes;
  if (bytes / 4 > kUsed) {
    for (size_t place = 0; place < kUsed; place += kWays) {
      const SpinGuard held(lock_of(place));
      for (size_t i = place; i < place + kWays; ++i)
        if (table[i].word - first < end - first) table[i] = {};
    }
    return;
  }
  for (uintptr_t word = first; word < end; word += 4) {
    const size_t place = place_of(word);
    const SpinGuard held(lock_of(place));
    if (Uses* const known = find(word, place)) *known = {};
  }
}

Uses uses_of(uintptr_t address) {
  const uintptr_t word = address & ~uintptr_t{3};
  const size_t place = place_of(word);
  const BusyGuard held(lock_of(place));
  const Uses* const known = find(word, place);
  return known == nullptr ? Uses{} : *known;
}

}  // namespace deadheat::live
