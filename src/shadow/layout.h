// Where the shadow lies: shadow = scaled (address & mask) + base, a mask and a base per plane chosen at process start.
//
// Idea      The mappings at start tell where the program will live: every mapping, with room around it to grow into, is
//           a zone, and zones that touch are one. The planes lie at multiples of one distance s from the zone where new
//           mappings go (its row). So no two planes overlap if no two zones overlap modulo s, and addresses that are
//           free modulo s can get a shadow in all planes later. The largest such place in the row is the reservation:
//           room for one mapping that needs half of what all planes together have. Zones at both ends of the address
//           space would force the planes into the space between; the mask drops high bits and so brings the zones close
//           together. `choose_layout` tries many masks and distances and takes the one with the largest reservation.
// Promises  The choice is a pure function of the memory map. It succeeds for every layout that Linux on x86-64 makes
//           with 28 or 32 random bits, without randomisation, for position-dependent programs and for the legacy
//           (bottom-up) order; where the room asked for does not fit, half of it is tried, down to `least_room`. With
//           sixteen whole planes the reservation has more than 4 TiB unless 32 random bits put the zones badly.
//           Mappings outside all zones have no shadow: `covers` tells.
// Cost      About a millisecond for 17 planes; no heap.
// Tested by test/unit/layout_test.cpp
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace deadheat {

struct AddressRange {
  uint64_t begin = 0;
  uint64_t end = 0;

  constexpr uint64_t size() const { return end - begin; }
  constexpr bool contains(uint64_t address) const { return address >= begin && address < end; }
  constexpr bool overlaps(AddressRange other) const { return begin < other.end && other.begin < end; }
  friend constexpr bool operator==(AddressRange, AddressRange) = default;
};

// One plane: 2^log2_scale bytes of shadow for each byte of the program. 0 is one for one, -2 one for four.
struct PlaneShape {
  int log2_scale = 0;
};

inline constexpr uint64_t kTebibyte = uint64_t{1} << 40;
inline constexpr uint64_t kGibibyte = uint64_t{1} << 30;
inline constexpr uint64_t kCacheLine = 64;
inline constexpr uint64_t kPage = 4096;

struct LayoutRequest {
  std::span<const PlaneShape> planes;
  uint64_t room = 64 * kGibibyte;  // around each mapping, for heap and mappings to come
  uint64_t least_room = kGibibyte;
  AddressRange user_space = {0x10000, 0x7ffffffff000};  // vm.mmap_min_addr to the end of 47 bits
  // A zone besides those of the map, such as the low 4 GiB for what MAP_32BIT will give.
  AddressRange extra_zone = {};
  uint64_t new_mapping = 0;  // where the system puts one now; 0: in the highest zone
  bool grows_up = false;     // the next one goes above it
};

struct Layout {
  static constexpr size_t kMaxZones = 12;
  static constexpr size_t kMaxPlanes = 20;

  AddressRange zones[kMaxZones];  // ascending, disjoint, page-aligned
  size_t zone_count = 0;
  uint64_t mask = 0;
  int log2_scale[kMaxPlanes] = {};
  uint64_t base[kMaxPlanes] = {};  // added modulo 2^64, so it may stand for a negative number
  size_t plane_count = 0;
  uint64_t room = 0;  // what was granted

  bool grows_up = false;
  AddressRange reservation;  // in no zone; all planes have a place for its shadow
  // The other parts of its row. For some there is a place, too; others have the shadow of a zone elsewhere.
  AddressRange beside[2 * kMaxZones];
  size_t beside_count = 0;

  uint64_t shadow(size_t plane, uint64_t address) const {
    const int scale = log2_scale[plane];
    const uint64_t masked = address & mask;
    return (scale >= 0 ? masked << scale : masked >> -scale) + base[plane];
  }
  // The lowest bit that the mask drops, or one above all addresses: between two multiples of it the shadow is in one piece.
  uint64_t window() const { return ~mask & (mask + 1); }
  bool in_one_window(AddressRange range) const { return range.begin / window() == (range.end - 1) / window(); }
  // The pages to reserve for the shadow of a range of whole pages in one plane.
  AddressRange shadow_pages(size_t plane, AddressRange range) const;
  bool covers(uint64_t address) const;
};

// `map` is what is mapped now, in any order. None if not even `least_room` fits, or if the map has more separate parts
// than there are zones.
std::optional<Layout> choose_layout(std::span<const AddressRange> map, const LayoutRequest& request);

// Reads lines of /proc/PID/maps out of `text`, appends their ranges to `ranges`, and returns how many bytes were used
// up: all whole lines. Ranges that touch are joined; when `ranges` is full the last one is stretched over what follows,
// which says more than is true but never less. Lines that end in `except` (a name in brackets) are left out.
size_t parse_memory_map(std::string_view text, std::span<AddressRange> ranges, size_t& count,
                        std::string_view except = "[vsyscall]");

// The memory map of this process, by system calls of our own. Returns the number of ranges; 0 if /proc cannot be read.
size_t read_memory_map(std::span<AddressRange> ranges);

}  // namespace deadheat
