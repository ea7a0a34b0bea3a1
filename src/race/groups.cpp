#include "race/groups.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "race/code_place.h"

namespace deadheat {

namespace {

using Locations = std::set<CodePlace>;

Locations locations_of(const Finding& race) {
  Locations locations;
  for (const Side& side : race.sides)
    for (const StackFrame& frame : side.stack)
      if (const CodePlace place = place_of(frame); place.is_known()) locations.insert(place);
  return locations;
}

bool are_alike(const Locations& a, const Locations& b) {
  const auto common = static_cast<size_t>(
      std::count_if(a.begin(), a.end(), [&b](const CodePlace& location) { return b.contains(location); }));
  return 2 * common >= a.size() + b.size() - common;
}

}  // namespace

void group_by_location(std::span<Finding> races) {
  std::vector<Locations> firsts;  // of each group, the locations of its first member
  std::map<CodePlace, std::vector<size_t>> groups_with;
  for (Finding& race : races) {
    Locations locations = locations_of(race);
    size_t group = firsts.size();
    for (const CodePlace& location : locations)
      for (const size_t candidate : groups_with[location])
        if (candidate < group && are_alike(firsts[candidate], locations)) group = candidate;
    race.group = static_cast<int>(group) + 1;
    if (group < firsts.size()) continue;
    for (const CodePlace& location : locations) groups_with[location].push_back(group);
    firsts.push_back(std::move(locations));
  }
}

}  // namespace deadheat
