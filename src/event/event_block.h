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

#include <array>
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

// Dictionary, runs, low and high bytes of the index, differences.
using EventColumns = std::array<std::string, 5>;

class EventBlockEncoder {
 public:
  EventBlockEncoder();
  // They must fit: a block has at most kMaxBlockEvents.
  void add(std::span<const Event> events);
  uint32_t count() const { return static_cast<uint32_t>(sites_of_.size()); }

  // The columns, each a string of its own so that each is compressed with its own statistics; the payload is their
  // concatenation. Empties the encoder.
  const EventColumns& finish();

 private:
  uint16_t site_of(const EventSite& site);
  uint16_t find_site(const EventSite& site);
  void grow_site_table();

  std::vector<EventSite> sites_;
  std::vector<uint32_t> site_table_;  // open hash table of positions in `sites_` plus one; 0 is an empty place
  std::vector<uint16_t> last_sites_;  // by location: the site that an event there had last, maybe of a former block
  std::vector<uint16_t> sites_of_;    // by event
  std::vector<uint64_t> targets_;     // by event
  std::vector<ThreadRun> runs_;
  std::unordered_map<uint32_t, uint32_t> slots_;
  TargetHistory history_;
  std::vector<char> differences_;  // of the block that is finished
  EventColumns columns_;
};

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
