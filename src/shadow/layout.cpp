#include "shadow/layout.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"

namespace deadheat {
namespace {

// A base that is a multiple of a large power of two puts a program's line and its shadow lines into the same set of the
// cache; an odd number of lines, different in each plane, keeps them apart.
constexpr uint64_t skew(size_t plane) { return (2 * plane + 1) * 11 * kCacheLine; }
constexpr uint64_t kSkewRoom = 8 * kPage;
static_assert(skew(Layout::kMaxPlanes - 1) < kSkewRoom);

constexpr uint64_t round_down(uint64_t value) { return value & ~(kPage - 1); }
constexpr uint64_t round_up(uint64_t value) { return (value + kPage - 1) & ~(kPage - 1); }

uint64_t scaled(uint64_t address, int log2_scale) {
  return log2_scale >= 0 ? address << log2_scale : address >> -log2_scale;
}

// Inserts [begin, end) into the ascending zones, joining what touches. False if there are too many.
bool add_zone(Layout& layout, AddressRange added) {
  size_t kept = 0;
  for (size_t i = 0; i < layout.zone_count; ++i) {
    const AddressRange zone = layout.zones[i];
    if (added.begin <= zone.end && zone.begin <= added.end) {
      if (zone.begin < added.begin) added.begin = zone.begin;
      if (zone.end > added.end) added.end = zone.end;
    } else {
      layout.zones[kept++] = zone;
    }
  }
  if (kept == Layout::kMaxZones) return false;
  size_t at = kept;
  for (; at > 0 && layout.zones[at - 1].begin > added.begin; --at) layout.zones[at] = layout.zones[at - 1];
  layout.zones[at] = added;
  layout.zone_count = kept + 1;
  return true;
}

bool find_zones(Layout& layout, std::span<const AddressRange> map, const LayoutRequest& request, uint64_t room) {
  const AddressRange space = request.user_space;
  layout.zone_count = 0;
  if (request.extra_zone.size() != 0 && !add_zone(layout, request.extra_zone)) return false;
  for (const AddressRange mapping : map) {
    if (mapping.end <= space.begin || mapping.begin >= space.end) continue;
    AddressRange zone = space;
    if (mapping.begin > space.begin && mapping.begin - space.begin > room)
      zone.begin = round_down(mapping.begin - room);
    if (mapping.end < space.end && space.end - mapping.end > room) zone.end = round_up(mapping.end + room);
    if (!add_zone(layout, zone)) return false;
  }
  return true;
}

// The place of a masked zone's shadow for an unskewed base, with the room that the skew may need. Signed, so that a
// base which moves it out of the address space on either side shows as such.
struct Placed {
  int64_t begin;
  int64_t end;
};
Placed place(AddressRange zone, int log2_scale, int64_t base) {
  return {static_cast<int64_t>(round_down(scaled(zone.begin, log2_scale))) + base,
          static_cast<int64_t>(round_up(scaled(zone.end, log2_scale)) + kSkewRoom) + base};
}

bool overlap(Placed placed, AddressRange range) {
  return placed.begin < static_cast<int64_t>(range.end) && static_cast<int64_t>(range.begin) < placed.end;
}

class Search {
 public:
  Search(Layout& layout, AddressRange space) : layout_(layout), space_(space) {
    for (size_t i = 0; i < layout.zone_count; ++i) occupied_[occupied_count_++] = layout.zones[i];
  }

  // False if zones would share shadow under this mask, or one would be torn apart.
  bool use_mask(uint64_t mask) {
    layout_.mask = mask;
    for (size_t i = 0; i < layout_.zone_count; ++i) {
      const AddressRange zone = layout_.zones[i];
      if ((zone.begin & ~mask) != ((zone.end - 1) & ~mask)) return false;
      masked_[i] = {zone.begin & mask, ((zone.end - 1) & mask) + 1};
      for (size_t j = 0; j < i; ++j)
        if (masked_[i].overlaps(masked_[j])) return false;
    }
    return true;
  }

  bool find_base(size_t plane, int log2_scale) {
    for (size_t o = 0; o < occupied_count_; ++o) {
      for (size_t z = 0; z < layout_.zone_count; ++z) {
        const Placed unmoved = place(masked_[z], log2_scale, 0);
        for (const int64_t base : {static_cast<int64_t>(occupied_[o].begin) - unmoved.end,
                                   static_cast<int64_t>(occupied_[o].end) - unmoved.begin}) {
          if (!fits(log2_scale, base)) continue;
          take(plane, log2_scale, base);
          return true;
        }
      }
    }
    return false;
  }

 private:
  bool fits(int log2_scale, int64_t base) const {
    for (size_t z = 0; z < layout_.zone_count; ++z) {
      const Placed placed = place(masked_[z], log2_scale, base);
      if (placed.begin < static_cast<int64_t>(space_.begin) || placed.end > static_cast<int64_t>(space_.end))
        return false;
      for (size_t o = 0; o < occupied_count_; ++o)
        if (overlap(placed, occupied_[o])) return false;
    }
    return true;
  }

  void take(size_t plane, int log2_scale, int64_t base) {
    layout_.log2_scale[plane] = log2_scale;
    layout_.base[plane] = static_cast<uint64_t>(base) + skew(plane);
    for (size_t z = 0; z < layout_.zone_count; ++z) {
      const Placed placed = place(masked_[z], log2_scale, base);
      occupied_[occupied_count_++] = {static_cast<uint64_t>(placed.begin), static_cast<uint64_t>(placed.end)};
    }
  }

  Layout& layout_;
  AddressRange space_;
  AddressRange masked_[Layout::kMaxZones];
  AddressRange occupied_[Layout::kMaxZones * (1 + Layout::kMaxPlanes)];
  size_t occupied_count_ = 0;
};

bool find_bases(Layout& layout, const LayoutRequest& request, uint64_t mask) {
  Search search(layout, request.user_space);
  if (!search.use_mask(mask)) return false;
  layout.plane_count = 0;
  for (const PlaneShape plane : request.planes)
    if (!search.find_base(layout.plane_count++, plane.log2_scale)) return false;
  return true;
}

bool read_hex(std::string_view text, size_t& at, uint64_t& value) {
  const size_t begin = at;
  value = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) break;
    value = value << 4 | static_cast<uint64_t>(digit);
  }
  return at > begin;
}

void append_range(std::span<AddressRange> ranges, size_t& count, AddressRange range) {
  if (count > 0 && (ranges[count - 1].end == range.begin || count == ranges.size()))
    ranges[count - 1].end = range.end;
  else if (count < ranges.size())
    ranges[count++] = range;
}

// Not by syscall(), which the live run time intercepts.
long system_call(long number, long a, const void* b = nullptr, size_t c = 0) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}

}  // namespace

AddressRange Layout::shadow_pages(size_t plane, size_t zone) const {
  return {round_down(shadow(plane, zones[zone].begin)),
          round_up(shadow(plane, zones[zone].end - kPage) + scaled(kPage, log2_scale[plane]))};
}

bool Layout::covers(uint64_t address) const {
  for (size_t i = 0; i < zone_count; ++i)
    if (zones[i].contains(address)) return true;
  return false;
}

std::optional<Layout> choose_layout(std::span<const AddressRange> map, const LayoutRequest& request) {
  if (request.planes.size() > Layout::kMaxPlanes) return std::nullopt;
  for (uint64_t room = request.room; room >= request.least_room; room /= 2) {
    Layout layout;
    if (!find_zones(layout, map, request, room)) continue;
    layout.room = room;
    for (uint64_t mask = Layout::kNoMask; mask >= Layout::kNoMask >> 3; mask >>= 1)
      if (find_bases(layout, request, mask)) return layout;
  }
  return std::nullopt;
}

size_t parse_memory_map(std::string_view text, std::span<AddressRange> ranges, size_t& count, std::string_view except) {
  size_t used = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\n') continue;
    const std::string_view line = slice(text, used, at);
    used = at + 1;
    AddressRange range;
    size_t position = 0;
    if (!read_hex(line, position, range.begin) || position == line.size() || line[position++] != '-' ||
        !read_hex(line, position, range.end))
      continue;
    if (!ends_with(line, except)) append_range(ranges, count, range);
  }
  return used;
}

size_t read_memory_map(std::span<AddressRange> ranges) {
  const long file = system_call(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char buffer[8192];  // a line is at most a path and a hundred bytes
  size_t filled = 0, count = 0;
  for (;;) {
    const long got = system_call(SYS_read, file, buffer + filled, sizeof buffer - filled);
    if (got <= 0) break;
    filled += static_cast<size_t>(got);
    size_t used = parse_memory_map({buffer, filled}, ranges, count);
    if (used == 0 && filled == sizeof buffer) used = filled;  // no such line exists; do not stand still
    for (size_t i = used; i < filled; ++i) buffer[i - used] = buffer[i];
    filled -= used;
  }
  system_call(SYS_close, file);
  return count;
}

}  // namespace deadheat
