#include "runtime/told.h"

namespace deadheat::live {
namespace {

// Keys of what was reported: open addressing, never emptied; when full everything new is reported.
constexpr uint32_t kKeys = 1u << 14;
uint64_t keys[kKeys];
uint32_t key_count;

// A place in the source: unrolled and inlined copies of one line are one bug.
uint64_t place_key(const ReportFrame& f, uint64_t hash) {
  const auto mix = [&hash](const char* text) {
    for (; text != nullptr && *text != 0; ++text) hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3u;
  };
  mix(f.function);
  mix(f.file);
  hash = (hash ^ static_cast<uint64_t>(f.line)) * 0x9e3779b97f4a7c15u;
  return f.file == nullptr ? hash ^ f.offset : hash;
}

}  // namespace

bool first_time(uint64_t key) {
  if (key == 0) key = 1;
  if (key_count > kKeys * 3 / 4) return true;
  for (uint32_t i = static_cast<uint32_t>((key * 0x9e3779b97f4a7c15u) >> 50);; i = (i + 1) & (kKeys - 1)) {
    if (keys[i] == key) return false;
    if (keys[i] != 0) continue;
    keys[i] = key;
    ++key_count;
    return true;
  }
}

uint64_t place_key(const Side& side) {
  const uint64_t hash = static_cast<uint64_t>(is_write(side.kind)) + 17;
  return side.stack.count == 0 ? hash : place_key(side.stack.frames[0], hash);
}
uint64_t place_key(const Location& location, uint64_t object) {
  if (location.kind != Location::kHeap) return object;
  uint64_t hash = 1;
  for (unsigned i = 0; i < location.stack.count; ++i) hash = place_key(location.stack.frames[i], hash);
  return hash;
}
uint64_t pair_key(uint64_t a, uint64_t b, uint64_t object) {
  const uint64_t low = a < b ? a : b, high = a < b ? b : a;
  return ((low * 0xff51afd7ed558ccdu ^ high) * 0xc4ceb9fe1a85ec53u ^ object) * 0xff51afd7ed558ccdu;
}

bool told_of_address(const Side (&sides)[2], uintptr_t address) {
  const bool first = first_time(pair_key(sides[0].top, ~address));
  return (sides[0].top == sides[1].top ? !first : !first_time(pair_key(sides[1].top, ~address)) || !first);
}

}  // namespace deadheat::live
