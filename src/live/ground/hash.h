// Hashes: where a key goes in a table, and one number for several.
//
// spread<n>  One multiplication by 2^64 divided by the golden ratio. Keys that differ in few bits, as addresses do,
//            land far apart; the upper n bits are the good ones. For tables whose keys are compared afterwards.
// mix        Every bit of each number counts in every bit of the result. For numbers that stand for their parts, where
//            nobody compares the parts again (what was told, the two ends of a connection).
#pragma once

#include <cstddef>
#include <cstdint>

namespace deadheat::live {

inline constexpr uint64_t kGolden = 0x9e3779b97f4a7c15u;

template <unsigned kBits>
constexpr uint64_t spread(uint64_t key) {
  return key * kGolden >> (64 - kBits);
}
// The same for 32 bits, where a multiplication of half the width is what a hot path has.
constexpr uint32_t spread32(uint32_t key) { return key * 0x9e3779b1u; }

constexpr uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t h = (a ^ b * 0xff51afd7ed558ccdu) + kGolden;
  h = (h ^ h >> 32) * 0xc4ceb9fe1a85ec53u;
  return h ^ h >> 29;
}
inline uint64_t mix_bytes(uint64_t hash, const void* data, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) hash = mix(hash, static_cast<const unsigned char*>(data)[i]);
  return hash;
}

}  // namespace deadheat::live
