// Vector clocks that share what they agree on: handing a clock over costs the same for any number of threads.
//
// Idea     A lock that passes from thread to thread carries one growing clock: each version of it is the former one with
//          an entry or two changed. So clocks are versions of a line. A line has the entries of its newest version and a
//          log of what they were before. Assigning a clock names a version of a line. A thread that takes a clock which
//          contains its own names that version, too, and then changes one entry: the publisher's.
// State    line   entries : for each slot a clock and the version it is of;   log : by version, the entry it replaced
//          clock  line and version, and one entry beside them (`own`): of the thread whose clock it is, or of the one that
//                 published it. Ticking and publishing change nothing else.
//          value of slot s = own.clock() if s is own.slot(), else the newest entry of s in line that is not of a later
//                 version than ours
// Promises The values are those of plain vector clocks.
// Cost     Look-up: O(1), and one step for each later change of the same entry. Assign: O(1). Join: O(1) if both are of
//          one line or one began as a copy of the other, if the clock is *pure* and its publisher's entry is known, or
//          if it contains the thread's clock; else O(slots). A change of a version that is no longer the newest of its
//          line copies the line: O(slots).
// Tested by test/unit/shared_clock_test.cpp (against plain vector clocks), test/differential
//
// Why a clock that knows a late entry contains all of it. A thread publishes its whole clock at the end of an epoch, so
// whatever clock X has X(t) >= c contains what t knew in epoch c. If t has learnt nothing since epoch `learnt`, and
// X(t) >= learnt, then X contains all of t's clock but t's own entry. And if X is what t published (it is pure), a clock
// that knows X's own entry contains X.
//
// Who owns what. Clocks are plain values in tables of their owner, so nothing is counted by constructors: `assign` and
// `join` count the clocks of a line, `release` lets go.
#pragma once

#include <algorithm>

#include "base/arena.h"
#include "base/epoch.h"
#include "base/vector_clock.h"

namespace deadheat {

class ClockLine {
 public:
  // An entry: a clock, and the version of the line from which on it holds.
  //   63          25 24          0
  //  +--------------+-------------+
  //  |    clock     |   version   |
  //  +--------------+-------------+
  using Entry = uint64_t;
  static constexpr int kVersionBits = 25;
  static_assert(Epoch::kClockBits + kVersionBits == 64);
  static constexpr uint32_t version_of(Entry e) { return static_cast<uint32_t>(e & ((Entry{1} << kVersionBits) - 1)); }
  static constexpr Clock clock_of(Entry e) { return e >> kVersionBits; }
  static constexpr Entry make_entry(Clock clock, uint32_t version) { return clock << kVersionBits | version; }

  // A new line, version 0, of which the caller is the only user, without entries. `number` is its own among all lines.
  static ClockLine* make(Arena& arena, uint32_t slots, uint64_t number) {
    uint32_t room = kLeastSlots;
    while (room < slots) room *= 2;
    ClockLine* line = new (arena.allocate(bytes(room))) ClockLine;
    line->slots_ = room;
    line->number_ = number;
    std::fill_n(line->entries(), room, Entry{0});
    return line;
  }
  void hold() { ++users_; }
  void let_go(Arena& arena) {
    if (--users_ > 0) return;
    if (log_ != nullptr) arena.free(log_, log_room_ * sizeof(Entry));
    arena.free(this, bytes(slots_));
  }

  uint32_t newest() const { return newest_; }
  uint32_t slots() const { return slots_; }
  uint32_t used() const { return used_; }  // entries from here on are 0 in every version

  Clock at(uint32_t slot, uint32_t version) const {
    if (slot >= slots_) return 0;
    Entry e = entries()[slot];
    while (version_of(e) > version) [[unlikely]]
      e = log_[version_of(e) - 1];
    return clock_of(e);
  }
  // This line began as a copy of a version of another, and so contains that one and those before it.
  void copy_from(ClockLine& other, uint32_t version) {
    parent_ = other.number_;
    parent_version_ = version;
    other.was_copied_ = true;
    used_ = other.used_;
    for (uint32_t slot = 0; slot < used_; ++slot) entries()[slot] = make_entry(other.at(slot, version), 0);
  }
  bool contains(const ClockLine& other, uint32_t version) const {
    return parent_ == other.number_ && version <= parent_version_;
  }
  // Whether the newest version can be changed where it is: nobody is at it but the only user, and no copy relies on it.
  bool is_private() const { return users_ == 1 && !was_copied_; }
  bool has_room_for(uint32_t slot) const {
    return slot < slots_ && (is_private() || newest_ < std::max(slots_, kLeastLog));
  }
  // Changes an entry of the newest version, which becomes a new one if others may be at the old one.
  void put(Arena& arena, uint32_t slot, Clock clock) {
    Entry& e = entries()[slot];
    if (!is_private()) {
      if (newest_ == log_room_) grow_log(arena);
      log_[newest_++] = e;
    }
    e = make_entry(clock, newest_);
    used_ = std::max(used_, slot + 1);
  }
  // How many entries of the other version are larger, but for one slot that does not count; stops beyond `most`.
  uint32_t count_larger(uint32_t version, const ClockLine& other, uint32_t other_version, size_t except,
                        uint32_t most) const {
    uint32_t larger = 0;
    for (uint32_t slot = 0; slot < other.used_ && larger <= most; ++slot)
      larger += other.at(slot, other_version) > at(slot, version) && slot != except;
    return larger;
  }
  // The maximum of both, for a line that is private and has the slots.
  void join_in_place(const ClockLine& other, uint32_t other_version) {
    for (uint32_t slot = 0; slot < other.used_; ++slot) {
      const Clock theirs = other.at(slot, other_version);
      if (theirs > clock_of(entries()[slot])) entries()[slot] = make_entry(theirs, newest_);
    }
    used_ = std::max(used_, other.used_);
  }

 private:
  static constexpr uint32_t kLeastSlots = 8;
  // A log grows up to the length of the line, or to this: a line that is full is copied, which then costs little for each
  // of the changes that filled it.
  static constexpr uint32_t kLeastLog = 64;
  static size_t bytes(uint32_t slots) { return sizeof(ClockLine) + slots * sizeof(Entry); }
  Entry* entries() { return reinterpret_cast<Entry*>(this + 1); }
  const Entry* entries() const { return reinterpret_cast<const Entry*>(this + 1); }
  void grow_log(Arena& arena) {
    const uint32_t room = log_room_ == 0 ? kLeastSlots : 2 * log_room_;
    Entry* log = static_cast<Entry*>(arena.allocate(room * sizeof(Entry)));
    std::copy_n(log_, newest_, log);
    if (log_ != nullptr) arena.free(log_, log_room_ * sizeof(Entry));
    log_ = log;
    log_room_ = room;
  }

  uint64_t number_ = 0;
  uint64_t parent_ = 0;  // the number of a line, of which this one contains a version; 0: of none
  uint32_t parent_version_ = 0;
  Entry* log_ = nullptr;  // log_[v]: what version v + 1 replaced
  uint32_t log_room_ = 0;
  uint32_t newest_ = 0;
  uint32_t users_ = 1;
  uint32_t slots_ = 0;
  uint32_t used_ = 0;
  bool was_copied_ = false;  // another line says that it contains a version of this one
};
static_assert(sizeof(ClockLine) % sizeof(ClockLine::Entry) == 0);

class SharedClock {
 public:
  // The own entry of a clock that has none: of a slot that no thread has.
  static constexpr Epoch kNoOwn{Slot{Epoch::kMaxSlot}, 0};
  // For `join`: a clock that no other is known to contain.
  static constexpr Clock kNotContained = ~Clock{0};

  Clock operator[](Slot slot) const {
    if (slot == own_.slot()) return own_.clock();
    return in_line(slot);
  }
  bool knows(Epoch e) const { return e.clock() <= (*this)[e.slot()]; }
  bool empty() const { return line_ == nullptr && own_ == kNoOwn; }
  Epoch own() const { return own_; }

  // The entry of the thread whose clock this is; never goes back.
  void set_own(Epoch own) {
    own_ = own;
    pure_ = true;
  }

  // this := from.
  void assign(Arena& arena, const SharedClock& from) {
    name(arena, from.line_, from.version_);
    own_ = from.own_;
    pure_ = from.pure_;
  }
  // this := this join from; true if anything was learnt. `learnt` is this thread's clock when it last learnt something.
  bool join(Arena& arena, VectorClockCost& cost, const SharedClock& from, Clock learnt) {
    if (from.empty() || (from.pure_ && knows(from.own_))) return false;
    const bool in_line = join_line(arena, cost, from, learnt);
    return put(arena, cost, from.own_) || in_line;
  }
  // The same for a clock that is no thread's: of something that several threads publish to.
  void gather(Arena& arena, VectorClockCost& cost, const SharedClock& from) {
    if (empty() || (pure_ && from.knows(own_))) return assign(arena, from);
    const Epoch own = std::exchange(own_, kNoOwn);
    pure_ = false;
    put(arena, cost, own);
    join_line(arena, cost, from, kNotContained);
    put(arena, cost, from.own_);
  }

  void release(Arena& arena) {
    if (line_ != nullptr) line_->let_go(arena);
    *this = SharedClock{};
  }

 private:
  Clock in_line(Slot slot) const {
    return line_ == nullptr ? 0 : line_->at(static_cast<uint32_t>(index(slot)), version_);
  }
  bool is_newest() const { return line_ != nullptr && version_ == line_->newest(); }
  void name(Arena& arena, ClockLine* line, uint32_t version) {
    version_ = version;
    if (line == line_) return;
    if (line != nullptr) line->hold();
    if (line_ != nullptr) line_->let_go(arena);
    line_ = line;
  }
  bool put(Arena& arena, VectorClockCost& cost, Epoch e) {
    if (e == kNoOwn || knows(e)) return false;
    if (e.slot() == own_.slot()) {
      own_ = e;
    } else {
      put_in_line(arena, cost, static_cast<uint32_t>(index(e.slot())), e.clock());
    }
    return true;
  }
  void put_in_line(Arena& arena, VectorClockCost& cost, uint32_t slot, Clock clock) {
    if (!is_newest() || !line_->has_room_for(slot)) copy_line(arena, cost, slot + 1);
    line_->put(arena, slot, clock);
    version_ = line_->newest();
  }
  static constexpr uint32_t kFewChanges = 4;  // rather than copy the line: it is shared, and this many go into its log
  bool join_line(Arena& arena, VectorClockCost& cost, const SharedClock& from, Clock learnt);
  // A line of our own, with room for so many slots.
  void copy_line(Arena& arena, VectorClockCost& cost, uint32_t slots);

  ClockLine* line_ = nullptr;
  uint32_t version_ = 0;
  bool pure_ = false;  // it is what the thread of `own` publishes at that epoch
  Epoch own_ = kNoOwn;
};
static_assert(sizeof(SharedClock) == 24);

inline bool SharedClock::join_line(Arena& arena, VectorClockCost& cost, const SharedClock& from, Clock learnt) {
  if (from.line_ == nullptr) return false;
  if (line_ == from.line_) {
    if (from.version_ <= version_) return false;
    version_ = from.version_;
    return true;
  }
  if (line_ != nullptr && line_->contains(*from.line_, from.version_)) return false;
  if (line_ == nullptr || from.line_->contains(*line_, version_) || from[own_.slot()] >= learnt) {
    name(arena, from.line_, from.version_);
    return true;
  }
  ++cost.operations;
  const size_t own = index(own_.slot());
  const uint32_t larger = line_->count_larger(version_, *from.line_, from.version_, own, kFewChanges);
  if (larger == 0) return false;
  const bool fits = is_newest() && from.line_->used() <= line_->slots();
  if (fits && !line_->is_private() && larger <= kFewChanges) {
    for (uint32_t slot = 0; slot < from.line_->used(); ++slot) {
      const Clock clock = from.line_->at(slot, from.version_);
      if (clock > line_->at(slot, version_) && slot != own) put_in_line(arena, cost, slot, clock);
    }
    return true;
  }
  if (!fits || !line_->is_private()) copy_line(arena, cost, from.line_->used());
  line_->join_in_place(*from.line_, from.version_);
  return true;
}

inline void SharedClock::copy_line(Arena& arena, VectorClockCost& cost, uint32_t slots) {
  ++cost.allocated;
  const uint32_t used = line_ == nullptr ? 0 : line_->used();
  ClockLine* copy = ClockLine::make(arena, std::max(slots, used), cost.allocated);
  if (line_ != nullptr) {
    ++cost.operations;
    copy->copy_from(*line_, version_);
  }
  if (line_ != nullptr) line_->let_go(arena);
  line_ = copy;
  version_ = 0;
}

// c@t is known to the owner of C. `kNever` precedes everything.
inline bool precedes(Epoch e, const SharedClock& C) { return C.knows(e); }

}  // namespace deadheat
