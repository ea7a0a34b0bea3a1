#include "event/binary_format.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bit>
#include <cstring>

namespace deadheat {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");

namespace {

template <class T>
void put(char* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

template <class T>
T get(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

}  // namespace

uint64_t checksum_of(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

void append_header(std::string& out, const BlockHeader& header) {
  char bytes[kBlockHeaderBytes] = {};
  std::memcpy(bytes, kBlockMarker.data(), kBlockMarker.size());
  put(bytes + 4, header.type);
  put(bytes + 6, header.flags);
  put(bytes + 8, header.first_event);
  put(bytes + 16, header.count);
  put(bytes + 20, header.stored_size);
  put(bytes + 24, header.raw_size);
  put(bytes + 32, header.payload_checksum);
  put(bytes + 40, checksum_of({bytes, 40}));
  out.append(bytes, sizeof bytes);
}

bool parse_header(std::string_view bytes, BlockHeader& header) {
  if (bytes.size() < kBlockHeaderBytes || !bytes.starts_with(kBlockMarker)) return false;
  if (get<uint64_t>(bytes.data() + 40) != checksum_of(bytes.substr(0, 40))) return false;
  header.type = get<uint16_t>(bytes.data() + 4);
  header.flags = get<uint16_t>(bytes.data() + 6);
  header.first_event = get<uint64_t>(bytes.data() + 8);
  header.count = get<uint32_t>(bytes.data() + 16);
  header.stored_size = get<uint32_t>(bytes.data() + 20);
  header.raw_size = get<uint32_t>(bytes.data() + 24);
  header.payload_checksum = get<uint64_t>(bytes.data() + 32);
  return true;
}

void append_varint(std::string& out, uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

uint64_t PayloadCursor::varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (bytes_.empty()) break;
    const auto b = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    if (shift == 63 && b > 1) break;  // beyond 64 bits
    value |= uint64_t{b & 0x7fu} << shift;
    if (b < 0x80) return value;
  }
  bytes_ = {};
  ok_ = false;
  return 0;
}

uint8_t PayloadCursor::byte() {
  const std::string_view one = take(1);
  return one.empty() ? uint8_t{0} : static_cast<uint8_t>(one[0]);
}

std::string_view PayloadCursor::take(uint64_t size) {
  if (size > bytes_.size()) {
    bytes_ = {};
    ok_ = false;
    return {};
  }
  const std::string_view taken = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  return taken;
}

}  // namespace deadheat
