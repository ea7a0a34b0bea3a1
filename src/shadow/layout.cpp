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

// A place that a search tries: signed, so that a base which moves it out of the address space shows as such.
struct Place {
  int64_t begin;
  int64_t end;

  int64_t size() const { return end - begin; }
  Place moved(int64_t by) const { return {begin + by, end + by}; }
  bool overlaps(Place other) const { return begin < other.end && other.begin < end; }
  bool within(Place other) const { return begin >= other.begin && end <= other.end; }
  Place clipped(Place to) const { return {begin < to.begin ? to.begin : begin, end > to.end ? to.end : end}; }
};
Place place_of(AddressRange range) { return {static_cast<int64_t>(range.begin), static_cast<int64_t>(range.end)}; }
AddressRange range_of(Place place) { return {static_cast<uint64_t>(place.begin), static_cast<uint64_t>(place.end)}; }
// With the pages that the skew may move the end of a shadow into.
Place with_skew(Place place) { return {place.begin, place.end + static_cast<int64_t>(kSkewRoom)}; }

// Places that are taken: ascending, those that touch are one.
class Taken {
 public:
  void add(Place added) {
    size_t kept = 0;
    for (size_t i = 0; i < count_; ++i) {
      if (places_[i].begin <= added.end && added.begin <= places_[i].end) {
        if (places_[i].begin < added.begin) added.begin = places_[i].begin;
        if (places_[i].end > added.end) added.end = places_[i].end;
      } else {
        places_[kept++] = places_[i];
      }
    }
    places_[kept] = added;
    count_ = kept + 1;
  }
  bool has(Place place) const {
    for (size_t i = 0; i < count_; ++i)
      if (places_[i].overlaps(place)) return true;
    return false;
  }
  std::span<const Place> all() const { return {places_, count_}; }

 private:
  Place places_[(3 * Layout::kMaxZones + 1) * (Layout::kMaxPlanes + 1)];
  size_t count_ = 0;
};

// The layouts of some zones under one mask. Tries distances between the planes, one after the other.
class Lattice {
 public:
  // `home` is the zone where new mappings go.
  Lattice(Layout& layout, const LayoutRequest& request, size_t home, uint64_t mask)
      : layout_(layout), request_(request), space_(place_of(request.user_space)), home_(home) {
    layout.mask = mask;
  }

  // Every zone as it looks from the window of the home zone: where it would be if it had the bits there that the mask
  // drops. False if the mask tears a zone apart.
  bool find_aliases() {
    const uint64_t home_bits = layout_.zones[home_].begin & ~layout_.mask;
    bits_ = static_cast<int64_t>(home_bits);
    for (size_t i = 0; i < layout_.zone_count; ++i) {
      const AddressRange zone = layout_.zones[i];
      if (!layout_.in_one_window(zone)) return false;
      const uint64_t begin = (zone.begin & layout_.mask) + home_bits;
      aliases_[i] = with_skew(place_of({begin, begin + zone.size()}));
    }
    const uint64_t window = layout_.zones[home_].begin & ~(layout_.window() - 1);
    row_limit_ = place_of({window, window + layout_.window()}).clipped(space_);
    return true;
  }

  // The largest reservation that this distance leaves free; 0 if it is not more than `least`, or two zones meet.
  int64_t find_reservation(int64_t distance, int64_t least) {
    if (!sort_residues(distance)) return 0;
    layout_.reservation = {};
    layout_.beside_count = 0;
    int64_t end = 0;  // of what was looked at
    for (size_t i = 0; i < layout_.zone_count; ++i) {
      add_free({end, residues_[i].begin});
      add_beside(part_of({residues_[i].begin, residues_[i].end}));
      end = residues_[i].end;
    }
    add_free({end, distance});
    const int64_t size = static_cast<int64_t>(layout_.reservation.size());
    return size > least && find_rows(distance) && find_scaled() ? size : 0;
  }

 private:
  // The aliases modulo the distance, from one end of the home zone on, so that none goes around. False if two meet.
  bool sort_residues(int64_t distance) {
    origin_ = request_.grows_up ? aliases_[home_].begin : aliases_[home_].end - distance;
    for (size_t i = 0; i < layout_.zone_count; ++i) {
      int64_t begin = (aliases_[i].begin - origin_) % distance;
      if (begin < 0) begin += distance;
      const Place residue = {begin, begin + aliases_[i].size()};
      if (residue.end > distance) return false;
      size_t at = i;
      for (; at > 0 && residues_[at - 1].begin > begin; --at) residues_[at] = residues_[at - 1];
      residues_[at] = residue;
    }
    for (size_t i = 1; i < layout_.zone_count; ++i)
      if (residues_[i].overlaps(residues_[i - 1])) return false;
    return true;
  }

  // A part of the row, without what is a zone's; empty if there is none.
  AddressRange part_of(Place residue) const {
    Place part = residue.moved(origin_);
    part.end -= static_cast<int64_t>(kSkewRoom);
    part = part.clipped(row_limit_);
    if (part.size() <= 0) return {};
    for (size_t i = 0; i < layout_.zone_count; ++i)
      if (part.overlaps(place_of(layout_.zones[i]))) return {};
    return range_of(part);
  }
  void add_beside(AddressRange part) {
    if (part.size() != 0) layout_.beside[layout_.beside_count++] = part;
  }
  // A part that no zone's shadow needs: the largest is the reservation.
  void add_free(Place residue) {
    const AddressRange part = part_of(residue);
    if (part.size() <= layout_.reservation.size()) return add_beside(part);
    add_beside(layout_.reservation);
    layout_.reservation = part;
  }

  // The planes that are one to one: first in rows where all parts of the home row have room, then in others.
  bool find_rows(int64_t distance) {
    size_t plane = 0;
    const auto to_next = [&] {
      while (plane < request_.planes.size() && request_.planes[plane].log2_scale != 0) ++plane;
      return plane < request_.planes.size();
    };
    const int64_t most = space_.end / distance + 1;
    for (const bool with_beside : {true, false}) {
      for (int64_t row = 1; row <= most; ++row)
        for (const int64_t by : {-row * distance, row * distance})
          if (to_next() && row_fits(by) && beside_fits(by) == with_beside) put(plane++, 0, bits_ + by);
    }
    return !to_next();
  }
  bool place_fits(Place place) const {
    if (!place.within(space_) || place.overlaps(place_of(layout_.reservation))) return false;
    for (size_t i = 0; i < layout_.zone_count; ++i)
      if (place.overlaps(place_of(layout_.zones[i]))) return false;
    return true;
  }
  bool row_fits(int64_t by) const {
    for (size_t i = 0; i < layout_.zone_count; ++i)
      if (!place_fits(aliases_[i].moved(by))) return false;
    return place_fits(with_skew(place_of(layout_.reservation)).moved(by));
  }
  bool beside_fits(int64_t by) const {
    for (size_t i = 0; i < layout_.beside_count; ++i)
      if (!place_fits(with_skew(place_of(layout_.beside[i])).moved(by))) return false;
    return true;
  }
  void put(size_t plane, int log2_scale, int64_t base) {
    layout_.log2_scale[plane] = log2_scale;
    layout_.base[plane] = static_cast<uint64_t>(base) + skew(plane);
  }

  // The other planes. If any base fits, one fits that puts some shadow right beside a place that is taken.
  bool find_scaled() {
    Taken taken;
    bool first = true;
    for (size_t plane = 0; plane < request_.planes.size(); ++plane) {
      const int log2_scale = request_.planes[plane].log2_scale;
      if (log2_scale == 0) continue;
      if (first) take_rows(taken);
      first = false;
      if (!find_base(taken, plane, log2_scale)) return false;
    }
    return true;
  }
  void take_rows(Taken& taken) const {
    each_range([&](AddressRange range) { taken.add(place_of(range)); });
    for (size_t plane = 0; plane < request_.planes.size(); ++plane) {
      if (request_.planes[plane].log2_scale != 0) continue;
      each_range([&](AddressRange range) {
        taken.add(with_skew(shadow_of(range, 0, static_cast<int64_t>(layout_.base[plane] - skew(plane)))));
      });
    }
  }
  bool find_base(Taken& taken, size_t plane, int log2_scale) {
    Place shadows[3 * Layout::kMaxZones + 1];
    size_t count = 0;
    each_range([&](AddressRange range) { shadows[count++] = with_skew(shadow_of(range, log2_scale, 0)); });
    const auto fits = [&](int64_t base) {
      for (size_t i = 0; i < count; ++i)
        if (!shadows[i].moved(base).within(space_) || taken.has(shadows[i].moved(base))) return false;
      return true;
    };
    for (const Place neighbour : taken.all()) {
      for (size_t i = 0; i < count; ++i) {
        for (const int64_t base : {neighbour.begin - shadows[i].end, neighbour.end - shadows[i].begin}) {
          if (!fits(base)) continue;
          put(plane, log2_scale, base);
          for (size_t j = 0; j < count; ++j) taken.add(shadows[j].moved(base));
          return true;
        }
      }
    }
    return false;
  }
  Place shadow_of(AddressRange range, int log2_scale, int64_t base) const {
    const uint64_t begin = range.begin & layout_.mask;
    return place_of({round_down(scaled(begin, log2_scale)), round_up(scaled(begin + range.size(), log2_scale))})
        .moved(base);
  }
  // Whatever is to have a shadow.
  template <class Visit>
  void each_range(Visit visit) const {
    for (size_t i = 0; i < layout_.zone_count; ++i) visit(layout_.zones[i]);
    for (size_t i = 0; i < layout_.beside_count; ++i) visit(layout_.beside[i]);
    visit(layout_.reservation);
  }

  Layout& layout_;
  const LayoutRequest& request_;
  Place space_;
  size_t home_;
  int64_t bits_ = 0;    // what the mask drops of addresses in the home zone
  Place row_limit_{};   // the row of the home zone does not go beyond
  int64_t origin_ = 0;  // where the row begins
  Place aliases_[Layout::kMaxZones];
  Place residues_[Layout::kMaxZones];
};

// The zone that has the address, or the last.
size_t zone_with(const Layout& layout, uint64_t address) {
  for (size_t i = 0; i < layout.zone_count; ++i)
    if (layout.zones[i].contains(address)) return i;
  return layout.zone_count - 1;
}

// The best layout of the zones; none if no mask and distance fits.
bool find_best(Layout& best, const LayoutRequest& request) {
  uint64_t taken = 0;
  for (size_t i = 0; i < best.zone_count; ++i) taken += best.zones[i].size();
  const size_t home = zone_with(best, request.new_mapping);
  size_t whole_planes = 0;
  for (const PlaneShape plane : request.planes) whole_planes += plane.log2_scale == 0;
  const int64_t longest = static_cast<int64_t>(request.user_space.size() / (whole_planes + 1));
  const Layout zones = best;
  int64_t most = 0;
  // The lower bits stay: below that there is no room for a reservation. All of the four above may go.
  constexpr unsigned kLowBits = 43, kMasks = 16;
  for (unsigned high = 0; high < kMasks; ++high) {
    Layout layout = zones;
    Lattice lattice(layout, request, home, (uint64_t{high} << kLowBits) | ((uint64_t{1} << kLowBits) - 1));
    if (!lattice.find_aliases()) continue;
    // No distance that is shorter than the zones and the largest reservation so far can do better.
    for (int64_t distance = longest; distance > most + static_cast<int64_t>(taken); distance -= distance / 256) {
      distance &= ~static_cast<int64_t>(kPage - 1);
      const int64_t found = lattice.find_reservation(distance, most);
      if (found == 0) continue;
      most = found;
      best = layout;
    }
  }
  best.plane_count = request.planes.size();
  return most != 0;
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

AddressRange Layout::shadow_pages(size_t plane, AddressRange range) const {
  return {round_down(shadow(plane, range.begin)),
          round_up(shadow(plane, range.end - kPage) + scaled(kPage, log2_scale[plane]))};
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
    if (!find_zones(layout, map, request, room) || layout.zone_count == 0) continue;
    layout.room = room;
    layout.grows_up = request.grows_up;
    if (find_best(layout, request)) return layout;
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
    if (!read_hex(line, position, range.begin) || position == line.size() || line[position] != '-') continue;
    ++position;
    if (!read_hex(line, position, range.end)) continue;
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
