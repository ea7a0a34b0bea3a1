#include "shadow/trail.h"

#include <algorithm>

namespace deadheat {

// ---- Bits ---------------------------------------------------------------------------------------------------------

size_t BitChunk::bytes(const BitChunk* first) {
  size_t bytes = 0;
  for (; first != nullptr; first = first->next) bytes += first->bytes();
  return bytes;
}

void BitChunk::release(Arena& arena, BitChunk* first) {
  while (first != nullptr) {
    BitChunk* next = first->next;
    arena.free(first, first->bytes());
    first = next;
  }
}

void BitWriter::put(Arena& arena, uint64_t value, unsigned bits) {
  if (bits == 0) return;
  if (tail_ == nullptr || tail_->used_bits + bits > tail_->words * 64) add_chunk(arena);
  const uint32_t word = tail_->used_bits / 64, shift = tail_->used_bits % 64;
  uint64_t* data = tail_->data();
  data[word] |= value << shift;
  if (shift + bits > 64) data[word + 1] |= value >> (64 - shift);
  tail_->used_bits += bits;
}

void BitWriter::put_gamma(Arena& arena, uint64_t value) {
  const unsigned bits = static_cast<unsigned>(std::bit_width(value)) - 1;
  put(arena, uint64_t{1} << bits, bits + 1);
  put(arena, value & ((uint64_t{1} << bits) - 1), bits);
}

void BitWriter::add_chunk(Arena& arena) {
  const uint32_t words = std::clamp(words_ / 4 / 2 * 2, 6u, 510u);
  auto* chunk = static_cast<BitChunk*>(arena.allocate(sizeof(BitChunk) + words * sizeof(uint64_t)));
  *chunk = {nullptr, words, 0};
  std::fill_n(chunk->data(), words, 0);
  (first_ == nullptr ? first_ : tail_->next) = chunk;
  tail_ = chunk;
  words_ += words;
}

BitChunk* BitWriter::take() {
  BitChunk* taken = first_;
  *this = {};
  return taken;
}

// Goes on to the next chunk where one ends: nothing lies across two.
bool BitReader::at_end() {
  while (chunk_ != nullptr && at_ == chunk_->used_bits) {
    chunk_ = chunk_->next;
    at_ = 0;
  }
  return chunk_ == nullptr;
}

uint64_t BitReader::get(unsigned bits) {
  if (bits == 0 || at_end()) return 0;
  const uint32_t word = at_ / 64, shift = at_ % 64;
  uint64_t value = chunk_->data()[word] >> shift;
  if (shift + bits > 64) value |= chunk_->data()[word + 1] << (64 - shift);
  at_ += bits;
  return value & ((uint64_t{1} << bits) - 1);
}

unsigned BitReader::get_unary() {
  unsigned zeros = 0;
  while (get(1) == 0) ++zeros;
  return zeros;
}

uint64_t BitReader::get_gamma() {
  const unsigned bits = get_unary();
  return uint64_t{1} << bits | get(bits);
}

// ---- Event numbers ------------------------------------------------------------------------------------------------

// Once; if it repeated, once more and how often beyond that, plus one.
void EventRun::write_down(Arena& arena) {
  put_distance(arena, distance_);
  if (repeats_ == 1) return;
  put_distance(arena, distance_);
  const uint64_t more = repeats_ - 1;
  bits_.put_gamma(arena, more);
}

void EventRun::put_distance(Arena& arena, uint64_t distance) {
  const unsigned rice = model_.rice_bits();
  const uint64_t quotient = distance >> rice;
  if (quotient < DistanceModel::kEscape) {
    bits_.put(arena, uint64_t{1} << quotient, static_cast<unsigned>(quotient) + 1);
    bits_.put(arena, distance & ((uint64_t{1} << rice) - 1), rice);
  } else {
    bits_.put(arena, uint64_t{1} << DistanceModel::kEscape, DistanceModel::kEscape + 1);
    bits_.put(arena, distance & UINT32_MAX, 32);
    bits_.put(arena, distance >> 32, 32);
  }
  model_.saw(distance);
}

uint64_t DistanceReader::get_distance() {
  const unsigned rice = model_.rice_bits(), quotient = bits_.get_unary();
  uint64_t distance = 0;
  if (quotient < DistanceModel::kEscape) {
    distance = uint64_t{quotient} << rice | bits_.get(rice);
  } else {
    distance = bits_.get(32);
    distance |= bits_.get(32) << 32;
  }
  model_.saw(distance);
  return distance;
}

uint64_t DistanceReader::next() {
  if (repeats_ > 0) {
    --repeats_;
    return distance_;
  }
  if (bits_.at_end()) return final_;
  const uint64_t distance = get_distance();
  if (distance == distance_ && !is_first_) repeats_ = bits_.get_gamma() - 1;  // neighbours differ unless it repeats
  is_first_ = false;
  return distance_ = distance;
}

// ---- Locations ----------------------------------------------------------------------------------------------------

unsigned RecentLocations::period_of(LocationId location) const {
  unsigned best = 0, longest = 0;
  for (unsigned period = 1; period <= kWindow; ++period) {
    if (back(period) != location) continue;
    unsigned held = 1;
    while (period + held <= kWindow && back(held) == back(held + period)) ++held;
    if (held <= longest) continue;
    best = period;
    longest = held;
  }
  return best;
}

// A bit tells the two apart: a stretch, its period and its length; or a location itself.
void LocationRun::write_down(Arena& arena, Pattern& pattern) {
  if (pattern.length == 0) return;
  pattern.bits.put(arena, 0, 1);
  pattern.bits.put(arena, pattern.period - 1, RecentLocations::kPeriodBits);
  pattern.bits.put_gamma(arena, pattern.length);
}

void LocationRun::add_slow(Arena& arena, LocationId location) {
  if (count_ == 0) {
    first_ = location;
    count_ = 1;
    return;
  }
  if (pattern_ == nullptr) pattern_ = arena.make<Pattern>(Pattern{RecentLocations(first_), 1, count_, {}});
  Pattern& pattern = *pattern_;
  if (pattern.recent.back(pattern.period) == location) [[likely]] {
    ++pattern.length;
  } else {
    write_down(arena, pattern);
    pattern.period = pattern.recent.period_of(location);
    pattern.length = 1;
    if (pattern.period == 0) {
      pattern.bits.put(arena, 1, 1);
      pattern.bits.put(arena, index(location), 32);
      pattern.period = 1;
      pattern.length = 0;
    }
  }
  pattern.recent.push(location);
}

LocationCode LocationRun::code() const {
  if (pattern_ == nullptr) return {first_, 1, nullptr};
  return {first_, pattern_->period, const_cast<BitChunk*>(pattern_->bits.bits())};
}

LocationCode LocationRun::take(Arena& arena) {
  const LocationCode taken = code();
  if (pattern_ != nullptr) arena.destroy(pattern_);
  *this = {};
  return taken;
}

LocationId LocationReader::next() {
  LocationId location{};
  if (length_ == 0 && !bits_.at_end()) {
    if (bits_.get(1) != 0) {
      location = static_cast<LocationId>(bits_.get(32));
      recent_.push(location);
      return location;
    }
    period_ = static_cast<uint32_t>(bits_.get(RecentLocations::kPeriodBits)) + 1;
    length_ = bits_.get_gamma();
  }
  if (length_ > 0) {
    --length_;
    location = recent_.back(period_);
  } else {
    location = recent_.back(final_);
  }
  recent_.push(location);
  return location;
}

// ---- Both ---------------------------------------------------------------------------------------------------------

Trail* AccessRun::make_trail(Arena& arena, uint32_t origin, int32_t step) {
  const uint64_t first = events_.first(), distance = events_.distance();
  const uint32_t count = events_.count();
  Trail* trail = arena.make<Trail>(Trail{first, distance, events_.take_bits(), locations_.take(arena), nullptr, nullptr,
                                         origin, count, step, false});
  events_ = {};
  return trail;
}

void AccessRun::clear(Arena& arena) {
  BitChunk::release(arena, events_.take_bits());
  BitChunk::release(arena, locations_.take(arena).bits);
  events_ = {};
}

void Trail::release(Arena& arena, Trail* trail) {
  BitChunk::release(arena, trail->bits);
  BitChunk::release(arena, trail->locations.bits);
  arena.destroy(trail);
}

}  // namespace deadheat
