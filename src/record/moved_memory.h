// Memory that moves (mremap) and keeps its history: the name under which a trace speaks of the bytes at an address.
//
// Idea     Bytes keep the address that they had first as their name, wherever they move. A move exchanges the names of
//          the two places: the bytes that arrive bring theirs along, and what is mapped at the old place later gets the
//          names of the bytes that were thrown away. So every byte has one name, and no detector has to know of moves.
// State    Ranges whose name is not their address, by address. Without a move there are none.
// Tested by test/unit/moved_memory_test.cpp, test/live_oracle
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace deadheat::record {

class MovedMemory {
 public:
  bool empty() const { return ranges_.empty(); }

  // Calls visit(address, bytes, name) for the parts of a range whose names follow each other, in order. A range of no
  // bytes is one part.
  template <class Visit>
  void each(uint64_t address, uint64_t bytes, Visit visit) const {
    const uint64_t end = address + bytes;
    do {
      const auto after = ranges_.upper_bound(address);
      const bool is_in = after != ranges_.begin() && address - std::prev(after)->first < std::prev(after)->second.bytes;
      uint64_t part_end = end, name = address;
      if (is_in) {
        const auto& [begin, range] = *std::prev(after);
        part_end = std::min(part_end, begin + range.bytes);
        name = range.name + (address - begin);
      } else if (after != ranges_.end()) {
        part_end = std::min(part_end, after->first);
      }
      visit(address, part_end - address, name);
      address = part_end;
    } while (address < end);
  }

  uint64_t name_of(uint64_t address) const {
    uint64_t found = address;
    if (!empty()) each(address, 1, [&found](uint64_t, uint64_t, uint64_t name) { found = name; });
    return found;
  }

  // The two ranges do not overlap.
  void move(uint64_t from, uint64_t to, uint64_t bytes) {
    std::vector<Part> arriving = take(from, bytes), leaving = take(to, bytes);
    for (const Part& part : arriving) put(to + part.offset, part);
    for (const Part& part : leaving) put(from + part.offset, part);
  }

 private:
  struct Range {
    uint64_t bytes, name;
  };
  struct Part {
    uint64_t offset, bytes, name;
  };

  // The parts of a range, which is no part of `ranges_` any more.
  std::vector<Part> take(uint64_t begin, uint64_t bytes) {
    const uint64_t end = begin + bytes;
    std::vector<Part> parts;
    each(begin, bytes,
         [&](uint64_t address, uint64_t size, uint64_t name) { parts.push_back({address - begin, size, name}); });
    cut(begin);
    cut(end);
    ranges_.erase(ranges_.lower_bound(begin), ranges_.lower_bound(end));
    return parts;
  }

  // No range goes across this address.
  void cut(uint64_t address) {
    const auto after = ranges_.lower_bound(address);
    if (after == ranges_.begin()) return;
    auto& [begin, range] = *std::prev(after);
    const uint64_t first = address - begin;
    if (first >= range.bytes) return;
    ranges_.emplace_hint(after, address, Range{range.bytes - first, range.name + first});
    range.bytes = first;
  }

  void put(uint64_t address, const Part& part) {
    if (part.name == address) return;
    const auto after = ranges_.lower_bound(address);
    if (after != ranges_.begin()) {
      auto& [begin, range] = *std::prev(after);
      if (begin + range.bytes == address && range.name + range.bytes == part.name) {
        range.bytes += part.bytes;
        return;
      }
    }
    ranges_.emplace_hint(after, address, Range{part.bytes, part.name});
  }

  std::map<uint64_t, Range> ranges_;
};

}  // namespace deadheat::record
