// Trails: the number of the event that touched each element of a footprint, exactly and in few bits.
//
// Idea     A footprint that grows upwards (or downwards) touches its elements in order, so its event numbers ascend. As
//          long as they are equally spaced a first number and a distance say everything. From the first irregular one
//          on the distances are written down, each in as many bits as it needs: a distance that has just repeated
//          costs one bit, any other a Rice code whose parameter follows the mean. A sweep that other threads interrupt
//          now and then costs about one bit an element, one that is interleaved at random with t threads about
//          log2(t) + 2.
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

  bool repeats() const { return repeats_; }
  uint64_t last() const { return last_; }
  unsigned rice_bits() const { return static_cast<unsigned>(std::bit_width(sixteen_means_ * 11 >> 8)); }
  void saw(uint64_t distance) {
    repeats_ = distance == last_;
    last_ = distance;
    sixteen_means_ += (distance < kCap ? distance : kCap) - sixteen_means_ / 16;
  }

 private:
  static constexpr uint64_t kCap = 1 << 16;  // one long pause must not spoil the estimate for long
  uint64_t sixteen_means_ = 32;
  uint64_t last_ = 0;
  bool repeats_ = false;
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
    if (count_ >= 2) {
      const uint64_t distance = event - last_;
      if (bits_ == nullptr && distance != distance_) [[unlikely]]
        write_down(arena);
      if (bits_ != nullptr) put_distance(arena, distance);
    } else if (count_ == 1) {
      distance_ = event - first_;
    } else {
      first_ = event;
    }
    last_ = event;
    ++count_;
  }
  // The trail of a run: element `origin` was touched first, then origin + step and so on. The run is empty afterwards.
  Trail* make_trail(Arena& arena, uint32_t origin, int32_t step);
  void clear(Arena& arena);

  // Calls visit(event) in order.
  template <class Visit>
  void for_each(Visit visit) const;

 private:
  void write_down(Arena& arena);
  void put_distance(Arena& arena, uint64_t distance);
  void put(Arena& arena, uint64_t value, unsigned bits);
  void add_chunk(Arena& arena);

  uint64_t first_ = 0, last_ = 0;
  uint64_t distance_ = 0;  // while bits_ is null
  uint32_t count_ = 0;
  uint32_t words_ = 0;  // of all chunks
  BitChunk* bits_ = nullptr;
  BitChunk* tail_ = nullptr;
  DistanceModel model_;
};

struct Trail {
  uint64_t first;
  uint64_t distance;  // if bits is null
  BitChunk* bits;
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
  // Calls visit(event) in the order of positions.
  template <class Visit>
  void for_each(Visit visit) const;
};

// Reads the distances of a run back.
class DistanceReader {
 public:
  explicit DistanceReader(const BitChunk* chunk) : chunk_(chunk) {}
  uint64_t next();

 private:
  uint64_t get(unsigned bits);

  const BitChunk* chunk_;
  uint32_t at_ = 0;
  DistanceModel model_;
};

namespace internal {
template <class Visit>
void for_each_event(uint64_t first, uint64_t distance, const BitChunk* bits, uint32_t count, Visit visit) {
  DistanceReader reader(bits);
  for (uint64_t event = first; count > 0; --count) {
    visit(event);
    if (count > 1) event += bits == nullptr ? distance : reader.next();
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
