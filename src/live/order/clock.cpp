#include "live/order/clock.h"

#include <algorithm>

#include "live/ground/heap.h"
#include "live/ground/message.h"

namespace deadheat::live {
namespace {

ClockPage* new_page() {
  ClockPage* page = static_cast<ClockPage*>(heap_allocate(sizeof(ClockPage)));
  page->references.store(1, std::memory_order_relaxed);
  page->used = 0;
  return page;
}

ClockPage* share(ClockPage* page) {
  if (page != nullptr) page->references.fetch_add(1, std::memory_order_relaxed);
  return page;
}

void drop(ClockPage* page) {
  if (page == nullptr) return;
  if (page->references.load(std::memory_order_acquire) == 1 ||
      page->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    heap_free(page, sizeof(ClockPage));
}

}  // namespace

void LiveClock::grow(uint32_t pages) {
  if (pages <= page_count_) return;
  ClockPage** table = static_cast<ClockPage**>(heap_allocate(pages * sizeof(ClockPage*)));
  for (uint32_t i = 0; i < page_count_; ++i) table[i] = pages_[i];
  for (uint32_t i = page_count_; i < pages; ++i) table[i] = nullptr;
  if (pages_ != nullptr) heap_free(pages_, page_count_ * sizeof(ClockPage*));
  pages_ = table;
  page_count_ = pages;
}

ClockPage& LiveClock::writable(uint32_t page) {
  grow(page + 1);
  ClockPage*& at = pages_[page];
  if (at == nullptr) {
    at = new_page();
  } else if (at->references.load(std::memory_order_acquire) != 1) {
    ClockPage* copy = new_page();
    copy->used = at->used;
    for (uint32_t i = 0; i < at->used; ++i) copy->clock[i] = at->clock[i];
    drop(at);
    at = copy;
  }
  return *at;
}

bool LiveClock::put(Epoch e) {
  if (knows(e)) return false;
  if (e.slot() == own_.slot()) {
    own_ = e;
    return true;
  }
  if (index(e.slot()) < kFirst) {
    first_[index(e.slot())] = e.clock();
    return true;
  }
  ClockPage& page = writable(static_cast<uint32_t>(index(e.slot()) / ClockPage::kEntries));
  const uint32_t entry = index(e.slot()) % ClockPage::kEntries;
  while (page.used <= entry) page.clock[page.used++] = 0;
  page.clock[entry] = e.clock();
  return true;
}

void LiveClock::assign_pages(const LiveClock& from) {
  if (&from == this) return;
  for (uint32_t i = 0; i < page_count_; ++i) {
    ClockPage* page = i < from.page_count_ ? from.pages_[i] : nullptr;
    if (page == pages_[i]) continue;
    share(page);
    drop(pages_[i]);
    pages_[i] = page;
  }
  if (from.page_count_ > page_count_) {
    const uint32_t shared = page_count_;
    grow(from.page_count_);
    for (uint32_t i = shared; i < page_count_; ++i) pages_[i] = share(from.pages_[i]);
  }
}

bool LiveClock::join_first(const LiveClock& from) {
  const size_t own = index(own_.slot());
  bool learned = false;
  for (uint32_t i = 0; i < kFirst; ++i) {
    const Clock theirs = from.first_[i];
    if (i == own) {
      if (theirs <= own_.clock()) continue;
      own_ = Epoch(own_.slot(), theirs);
    } else {
      if (theirs <= first_[i]) continue;
      first_[i] = theirs;
    }
    learned = true;
  }
  return learned;
}

bool LiveClock::join_own(uint32_t page, const ClockPage& theirs) {
  const uint32_t entry = index(own_.slot()) % ClockPage::kEntries;
  if (index(own_.slot()) / ClockPage::kEntries != page || entry >= theirs.used) return false;
  if (theirs.clock[entry] <= own_.clock()) return false;
  own_ = Epoch(own_.slot(), theirs.clock[entry]);
  return true;
}

bool LiveClock::join(const LiveClock& from, Epoch own) {
  if (&from == this) return false;
  bool learned = join_first(from);
  if (from.page_count_ != 0) learned |= join_pages(from);
  learned |= put(own);
  if (learned) pure_ = false;
  return learned;
}

bool LiveClock::join_pages(const LiveClock& from) {
  bool learned = false;
  for (uint32_t i = 0; i < from.page_count_; ++i) {
    ClockPage* theirs = from.pages_[i];
    if (theirs == nullptr || (i < page_count_ && pages_[i] == theirs)) continue;
    learned |= join_own(i, *theirs);
    if (i >= page_count_ || pages_[i] == nullptr) {
      grow(i + 1);
      pages_[i] = share(theirs);
      learned = true;
      continue;
    }
    for (uint32_t e = 0; e < theirs->used; ++e) {
      const Clock mine = e < pages_[i]->used ? pages_[i]->clock[e] : 0;
      if (theirs->clock[e] <= mine || i * ClockPage::kEntries + e == index(own_.slot())) continue;
      ClockPage& page = writable(i);
      while (page.used <= e) page.clock[page.used++] = 0;
      page.clock[e] = theirs->clock[e];
      learned = true;
    }
  }
  return learned;
}

#ifndef NDEBUG
bool LiveClock::covers(const LiveClock& other) const {
  const uint32_t slots = std::max(kFirst, other.page_count_ * ClockPage::kEntries);
  for (uint32_t i = 0; i < slots; ++i)
    if (!knows(Epoch(Slot{i}, other[Slot{i}]))) return false;
  return knows(other.own_);
}

void LiveClock::check_covers(const LiveClock& other) const {
  if (!covers(other)) die("a clock that one thread published, and whose last entry does not stand for all of it");
}
#endif

void LiveClock::clear() {
  for (uint32_t i = 0; i < page_count_; ++i) drop(pages_[i]);
  if (pages_ != nullptr) heap_free(pages_, page_count_ * sizeof(ClockPage*));
  pages_ = nullptr;
  page_count_ = 0;
  for (Clock& clock : first_) clock = 0;
  pure_ = false;
  own_ = kNoOwn;
}

}  // namespace deadheat::live
