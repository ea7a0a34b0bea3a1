// Goldilocks' list of what synchronisation did to locksets, and the evaluation of a lockset over it.
//                                                              Elmas, Qadeer and Tasiran, FATES/RV 2006, section 3
// Idea     A lockset belongs to an access and says what is ordered after it: it starts as {the thread of the access},
//          and every later cell may change it. A cell is one of
//            Y join X   Y is added if X is in the set
//            Y := X     Y is removed, then added if X is in the set; X may be nothing
//          where X and Y are elements: threads, and everything else that has a clock in docs/semantics.md. So a lockset
//          needs no memory of its own: an access is its owner and its position in the list, and the set is computed
//          only when it is needed.
// State    cells head .. tail-1 in a ring; for each stretch of it, how many accesses point there
// Promises `reaches(o, p, t)` iff an access of o at position p happens before what t does next.
// Cost     append O(1); reaches O(cells from p until t is added), or O(cells from o's last way to t until now) if that
//          is less. Memory: the ring (at most `limit` cells) and, once accesses lag behind it, one number for each
//          element and lagging owner.
// Tested by test/rules/goldilocks_test.cpp, test/differential
//
// Two directions. Forwards from the access, a walk keeps the lockset and ends when t is added. Backwards from now, it
// keeps what would be enough: the elements one of which must be in the set for t to be in it at the end. It ends when
// the owner is one of them, and then says more: this is the last cell by which the owner is ordered before t, so every
// access of the owner up to there is, and no later one. Which direction is short cannot be known, so the two take turns.
//
// Lagging locksets. The list drops all cells before the first that an access points to. But an access that is never
// repeated would pin all later cells. So when the ring has reached its limit, the locksets of all accesses before its
// middle are brought forward to the middle, all at once. This is cheap, because the locksets of one owner's accesses
// form a chain: what is ordered after an access is ordered after the owner's earlier ones too. So each element needs
// only one number for each owner: the position up to which it is in the locksets of that owner's accesses. Cells are
// applied to these numbers once, when the ring leaves them behind, and only if an access lags.
#pragma once

#include <algorithm>

#include "base/table.h"
#include "base/vector_clock.h"

namespace deadheat {

enum class Element : uint32_t {};
inline constexpr Element kNoElement{0};

using Position = uint64_t;  // of a cell, counted from the first ever; never 0

class UpdateList {
 public:
  static constexpr uint64_t kDefaultLimit = uint64_t{1} << 16;

  explicit UpdateList(Arena& arena);
  // Must be called before the first cell. Rounded up to a power of two.
  void set_limit(uint64_t cells);

  // A new element is in no lockset.
  Element new_thread();
  Element new_element();
  // Nothing will be ordered by it any more; its number may be given to another.
  void retire(Element element);

  void join(Element Y, Element X) { append({static_cast<uint32_t>(Y), static_cast<uint32_t>(X)}); }
  void assign(Element Y, Element X) { append({static_cast<uint32_t>(Y) | kAssigns, static_cast<uint32_t>(X)}); }
  void clear(Element Y) { assign(Y, kNoElement); }
  void nothing() { clear(kNoElement); }  // a cell that only sets apart what comes before it from what comes after

  // The position of an access that happens now.
  Position tail() const { return tail_; }
  Position head() const { return head_; }

  // An access of a thread that is remembered; each `hold` is followed by a `let_go`.
  void hold(Element owner, Position p) {
    ++references(p);
    Node& node = nodes_.at(arena_, index(owner));
    if (node.held++ == 0 && !node.is_listed) list_owner(owner, node);
  }
  void let_go(Element owner, Position p) {
    --references(p);
    --nodes_.at(arena_, index(owner)).held;
  }
  // Whether two positions are counted together: then an access may move between them without hold and let_go.
  bool counted_together(Position p, Position q) const { return p / kStretch == q / kStretch && p >= head_; }

  // Whether the owner's access at p is ordered before the target, and its accesses up to where are. If `is_exact`, the
  // later ones are not.
  struct Reach {
    bool ordered = false;
    bool is_exact = false;
    Position up_to = 0;
  };
  Reach reach(Element owner, Position p, Element target) {
    return p < head_ ? walk<true>(owner, p, target) : walk<false>(owner, p, target);
  }
  bool reaches(Element owner, Position p, Element target) { return reach(owner, p, target).ordered; }

  uint64_t cells() const { return tail_ - kStretch; }  // that were ever appended
  uint64_t cells_walked() const { return cells_walked_; }
  uint64_t cells_brought_forward() const { return cells_brought_forward_; }
  uint64_t capacity() const { return capacity_; }

 private:
  static constexpr uint64_t kStretch = 16;  // cells whose references are counted together
  static constexpr uint64_t kTurn = 64;     // cells that a walk goes in one direction before the other one's turn
  static constexpr uint32_t kAssigns = uint32_t{1} << 31;
  static constexpr uint32_t kNoColumn = UINT32_MAX;

  struct Cell {
    uint32_t target;  // with kAssigns
    uint32_t source;
  };
  struct Node {
    // Before head: by column of an owner, the position up to which this element is in its accesses' locksets.
    VectorClock row;
    uint64_t held = 0;            // accesses of this thread that are remembered
    uint32_t column = kNoColumn;  // of a thread some of whose accesses may lie before head
    bool is_thread = false;
    bool is_listed = false;  // in owners_
  };

  void append(Cell cell) {
    cells_[tail_ & (capacity_ - 1)] = cell;
    // One stretch stays free, or the positions of the newest accesses would be counted with those of the oldest.
    if (++tail_ - head_ + kStretch > capacity_) [[unlikely]]
      make_room();
  }
  uint64_t& references(Position p) {
    return p < head_ ? references_before_head_ : references_[(p & (capacity_ - 1)) / kStretch];
  }
  Element add(bool is_thread);
  void make_room();
  void drop_unreferenced();
  void resize(uint64_t capacity);
  void bring_forward(Position to);
  void give_columns();
  void apply(Position p);
  void list_owner(Element owner, Node& node);
  template <bool kLags>
  Reach walk(Element owner, Position p, Element target);

  Arena& arena_;
  uint64_t limit_ = kDefaultLimit;
  Cell* cells_ = nullptr;           // a ring
  uint64_t* references_ = nullptr;  // by stretch of the ring
  uint64_t capacity_ = 0;           // of the ring, a power of two
  Position head_ = kStretch, tail_ = kStretch;
  uint64_t references_before_head_ = 0;

  IdTable<Node> nodes_;  // by element
  ArenaVector<Element> retired_;
  ArenaVector<Element> owners_;  // threads that held something when bring_forward last looked, or since
  ArenaVector<uint32_t> free_columns_;
  uint32_t columns_ = 0;

  // The set that is being computed: an element is in it if its mark is walk_ + 1, not in it if its mark is walk_, and
  // as before head if its mark is older.
  ArenaVector<uint64_t> marks_;
  ArenaVector<uint64_t> enough_;  // backwards: an element would be enough if it has walk_ + 1 here
  uint64_t walk_ = 0;
  uint64_t cells_walked_ = 0;
  uint64_t cells_brought_forward_ = 0;
  VectorClockCost cost_;
};

template <bool kLags>
UpdateList::Reach UpdateList::walk(Element owner, Position p, Element target) {
  walk_ += 2;
  const uint64_t out = walk_, in = walk_ + 1;
  uint64_t *marks = marks_.data(), *enough = enough_.data();
  marks[index(owner)] = in;
  const Slot column = static_cast<Slot>(kLags ? nodes_.find(index(owner))->column : 0);
  const auto is_in = [&](uint32_t element) {
    const uint64_t mark = marks[element];
    if (!kLags || mark >= out) return mark == in;
    return nodes_.find(element)->row[column] >= p;
  };
  const uint32_t wanted = static_cast<uint32_t>(target), source = static_cast<uint32_t>(owner);
  if (is_in(wanted)) return {true, false, p};
  enough[wanted] = in;
  // Cells of [start, forwards) were applied to the lockset, those of [backwards, tail) to what is enough.
  const Position start = kLags ? head_ : p;
  Position forwards = start, backwards = tail_;
  Reach result;
  // What would be enough is not compared with the locksets before head: if there are any, the way forwards decides.
  while (!result.ordered && forwards < tail_ && (kLags || backwards > start)) {
    for (const Position end = backwards - std::min(kTurn, backwards - start); backwards > end && !result.ordered;) {
      const Cell cell = cells_[--backwards & (capacity_ - 1)];
      uint64_t& Y = enough[cell.target & ~kAssigns];
      if (Y != in) continue;
      if ((cell.target & kAssigns) != 0) Y = out;
      enough[cell.source] = in;  // nothing, too: no walk asks about it
      if (cell.source == source) result = {true, true, backwards};
    }
    for (const Position end = std::min(forwards + kTurn, tail_); forwards < end && !result.ordered; ++forwards) {
      const Cell cell = cells_[forwards & (capacity_ - 1)];
      const uint32_t Y = cell.target & ~kAssigns;
      if (is_in(cell.source)) {
        marks[Y] = in;
        if (Y == wanted) result = {true, false, p};
      } else if ((cell.target & kAssigns) != 0) {
        marks[Y] = out;
      }
    }
  }
  cells_walked_ += (forwards - start) + (tail_ - backwards);
  return result;
}

}  // namespace deadheat
