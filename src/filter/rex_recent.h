// ReX with a small first level only: drops accesses that repeat a recent one of the same thread, location and context.
//
// Idea     The history of `rex` grows with the memory that a program touches, and to keep it costs more than fast
//          detectors do. Most accesses that repeat another one do so soon. Here a table of fixed size has the latest
//          accesses; a newer one takes the place of an older one.
// State    thread: its present context, a number that no other thread has
//          table: the latest accesses, each with its context and when it was
//          lines of memory, and objects: when a block there last began or ended
// Promises What `rex` promises before a precise detector (rex.h): to forget an access only lets others pass.
// Cost     One look into a table of 192 KiB for each access, without a search; no lock. Accesses of more than eight
//          bytes, and askew ones, pass.
// Tested by test/rules/rex_test.cpp, test/differential/rex_test.cpp
#pragma once

#include <algorithm>

#include "filter/rex.h"

namespace deadheat {

class RexRecent {
 public:
  explicit RexRecent(Arena& arena)
      : arena_(arena), entries_(static_cast<Entry*>(arena.allocate(kEntries * sizeof(Entry)))) {
    forget_all();
  }

  void sync(const Event& e) {
    if (e.kind == EventKind::kAlloc || e.kind == EventKind::kFree)
      end_life(e);
    else if (published_to(e))
      contexts_.at(arena_, index(e.thread)) = fresh_context();
  }

  bool is_redundant(const Access& a, const Place& place) {
    Tally& tally = place.is_range ? ranges_ : named_;
    ++tally.seen;
    if (place.is_range && !is_small_and_aligned(place)) return false;
    uint32_t& context = contexts_.at(arena_, index(a.thread));
    if (context == 0) context = fresh_context();
    const uint32_t shape =
        (place.is_range ? static_cast<uint32_t>(place.bytes) << 1 : 0) + (a.kind == AccessKind::kWrite);
    const uint64_t code = uint64_t{static_cast<uint32_t>(a.location)} << 32 | shape;
    const uint32_t ended = std::max(
        all_ended_, place.is_range ? lines_[place.target / kLine % kLives] : objects_[index(place.object) % kLives]);
    Entry& before = entries_[slot_of(place.target, code, a.thread)];
    const bool is_redundant =
        before.target == place.target && before.code == code && before.context == context && before.when >= ended;
    tally.redundant += is_redundant;
    if (!is_redundant) before = {place.target, code, context, now_};
    return is_redundant;
  }

  void count(CounterSink& sink) const {
    sink.add("filter/redundant accesses", named_.redundant, CounterSink::kPerAccess, named_.seen);
    sink.add("filter/redundant accesses", ranges_.redundant, CounterSink::kPerSync, ranges_.seen);
  }

 private:
  static constexpr uint32_t kSlotBits = 13, kEntries = 1u << kSlotBits, kLives = 4096;
  static constexpr uint64_t kLine = 64, kLargeBlock = 64 * kLine;

  struct Entry {
    uint64_t target = 0;
    uint64_t code = 0;     // | location: 32 | bytes, 0 of a name: 31 | writes: 1 |
    uint32_t context = 0;  // 0: no access
    uint32_t when = 0;
  };
  static_assert(sizeof(Entry) == 24);

  static uint32_t slot_of(uint64_t target, uint64_t code, ThreadId thread) {
    const uint64_t where = (code ^ uint64_t{index(thread)} << 8) * 0x9E3779B97F4A7C15u;
    return static_cast<uint32_t>((target ^ where) * 0xD6E8FEB86659FD93u >> (64 - kSlotBits));
  }

  uint32_t fresh_context() {
    if (++last_context_ == 0) {
      forget_all();
      contexts_.for_each([](uint32_t& context) { context = 0; });
      last_context_ = 1;
    }
    return last_context_;
  }
  void end_life(const Event& e) {
    if (++now_ == 0) forget_all();
    if (!e.is_range) {
      objects_[e.target % kLives] = now_;
    } else if (e.size > kLargeBlock) {
      all_ended_ = now_;
    } else {
      for (uint64_t line = e.target / kLine; line * kLine < e.target + e.size; ++line) lines_[line % kLives] = now_;
    }
  }
  void forget_all() {
    for (uint32_t i = 0; i < kEntries; ++i) new (entries_ + i) Entry{};
    for (uint32_t i = 0; i < kLives; ++i) lines_[i] = objects_[i] = 0;
    now_ = 1;
    all_ended_ = 0;
  }

  Arena& arena_;
  Entry* entries_;
  IdTable<uint32_t> contexts_;  // by thread; 0 before its first access
  uint32_t last_context_ = 0;
  uint32_t now_ = 1;  // counts the beginnings and ends of blocks
  uint32_t all_ended_ = 0;
  uint32_t lines_[kLives], objects_[kLives];

  struct Tally {
    uint64_t seen = 0, redundant = 0;
  };
  Tally named_, ranges_;
};

}  // namespace deadheat
