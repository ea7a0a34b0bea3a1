// The frame of a binary trace: a magic, a version, and typed blocks one after the other.
//
//   file   = magic (8 bytes)  version (u32)  reserved (u32, 0)  block*
//   block  = header (48 bytes)  payload (stored_size bytes)
//
// All numbers are little-endian. Block types that a reader does not know are skipped. The contents of the two types it
// must know are in event_block.h and names_block.h; docs/trace-format.md describes everything for other programs.
//
// Promises Nothing in a header makes the reader allocate more than kMaxRawBytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace deadheat {

// A byte that no text begins with, the name, and line ends that a transfer as text would change.
inline constexpr std::string_view kBinaryMagic =
    "\x89"
    "DHT\r\n\x1a\n";
inline constexpr uint32_t kBinaryVersion = 1;
inline constexpr size_t kFileHeadBytes = 16;

inline constexpr std::string_view kBlockMarker =
    "\xB1"
    "dhb";
inline constexpr size_t kBlockHeaderBytes = 48;
inline constexpr uint32_t kMaxRawBytes = 4u << 20;  // payload of an event or names block, uncompressed
inline constexpr uint32_t kMaxBlockEvents = 1u << 16;

enum class BlockType : uint16_t {
  kNames = 1,   // names that later events refer to
  kEvents = 2,  // events
  kRun = 4,     // what a recorded trace knows of its program (run_info.h)
  kEnd = 3,     // the file is complete; `first_event` is the number of events
};

inline constexpr uint16_t kFlagZstd = 1;  // the payload is one zstd frame

//   0      4     6      8            16     20           24        28       32                40               48
//  +------+-----+------+------------+------+------------+---------+--------+-----------------+----------------+
//  |marker|type |flags |first_event |count |stored_size |raw_size |0       |payload_checksum |header_checksum |
//  +------+-----+------+------------+------+------------+---------+--------+-----------------+----------------+
struct BlockHeader {
  uint16_t type = 0;
  uint16_t flags = 0;
  uint64_t first_event = 0;       // number of the first event in the block (of the next one, if it has none)
  uint32_t count = 0;             // events or names
  uint32_t stored_size = 0;       // of the payload in the file
  uint32_t raw_size = 0;          // of the payload uncompressed
  uint64_t payload_checksum = 0;  // XXH3 (64 bits) of the stored payload
};

// Appends the 48 bytes, with marker and header checksum.
void append_header(std::string& out, const BlockHeader& header);
// False if these 48 bytes are not a header that was written by `append_header`.
bool parse_header(std::string_view bytes, BlockHeader& header);

uint64_t checksum_of(std::string_view bytes);

// Numbers in payloads: 7 bits a byte, low ones first, the high bit says that more follow.
void append_varint(std::string& out, uint64_t value);

// Reads a payload from front to back. After a number that is not there `ok` is false and stays so; the value is 0.
class PayloadCursor {
 public:
  explicit PayloadCursor(std::string_view bytes) : bytes_(bytes) {}
  uint64_t varint();
  uint8_t byte();
  std::string_view take(uint64_t size);
  std::string_view rest() const { return bytes_; }
  bool ok() const { return ok_; }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace deadheat
