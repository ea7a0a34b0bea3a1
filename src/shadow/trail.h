// Trails: which event touched each element of a footprint, and from where in the code, exactly and in few bits.
//
// Events    A footprint that grows upwards (or downwards) touches its elements in order, so its event numbers ascend. As
//           long as they are equally spaced a first number and a distance say everything. When the distance changes,
//           the old one is written down, in as many bits as it needs: a Rice code whose parameter follows the mean, and
//           if the distance repeated, once more and then how often. A sweep that other threads interrupt now and then
//           costs a few bytes for each interruption, one that is interleaved at random with t threads about log2(t) + 2
//           bits an element.
// Locations A loop of several lines, or an unrolled one, comes by the same locations in the same order again and again:
//           each is the one that came `period` elements earlier. As long as that holds the period says everything. When
//           it does not, the stretch is written down (its period and length), and the next one begins with the period
//           that fits best; a location that did not come up lately is written down itself. At most 33 bits an element.
// AccessRun is written (one, growing, in each direction of a footprint), Trail is what it becomes when the footprint is
// committed: immutable, and found through the origin of a shadow state.
// Tested by test/rules/slimstate_test.cpp
#pragma once

#include <bit>

#include "base/arena.h"
#include "base/ids.h"
#include "shadow/strided_range.h"

namespace deadheat {

// ---- Bits ---------------------------------------------------------------------------------------------------------

// A chain of bits, in chunks that grow with it so that little is left unused.
struct BitChunk {
  BitChunk* next;
  uint32_t words;
  uint32_t used_bits;  // of this chunk
  uint64_t* data() { return reinterpret_cast<uint64_t*>(this + 1); }
  const uint64_t* data() const { return reinterpret_cast<const uint64_t*>(this + 1); }
  size_t bytes() const { return sizeof(BitChunk) + words * sizeof(uint64_t); }
  static size_t bytes(const BitChunk* first);
  static void release(Arena& arena, BitChunk* first);
};

class BitWriter {
 public:
  // The low bits of a word first; at most 32 bits at a time. A value may lie across two words but not across two
  // chunks.
  void put(Arena& arena, uint64_t value, unsigned bits);
  void put_gamma(Arena& arena, uint64_t value);  // Elias' gamma code; not for 0
  // Hands the chain over; empty afterwards.
  BitChunk* take();
  const BitChunk* bits() const { return first_; }

 private:
  void add_chunk(Arena& arena);

  BitChunk *first_ = nullptr, *tail_ = nullptr;
  uint32_t words_ = 0;  // of all chunks
};

class BitReader {
 public:
  explicit BitReader(const BitChunk* chunk) : chunk_(chunk) {}
  bool at_end();
  uint64_t get(unsigned bits);
  unsigned get_unary();
  uint64_t get_gamma();

 private:
  const BitChunk* chunk_;
  uint32_t at_ = 0;
};

// ---- Event numbers ------------------------------------------------------------------------------------------------

// What the writer and the reader of distances both know of those so far.
class DistanceModel {
 public:
  static constexpr unsigned kEscape = 24;  // a quotient this large: the distance follows in 64 bits

  unsigned rice_bits() const { return static_cast<unsigned>(std::bit_width(sixteen_means_ * 11 >> 8)); }
  void saw(uint64_t distance) { sixteen_means_ += (distance < kCap ? distance : kCap) - sixteen_means_ / 16; }

 private:
  static constexpr uint64_t kCap = 1 << 16;  // one long pause must not spoil the estimate for long
  uint64_t sixteen_means_ = 32;
};

class EventRun {
 public:
  uint32_t count() const { return count_; }
  uint64_t first() const { return first_; }
  uint64_t distance() const { return distance_; }  // the last one
  const BitChunk* bits() const { return bits_.bits(); }
  BitChunk* take_bits() { return bits_.take(); }

  void add(Arena& arena, uint64_t event) {
    const uint64_t distance = event - last_;
    last_ = event;
    ++count_;
    if (distance == distance_ && repeats_ > 0) [[likely]] {
      ++repeats_;
    } else if (count_ == 1) {
      first_ = event;
    } else {
      if (repeats_ > 0) write_down(arena);
      distance_ = distance;
      repeats_ = 1;
    }
  }
  // The same event `count` times.
  void add(Arena& arena, uint64_t event, uint32_t count) {
    add(arena, event);
    if (count == 1) return;
    add(arena, event);  // from now on the distance is 0
    repeats_ += count - 2;
    count_ += count - 2;
  }

 private:
  void write_down(Arena& arena);  // distance_ and its repeats
  void put_distance(Arena& arena, uint64_t distance);

  uint64_t first_ = 0, last_ = 0;
  uint64_t distance_ = 0;
  uint32_t repeats_ = 0;  // how often it came in a row; not yet written down
  uint32_t count_ = 0;
  BitWriter bits_;
  DistanceModel model_;
};

// Reads the distances of a run back.
class DistanceReader {
 public:
  DistanceReader(const BitChunk* bits, uint64_t last) : bits_(bits), final_(last) {}
  uint64_t next();

 private:
  uint64_t get_distance();

  BitReader bits_;
  uint64_t final_;  // the distance of all that is not written down
  bool is_first_ = true;
  uint64_t distance_ = 0;
  uint64_t repeats_ = 0;  // how often it comes again
  DistanceModel model_;
};

// ---- Locations ----------------------------------------------------------------------------------------------------

// The latest locations of a run. Before its first one there was nothing else than that one.
class RecentLocations {
 public:
  static constexpr unsigned kWindow = 32;  // the longest period
  static constexpr unsigned kPeriodBits = 5;

  explicit RecentLocations(LocationId first) {
    for (LocationId& location : ring_) location = first;
  }
  LocationId back(unsigned distance) const { return ring_[(next_ - distance) % kWindow]; }
  void push(LocationId location) { ring_[next_++ % kWindow] = location; }
  // The period with which `location` comes next, and which held for the longest time before; 0 if there is none.
  unsigned period_of(LocationId location) const;

 private:
  LocationId ring_[kWindow];
  uint32_t next_ = 0;
};

// The locations that were written down, and the period of the rest.
struct LocationCode {
  LocationId first = kNoLocation;
  uint32_t period = 1;
  BitChunk* bits = nullptr;

  bool is_one() const { return bits == nullptr && period == 1; }
};

class LocationRun {
 public:
  void add(Arena& arena, LocationId location) {
    if (location != first_ || pattern_ != nullptr) [[unlikely]]
      return add_slow(arena, location);
    ++count_;
  }
  void add(Arena& arena, LocationId location, uint32_t count) {
    for (; count > 0 && (location != first_ || pattern_ != nullptr); --count) add_slow(arena, location);
    count_ += count;
  }
  // The code of the run, which keeps owning its bits; or hands them over and is empty afterwards.
  LocationCode code() const;
  LocationCode take(Arena& arena);

 private:
  // From the second location on.
  struct Pattern {
    RecentLocations recent;
    uint32_t period;
    uint32_t length;  // of the stretch with this period, not yet written down
    BitWriter bits;
  };
  void add_slow(Arena& arena, LocationId location);
  static void write_down(Arena& arena, Pattern& pattern);

  LocationId first_ = kNoLocation;
  uint32_t count_ = 0;  // until there is a pattern
  Pattern* pattern_ = nullptr;
};

// Reads the locations of a run back.
class LocationReader {
 public:
  explicit LocationReader(const LocationCode& code) : bits_(code.bits), final_(code.period), recent_(code.first) {}
  LocationId next();

 private:
  BitReader bits_;
  uint32_t final_;  // the period of all that is not written down
  uint32_t period_ = 1;
  uint64_t length_ = 0;  // of the stretch that is being read
  RecentLocations recent_;
};

// ---- Both ---------------------------------------------------------------------------------------------------------

struct Trail {
  uint64_t first;
  uint64_t distance;  // of all events after those that `bits` tells
  BitChunk* bits;     // or null
  LocationCode locations;
  Trail* next;   // all trails of an array
  Trail* other;  // the part of the footprint that grew in the other direction, or null
  uint32_t origin, count;
  int32_t step;
  bool marked;  // still in use, as far as the collector has seen

  bool contains(uint32_t element) const {
    const int64_t away = int64_t{element} - origin;
    return away % step == 0 && away / step >= 0 && away / step < count;
  }
  uint32_t position(uint32_t element) const { return static_cast<uint32_t>((int64_t{element} - origin) / step); }
  // Whether any position can be told without reading the others.
  bool is_plain() const { return bits == nullptr && locations.is_one(); }
  size_t bytes() const { return sizeof(Trail) + BitChunk::bytes(bits) + BitChunk::bytes(locations.bits); }
  static void release(Arena& arena, Trail* trail);
  // Calls visit(event, location) in the order of positions.
  template <class Visit>
  void for_each(Visit visit) const;
};

class AccessRun {
 public:
  uint32_t count() const { return events_.count(); }
  uint64_t first() const { return events_.first(); }
  LocationId first_location() const { return locations_.code().first; }

  void add(Arena& arena, uint64_t event, LocationId location) {
    events_.add(arena, event);
    locations_.add(arena, location);
  }
  // The next `count` elements, at least one, all touched by one event.
  void add(Arena& arena, uint64_t event, LocationId location, uint32_t count) {
    events_.add(arena, event, count);
    locations_.add(arena, location, count);
  }
  // The trail of a run: element `origin` was touched first, then origin + step and so on. The run is empty afterwards.
  Trail* make_trail(Arena& arena, uint32_t origin, int32_t step);
  void clear(Arena& arena);

  // Calls visit(event, location) in order.
  template <class Visit>
  void for_each(Visit visit) const;

 private:
  EventRun events_;
  LocationRun locations_;
};

namespace internal {
template <class Visit>
void for_each_access(uint64_t first, uint64_t distance, const BitChunk* bits, uint32_t count,
                     const LocationCode& locations, Visit visit) {
  DistanceReader events(bits, distance);
  LocationReader location(locations);
  for (uint64_t event = first; count > 0; --count) {
    visit(event, location.next());
    if (count > 1) event += events.next();
  }
}
}  // namespace internal

template <class Visit>
void AccessRun::for_each(Visit visit) const {
  internal::for_each_access(events_.first(), events_.distance(), events_.bits(), count(), locations_.code(), visit);
}
template <class Visit>
void Trail::for_each(Visit visit) const {
  internal::for_each_access(first, distance, bits, count, locations, visit);
}

}  // namespace deadheat
