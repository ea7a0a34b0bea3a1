#include "detect/update_list.h"

#include <bit>

namespace deadheat {

UpdateList::UpdateList(Arena& arena) : arena_(arena) {
  add(/*is_thread=*/false);  // nothing is never in a set
  resize(std::min<uint64_t>(limit_, 1024));
}

void UpdateList::set_limit(uint64_t cells) {
  limit_ = std::bit_ceil(std::max<uint64_t>(cells, 4 * kStretch));
  resize(std::min<uint64_t>(limit_, 1024));
}

Element UpdateList::new_element() {
  if (!retired_.empty()) {
    const Element element = retired_.back();
    retired_.pop_back();
    return element;
  }
  return add(/*is_thread=*/false);
}

// Threads keep their numbers for ever: their accesses are known by them.
Element UpdateList::new_thread() { return add(/*is_thread=*/true); }

Element UpdateList::add(bool is_thread) {
  const uint32_t number = marks_.size();
  if (number >= kAssigns) fatal("more than 2^31 threads, locks and atomic objects at once");
  marks_.push_back(arena_, 0);
  enough_.push_back(arena_, 0);
  nodes_.at(arena_, number).is_thread = is_thread;
  return static_cast<Element>(number);
}

void UpdateList::retire(Element element) {
  clear(element);
  if (!nodes_.at(arena_, index(element)).is_thread) retired_.push_back(arena_, element);
}

void UpdateList::list_owner(Element owner, Node& node) {
  node.is_listed = true;
  owners_.push_back(arena_, owner);
}

void UpdateList::make_room() {
  drop_unreferenced();
  if (tail_ - head_ <= capacity_ / 2) return;
  if (capacity_ < limit_) {
    resize(2 * capacity_);
  } else {
    bring_forward((tail_ - capacity_ / 2) / kStretch * kStretch);
  }
}

// What lies before head follows the cells from head on, so they can be dropped only if nothing does.
void UpdateList::drop_unreferenced() {
  if (references_before_head_ > 0) return;
  while (head_ + kStretch <= tail_ && references(head_) == 0) head_ += kStretch;
}

void UpdateList::resize(uint64_t capacity) {
  Cell* cells = static_cast<Cell*>(arena_.allocate(capacity * sizeof(Cell)));
  uint64_t* counts = static_cast<uint64_t*>(arena_.allocate(capacity / kStretch * sizeof(uint64_t)));
  std::memset(counts, 0, capacity / kStretch * sizeof(uint64_t));
  for (Position p = head_; p < tail_; ++p) cells[p & (capacity - 1)] = cells_[p & (capacity_ - 1)];
  if (cells_ != nullptr) {
    for (Position p = head_; p <= tail_; p += kStretch) counts[(p & (capacity - 1)) / kStretch] = references(p);
    arena_.free(cells_, capacity_ * sizeof(Cell));
    arena_.free(references_, capacity_ / kStretch * sizeof(uint64_t));
  }
  cells_ = cells;
  references_ = counts;
  capacity_ = capacity;
}

// ---- Lagging locksets ---------------------------------------------------------------------------------------------

void UpdateList::bring_forward(Position to) {
  give_columns();
  cells_brought_forward_ += to - head_;
  for (Position p = head_; p < to; ++p) apply(p);
  uint64_t lagging = 0;
  for (Position p = head_; p < to; p += kStretch) {
    lagging += references(p);
    references(p) = 0;
  }
  references_before_head_ += lagging;
  head_ = to;
}

// A column for every thread that has remembered accesses: others will never have any before the new head.
//
// The numbers of a column's former owner need not be erased, nor those that stayed when cells were dropped: they are
// positions before head, and whatever the new owner has remembered was not there when the last column was given, so it
// lies at or after head. A number that is too small says nothing.
void UpdateList::give_columns() {
  uint32_t kept = 0;
  for (const Element owner : owners_) {
    Node& node = nodes_.at(arena_, index(owner));
    if (node.held > 0) {
      owners_[kept++] = owner;
      continue;
    }
    node.is_listed = false;
    if (node.column != kNoColumn) free_columns_.push_back(arena_, node.column);
    node.column = kNoColumn;
  }
  owners_.resize(arena_, kept);
  for (const Element owner : owners_) {
    Node& node = nodes_.at(arena_, index(owner));
    if (node.column != kNoColumn) continue;
    if (free_columns_.empty()) {
      node.column = columns_++;
    } else {
      node.column = free_columns_.back();
      free_columns_.pop_back();
    }
  }
}

// The cell at p, on all locksets at once. A thread is in the locksets of all its own accesses up to now.
void UpdateList::apply(Position p) {
  const Cell cell = cells_[p & (capacity_ - 1)];
  Node& Y = nodes_.at(arena_, cell.target & ~kAssigns);
  const Node& X = nodes_.at(arena_, cell.source);
  if ((cell.target & kAssigns) == 0) {
    if (!X.row.empty()) Y.row.join(arena_, cost_, X.row);
  } else if (X.row.empty()) {
    Y.row.release(arena_);
  } else {
    Y.row.assign(arena_, cost_, X.row);
  }
  if (X.column != kNoColumn) Y.row.set(arena_, cost_, static_cast<Slot>(X.column), p);
}

}  // namespace deadheat
