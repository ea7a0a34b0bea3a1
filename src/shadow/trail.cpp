#include "shadow/trail.h"

#include <algorithm>

namespace deadheat {

size_t BitChunk::release(Arena& arena, BitChunk* first) {
  size_t bytes = 0;
  while (first != nullptr) {
    BitChunk* next = first->next;
    bytes += first->bytes();
    arena.free(first, first->bytes());
    first = next;
  }
  return bytes;
}

// ---- Writing ------------------------------------------------------------------------------------------------------

// Once; if it repeated, once more and how often beyond that, plus one, in Elias' gamma code.
void EventRun::write_down(Arena& arena) {
  if (bits_ == nullptr) add_chunk(arena);
  put_distance(arena, distance_);
  if (repeats_ == 1) return;
  put_distance(arena, distance_);
  const uint64_t more = repeats_ - 1;
  const unsigned bits = static_cast<unsigned>(std::bit_width(more)) - 1;
  put(arena, uint64_t{1} << bits, bits + 1);
  put(arena, more & ((uint64_t{1} << bits) - 1), bits);
}

void EventRun::put_distance(Arena& arena, uint64_t distance) {
  const unsigned rice = model_.rice_bits();
  const uint64_t quotient = distance >> rice;
  if (quotient < DistanceModel::kEscape) {
    put(arena, uint64_t{1} << quotient, static_cast<unsigned>(quotient) + 1);
    put(arena, distance & ((uint64_t{1} << rice) - 1), rice);
  } else {
    put(arena, uint64_t{1} << DistanceModel::kEscape, DistanceModel::kEscape + 1);
    put(arena, distance & UINT32_MAX, 32);
    put(arena, distance >> 32, 32);
  }
  model_.saw(distance);
}

// The low bits of a word first; at most 32 bits at a time. A value may lie across two words but not across two chunks.
void EventRun::put(Arena& arena, uint64_t value, unsigned bits) {
  if (bits == 0) return;
  if (tail_->used_bits + bits > tail_->words * 64) add_chunk(arena);
  const uint32_t word = tail_->used_bits / 64, shift = tail_->used_bits % 64;
  uint64_t* data = tail_->data();
  data[word] |= value << shift;
  if (shift + bits > 64) data[word + 1] |= value >> (64 - shift);
  tail_->used_bits += bits;
}

void EventRun::add_chunk(Arena& arena) {
  const uint32_t words = std::clamp(words_ / 4 / 2 * 2, 6u, 510u);
  auto* chunk = static_cast<BitChunk*>(arena.allocate(sizeof(BitChunk) + words * sizeof(uint64_t)));
  *chunk = {nullptr, words, 0};
  std::fill_n(chunk->data(), words, 0);
  (bits_ == nullptr ? bits_ : tail_->next) = chunk;
  tail_ = chunk;
  words_ += words;
}

Trail* EventRun::make_trail(Arena& arena, uint32_t origin, int32_t step) {
  Trail* trail = arena.make<Trail>(Trail{first_, distance_, bits_, nullptr, nullptr, origin, count_, step, false});
  bits_ = nullptr;
  clear(arena);
  return trail;
}

void EventRun::clear(Arena& arena) {
  BitChunk::release(arena, bits_);
  *this = {};
}

// ---- Reading ------------------------------------------------------------------------------------------------------

// Goes on to the next chunk where one ends: nothing lies across two.
bool DistanceReader::at_end() {
  while (chunk_ != nullptr && at_ == chunk_->used_bits) {
    chunk_ = chunk_->next;
    at_ = 0;
  }
  return chunk_ == nullptr;
}

uint64_t DistanceReader::get(unsigned bits) {
  if (bits == 0 || at_end()) return 0;
  const uint32_t word = at_ / 64, shift = at_ % 64;
  uint64_t value = chunk_->data()[word] >> shift;
  if (shift + bits > 64) value |= chunk_->data()[word + 1] << (64 - shift);
  at_ += bits;
  return value & ((uint64_t{1} << bits) - 1);
}

unsigned DistanceReader::get_unary() {
  unsigned zeros = 0;
  while (get(1) == 0) ++zeros;
  return zeros;
}

uint64_t DistanceReader::get_distance() {
  const unsigned rice = model_.rice_bits(), quotient = get_unary();
  uint64_t distance = 0;
  if (quotient < DistanceModel::kEscape) {
    distance = uint64_t{quotient} << rice | get(rice);
  } else {
    distance = get(32);
    distance |= get(32) << 32;
  }
  model_.saw(distance);
  return distance;
}

uint64_t DistanceReader::next() {
  if (repeats_ > 0) {
    --repeats_;
    return distance_;
  }
  if (at_end()) return final_;
  const uint64_t distance = get_distance();
  if (distance == distance_ && !is_first_) {  // neighbours differ unless it repeats
    const unsigned bits = get_unary();
    repeats_ = (uint64_t{1} << bits | get(bits)) - 1;
  }
  is_first_ = false;
  return distance_ = distance;
}

}  // namespace deadheat
