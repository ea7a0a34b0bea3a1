// Trails: the number of the event that touched each element of a footprint, exactly and in few bits.
//
// Idea     A footprint that grows upwards (or downwards) touches its elements in order, so its event numbers ascend. As
//          long as they are equally spaced a first number and a distance say everything. When the distance changes, the
//          old one is written down, in as many bits as it needs: a Rice code whose parameter follows the mean, and if
//          the distance repeated, once more and then how often. A sweep that other threads interrupt now and then costs
//          a few bytes for each interruption, one that is interleaved at random with t threads about log2(t) + 2 bits
//          an element.
// EventRun is written (one, growing, in each direction of a footprint), Trail is what it becomes when the footprint is
// committed: immutable, and found through the origin of a shadow state.
// Tested by test/rules/slimstate_test.cpp
#pragma once

#include <bit>

#include "base/arena.h"
#include "shadow/strided_range.h"

namespace deadheat {

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

// A chain of bits, in chunks that grow with it so that little is left unused.
struct BitChunk {
  BitChunk* next;
  uint32_t words;
  uint32_t used_bits;  // of this chunk
  uint64_t* data() { return reinterpret_cast<uint64_t*>(this + 1); }
  const uint64_t* data() const { return reinterpret_cast<const uint64_t*>(this + 1); }
  size_t bytes() const { return sizeof(BitChunk) + words * sizeof(uint64_t); }
  static size_t release(Arena& arena, BitChunk* first);  // the bytes given back
};

struct Trail;

class EventRun {
 public:
  uint32_t count() const { return count_; }
  uint64_t first() const { return first_; }

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
  // The trail of a run: element `origin` was touched first, then origin + step and so on. The run is empty afterwards.
  Trail* make_trail(Arena& arena, uint32_t origin, int32_t step);
  void clear(Arena& arena);

  // Calls visit(event) in order.
  template <class Visit>
  void for_each(Visit visit) const;

 private:
  void write_down(Arena& arena);  // distance_ and its repeats
  void put_distance(Arena& arena, uint64_t distance);
  void put(Arena& arena, uint64_t value, unsigned bits);
  void add_chunk(Arena& arena);

  uint64_t first_ = 0, last_ = 0;
  uint64_t distance_ = 0;  // the last one
  uint32_t repeats_ = 0;   // how often it came in a row; not yet written down
  uint32_t count_ = 0;
  uint32_t words_ = 0;  // of all chunks
  BitChunk* bits_ = nullptr;
  BitChunk* tail_ = nullptr;
  DistanceModel model_;
};

struct Trail {
  uint64_t first;
  uint64_t distance;  // of all events after those that `bits` tells
  BitChunk* bits;     // or null
  Trail* next;        // all trails of an array
  Trail* other;       // the part of the footprint that grew in the other direction, or null
  uint32_t origin, count;
  int32_t step;
  bool marked;  // still in use, as far as the collector has seen

  bool contains(uint32_t element) const {
    const int64_t away = int64_t{element} - origin;
    return away % step == 0 && away / step >= 0 && away / step < count;
  }
  uint32_t position(uint32_t element) const { return static_cast<uint32_t>((int64_t{element} - origin) / step); }
  // Calls visit(event) in the order of positions.
  template <class Visit>
  void for_each(Visit visit) const;
};

// Reads the distances of a run back.
class DistanceReader {
 public:
  DistanceReader(const BitChunk* chunk, uint64_t last) : chunk_(chunk), final_(last) {}
  uint64_t next();

 private:
  bool at_end();
  uint64_t get(unsigned bits);
  unsigned get_unary();
  uint64_t get_distance();

  const BitChunk* chunk_;
  uint64_t final_;  // the distance of all that is not written down
  uint32_t at_ = 0;
  bool is_first_ = true;
  uint64_t distance_ = 0;
  uint64_t repeats_ = 0;  // how often it comes again
  DistanceModel model_;
};

namespace internal {
template <class Visit>
void for_each_event(uint64_t first, uint64_t distance, const BitChunk* bits, uint32_t count, Visit visit) {
  DistanceReader reader(bits, distance);
  for (uint64_t event = first; count > 0; --count) {
    visit(event);
    if (count > 1) event += reader.next();
  }
}
}  // namespace internal

template <class Visit>
void EventRun::for_each(Visit visit) const {
  internal::for_each_event(first_, distance_, bits_, count_, visit);
}
template <class Visit>
void Trail::for_each(Visit visit) const {
  internal::for_each_event(first, distance, bits, count, visit);
}

}  // namespace deadheat
