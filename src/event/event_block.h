// The payload of an event block: up to 65536 events in columns.
//
// Idea     A place in the code does one thing: it reads a variable, or takes a lock. So an event is three numbers:
//          which thread, which *site* (kind, memory order, size, location) and which target. Threads run on for a
//          while, so they are runs. A target lies near the one that the same thread touched last, or near the one
//          that the same thread touched last at this site; the writer takes the nearer one and keeps the difference.
//          A *step* is a site together with that choice and the number of bytes of the difference. The steps of a
//          block are its dictionary; an event is an index into it and 0 to 8 bytes of difference. Decoding one has
//          no branch: load the step, load 8 bytes and mask them, add, copy 32 bytes out.
//
//   payload = sites  steps  runs  index column (low bytes, then high bytes if more than 256 steps)  differences
//
// State    Nothing outlives a block: every block can be decoded on its own, given the names before it.
// Promises The decoder accepts any bytes: it checks all it reads, and hands out only events whose ids are in the
//          tables, whose kind and order exist and whose bytes lie within memory.
// Cost     Decoding is 3 to 4 ns an event on the generator's traces (bench: `trace decode`).
// Tested by test/unit/event_block_test.cpp, test/fuzz
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "event/binary_format.h"
#include "event/event.h"
#include "event/names.h"

namespace deadheat {

// Differences are kept within one space: locks are not near variables. The operands' spaces, and memory.
inline constexpr size_t kMemorySpace = 9;
inline constexpr size_t kTargetSpaces = 16;

// What was touched last, by both predictors; writer and reader keep it in step.
//
// The last target of (thread, site) is at `thread * sites + site`, wrapped: with more than 65536 pairs some share a
// place and are predicted badly, which costs bytes, not truth.
class TargetHistory {
 public:
  static constexpr uint32_t kPlaces = 1 << 16;

  void reset(uint32_t threads, uint32_t sites) {
    sites_ = sites;
    by_thread_.assign(size_t{threads} * kTargetSpaces, 0);
    const uint64_t places = uint64_t{threads} * sites;
    by_site_.assign(places < kPlaces ? places : kPlaces, 0);
    mask_ = places < kPlaces ? UINT32_MAX : kPlaces - 1;
  }
  uint64_t* of_thread(uint32_t thread) { return by_thread_.data() + size_t{thread} * kTargetSpaces; }
  uint64_t* by_site() { return by_site_.data(); }
  uint32_t first_place(uint32_t thread) const { return thread * sites_; }
  uint32_t mask() const { return mask_; }

 private:
  std::vector<uint64_t> by_thread_;  // [thread of the block][space]
  std::vector<uint64_t> by_site_;
  uint32_t sites_ = 0;
  uint32_t mask_ = 0;
};

// The part of an event that belongs to its site.
struct EventSite {
  uint64_t size = 0;
  LocationId location = kNoLocation;
  EventKind kind = EventKind::kNothing;
  MemoryOrder order = MemoryOrder::kRelaxed;
  bool is_range = false;

  friend bool operator==(const EventSite&, const EventSite&) = default;
};

struct ThreadRun {
  uint32_t thread = 0;  // ThreadId
  uint32_t slot = 0;    // number of the thread within the block, in the order of first appearance
  uint32_t end = 0;     // events of the block before the end of the run
};

inline constexpr size_t kDifferenceSizes = 9;  // 0 to 8 bytes
inline constexpr size_t kPredictors = 2;

// Dictionary, runs, low and high bytes of the index, differences.
using EventColumns = std::array<std::string_view, 5>;

class EventBlockEncoder {
 public:
  static constexpr uint32_t kNoSite = UINT32_MAX;  // of an event whose site must be looked up
  static constexpr uint32_t kOtherThread = UINT32_MAX - 1;

  EventBlockEncoder();
  // Takes as many as fit, and returns how many they were. With fewer than all the block is full: it has kMaxBlockEvents
  // events, or so many sites and threads that pairs of them would share places of the history.
  size_t add(std::span<const Event> events);
  // The same for events of one thread that are made where they are needed. `source.known(i, target)` gives the number
  // of the site of event `i`, or kNoSite; `source.site(i)` the site of such a one, whose number is told to
  // `source.found(i, number)`. Numbers are those of one block.
  template <class Source>
  size_t add_run(ThreadId thread, size_t count, Source& source);
  // The same for `count` events of one site, each with its target `step` after the one before; `step` is not 0, and
  // `source` has the first two.
  template <class Source>
  size_t add_row(ThreadId thread, size_t count, uint64_t step, Source& source);
  uint32_t count() const { return count_; }
  // Another one for each block.
  uint32_t block() const { return block_; }

  // The columns, each a piece of its own so that each is compressed with its own statistics; the payload is their
  // concatenation. They stay where they are until the next event is added. Empties the encoder.
  const EventColumns& finish();

 private:
  static constexpr uint16_t kNoStep = UINT16_MAX;  // the last one of a block that has as many as events, too

  // What the encoder knows of a site of the block.
  struct SiteWork {
    uint16_t steps[kPredictors][kDifferenceSizes];
    uint8_t space;
    uint8_t favourite;  // the predictor the site used last: ties go to it
  };
  // The targets that a thread of the block touched last.
  struct ThreadHistory {
    std::array<uint64_t, kTargetSpaces> by_space{};
    std::vector<uint64_t> by_site;
  };

  static uint64_t zigzag(uint64_t difference) { return difference << 1 ^ (0 - (difference >> 63)); }
  // Bytes for a difference, by its number of bits. 5 to 7 do not occur, so that fewer steps differ in nothing else.
  static constexpr std::array<uint8_t, 65> kBytesForBits = [] {
    std::array<uint8_t, 65> table{};
    for (size_t bits = 0; bits < table.size(); ++bits)
      table[bits] = static_cast<uint8_t>(bits <= 32 ? (bits + 7) / 8 : 8);
    return table;
  }();
  static uint8_t bytes_for(uint64_t value) { return kBytesForBits[static_cast<size_t>(std::bit_width(value))]; }

  template <class Source>
  size_t take(size_t count, Source& source);
  bool begin_run(uint32_t thread);
  size_t repeat_last(size_t count, uint64_t step);
  void drop_empty_run();
  uint32_t site_of(const EventSite& site);
  uint32_t find_site(const EventSite& site);
  void grow_site_table();
  uint16_t new_step(uint32_t site, unsigned predictor, unsigned bytes);

  std::vector<EventSite> sites_;
  std::vector<SiteWork> work_;        // by site
  std::vector<uint32_t> site_table_;  // open hash table of positions in `sites_` plus one; 0 is an empty place
  std::vector<uint16_t> last_sites_;  // by location: the site that an event there had last, maybe of a former block
  std::vector<ThreadRun> runs_;
  std::unordered_map<uint32_t, uint32_t> slots_;
  std::vector<ThreadHistory> history_;  // by slot, more than there are in use
  std::string steps_;
  uint32_t step_count_ = 0;
  uint32_t count_ = 0;
  uint32_t block_ = 0;
  // Of the events so far. Each difference is stored whole and the next one overlaps it.
  std::vector<char> low_ = std::vector<char>(kMaxBlockEvents), high_ = low_;
  std::vector<char> differences_ = std::vector<char>((kMaxBlockEvents + 1) * sizeof(uint64_t));
  size_t difference_bytes_ = 0;
  uint32_t last_site_ = 0;  // of the last event that `take` took
  std::string dictionary_, run_bytes_;
  EventColumns columns_;
};

// The events of the run in hand, until one cannot be taken.
template <class Source>
size_t EventBlockEncoder::take(size_t count, Source& source) {
  count = std::min<size_t>(count, kMaxBlockEvents - count_);
  ThreadHistory& history = history_[runs_.back().slot];
  uint64_t* const by_space = history.by_space.data();
  // The bytes that are stored may be anything's, as far as the compiler knows: what the loop reads has names of its own.
  uint64_t* by_site = history.by_site.data();
  size_t sites = history.by_site.size();
  SiteWork* work = work_.data();
  char* const low = low_.data() + count_;
  char* const high = high_.data() + count_;
  char* difference = differences_.data() + difference_bytes_;
  size_t i = 0;
  uint32_t site = 0;
  for (; i < count; ++i) {
    uint64_t target = 0;
    site = source.known(i, target);
    if (site >= sites) [[unlikely]] {
      if (site == kOtherThread) break;
      if (site == kNoSite) {
        site = site_of(source.site(i));
        if (site == kNoSite) break;
        source.found(i, site);
      }
      history.by_site.resize(work_.size());
      by_site = history.by_site.data();
      sites = work_.size();
      work = work_.data();
    }
    SiteWork& w = work[site];
    uint64_t& last_by_thread = by_space[w.space];
    uint64_t& last_by_site = by_site[site];
    if (target == last_by_site) {  // nothing is nearer, and it is common
      last_by_thread = target;
      uint16_t step = w.steps[1][0];
      if (step == kNoStep) [[unlikely]]
        step = new_step(site, 1, 0);
      low[i] = static_cast<char>(step);
      high[i] = static_cast<char>(step >> 8);
      continue;
    }
    const uint64_t values[kPredictors] = {zigzag(target - last_by_thread), zigzag(target - last_by_site)};
    const uint8_t bytes[kPredictors] = {bytes_for(values[0]), bytes_for(values[1])};
    last_by_thread = last_by_site = target;
    const unsigned p = bytes[0] == bytes[1] ? w.favourite : bytes[1] < bytes[0];
    w.favourite = static_cast<uint8_t>(p);
    uint16_t step = w.steps[p][bytes[p]];
    if (step == kNoStep) [[unlikely]]
      step = new_step(site, p, bytes[p]);
    low[i] = static_cast<char>(step);
    high[i] = static_cast<char>(step >> 8);
    std::memcpy(difference, &values[p], sizeof values[p]);
    difference += bytes[p];
  }
  difference_bytes_ = static_cast<size_t>(difference - differences_.data());
  count_ += static_cast<uint32_t>(i);
  runs_.back().end = count_;
  last_site_ = site;
  return i;
}

template <class Source>
size_t EventBlockEncoder::add_run(ThreadId thread, size_t count, Source& source) {
  return begin_run(static_cast<uint32_t>(thread)) ? take(count, source) : 0;
}

// The second event of a row differs by `step` from the last target of its site and of its thread alike; so do all others.
template <class Source>
size_t EventBlockEncoder::add_row(ThreadId thread, size_t count, uint64_t step, Source& source) {
  const size_t done = add_run(thread, std::min<size_t>(count, 2), source);
  return done < 2 ? done : done + repeat_last(count - done, step);
}

class EventBlockDecoder {
 public:
  // The decoder reads up to this many bytes beyond the end of a payload; they must be there and may be anything.
  static constexpr size_t kChunkEvents = 4096;
  static constexpr size_t kSlackBytes = (kChunkEvents + 1) * 8;

  // Takes a payload of `count` events; it and the names must stay where they are until the last event is decoded.
  // Returns what is wrong with it, or nullptr.
  const char* begin(std::string_view payload, uint32_t count, const Names& names);
  uint32_t remaining() const { return count_ - done_; }
  // Decodes the next events, at most kChunkEvents, into `out`. Returns what is wrong, or nullptr; what was written is
  // to be thrown away then, and nothing remains.
  const char* decode(Event* out, uint32_t count);

 private:
  struct Step {
    Event event;        // everything but target and thread
    uint64_t mask = 0;  // of the bytes of the difference
    uint64_t max_target = 0;
    uint32_t site = 0;
    uint32_t thread_mask = 0;  // 0 for events that belong to no thread
    uint8_t bytes = 0;
    uint8_t predictor = 0;  // 0 by thread, 1 by site
    uint8_t space = 0;
  };
  const char* read_dictionary(PayloadCursor& cursor, const Names& names, uint32_t& sites);
  bool has_valid_objects(std::span<const Event> events) const;
  const char* read_runs(PayloadCursor& cursor, const Names& names, uint32_t& threads);
  template <bool kWide>
  uint64_t decode_run(Event* out, uint32_t count, const ThreadRun& run);

  std::vector<EventSite> sites_;
  std::vector<Step> steps_;
  std::vector<ThreadRun> runs_;
  std::vector<std::pair<uint64_t, uint32_t>> slot_of_thread_;  // (block number, slot): no need to clear it
  uint64_t block_ = 0;
  TargetHistory history_;
  const Names* names_ = nullptr;
  bool has_objects_ = false;  // some site allocates or frees by name
  const unsigned char* low_ = nullptr;
  const unsigned char* high_ = nullptr;  // nullptr with at most 256 steps
  const char* difference_ = nullptr;
  const char* difference_end_ = nullptr;
  uint32_t count_ = 0;
  uint32_t done_ = 0;
  size_t run_ = 0;
};

}  // namespace deadheat
