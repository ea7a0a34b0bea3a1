// The payload of a names block: the names that came up since the last one, table by table.
//
//   payload = (table (byte)  first id (varint)  count (varint)  (length (varint) bytes)*)*
//
// Ids are not written: they count up from the first. Objects come before variables, so that reading a variable's name
// finds its object where the writer had it.
//
// Promises Reading accepts any bytes; what it adds to the tables are names that a text trace could hold, each one
//          once, and it needs no more memory than a few times the payload.
// Tested by test/unit/binary_trace_test.cpp, test/fuzz
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "event/names.h"

namespace deadheat {

inline constexpr size_t kNameTables = 9;

// Remembers how far each table has been written.
class NamesBlockEncoder {
 public:
  // Appends names that were not written yet, about `most_bytes` of them; returns how many.
  uint32_t encode(const Names& names, size_t most_bytes, std::string& out);

 private:
  std::array<size_t, kNameTables> written_{};
};

// Adds the names of a payload to `names`. Returns what is wrong with it, or nullptr; names before the mistake stay.
const char* decode_names(std::string_view payload, uint32_t count, Names& names);

}  // namespace deadheat
