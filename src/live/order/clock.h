// Vector clocks of the live run time: sparse, and shared until changed.
//
// The first eight entries are part of the clock: with few threads, publishing and learning copy and compare one cache
// line. The others are in a table of pages of 64 entries. A page without entries is absent. Two clocks that agree on a
// page share it; pages are counted, and the first clock that changes a shared page copies it. So publishing costs one
// count for each page, and a thread that never synchronises costs the others nothing. The owner's own entry lies
// outside of the pages: ticking does not copy.
//
//   value of slot s = own.clock() if s is own.slot(), else first[s] if s < 8, else pages[s / 64].clock[s % 64], else 0
//
// A clock is *pure* if it is what one thread published. A thread that knows the publisher's entry `own` then knows all
// of the clock, because a thread that learned something ticks before it publishes again (Thread::publish). So it costs
// O(1) to take a lock again that the same thread released last.
//
// Each clock has one owner at a time: its thread, or the thread that holds the lock of its sync object. Owners share
// pages; a page is changed only while it has one owner.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/epoch.h"

namespace deadheat::live {

struct ClockPage {
  static constexpr uint32_t kEntries = 64;
  std::atomic<uint32_t> references;
  uint32_t used;  // entries from here on are 0
  Clock clock[kEntries];
};

class LiveClock {
 public:
  // The own entry of a clock that belongs to no thread: of a slot that no thread has.
  static constexpr Epoch kNoOwn{Slot{Epoch::kMaxSlot}, 0};

  constexpr LiveClock() = default;
  LiveClock(const LiveClock&) = delete;
  LiveClock& operator=(const LiveClock&) = delete;

  Clock operator[](Slot slot) const {
    if (slot == own_.slot()) return own_.clock();
    if (index(slot) < kFirst) return first_[index(slot)];
    const size_t page = index(slot) / ClockPage::kEntries;
    if (page >= page_count_ || pages_[page] == nullptr) return 0;
    const uint32_t entry = index(slot) % ClockPage::kEntries;
    return entry < pages_[page]->used ? pages_[page]->clock[entry] : 0;
  }
  bool knows(Epoch e) const { return e.clock() <= (*this)[e.slot()]; }
  bool empty() const {
    Clock any = page_count_;
    for (const Clock clock : first_) any |= clock;
    return any == 0 && own_ == kNoOwn;
  }
  Epoch own() const { return own_; }
  bool pure() const { return pure_; }

  // The entry of the thread whose clock this is; never goes back.
  void set_own(Epoch own) { own_ = own; }
  // this := from, published by the thread whose entry is then `own`.
  void assign(const LiveClock& from, Epoch own) {
    for (uint32_t i = 0; i < kFirst; ++i) first_[i] = from.first_[i];
    if (__builtin_expect((from.page_count_ | page_count_) != 0, 0)) assign_pages(from);
    own_ = own;
    pure_ = true;
  }
  void assign(const LiveClock& from) {
    const bool pure = from.pure_;  // `from` may be this one
    assign(from, from.own_);
    pure_ = pure;
  }
  // this := this join from; true if anything was learned. `own` counts as from's own entry.
  bool join(const LiveClock& from, Epoch own);
  bool join(const LiveClock& from) {
    if (from.pure_ && knows(from.own_)) {
      check_covers(from);
      return false;
    }
    return join(from, from.own_);
  }
  void clear();

#ifdef NDEBUG
  void check_covers(const LiveClock&) const {}
#else
  // Whether it knows all that the other one does, entry by entry.
  bool covers(const LiveClock& other) const;
  // Ends the program if not: then `pure` says what is not so.
  void check_covers(const LiveClock& other) const;
#endif

 private:
  static constexpr uint32_t kFirst = 8;

  void grow(uint32_t pages);
  // The page, fit to be written to.
  ClockPage& writable(uint32_t page);
  bool put(Epoch e);
  // Takes over what a page of another clock says about the own slot.
  bool join_own(uint32_t page, const ClockPage& theirs);
  bool join_first(const LiveClock& from);
  bool join_pages(const LiveClock& from);
  void assign_pages(const LiveClock& from);

  Clock first_[kFirst] = {};
  ClockPage** pages_ = nullptr;
  uint32_t page_count_ = 0;
  bool pure_ = false;
  Epoch own_ = kNoOwn;
};

inline bool precedes(Epoch e, const LiveClock& C) { return C.knows(e); }

}  // namespace deadheat::live
