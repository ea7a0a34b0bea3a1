#include "race/groups.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace deadheat {

namespace {

using Locations = std::set<std::string_view>;

Locations locations_of(const ReportedRace& race) {
  Locations locations;
  const auto add = [&locations](const ReportedAccess& access) {
    if (!access.location.empty()) locations.insert(access.location);
  };
  if (race.first) add(*race.first);
  add(race.second);
  for (const ReportedAccess& access : race.more) add(access);
  return locations;
}

bool are_alike(const Locations& a, const Locations& b) {
  const auto common = static_cast<size_t>(
      std::count_if(a.begin(), a.end(), [&b](std::string_view location) { return b.contains(location); }));
  return 2 * common >= a.size() + b.size() - common;
}

}  // namespace

void group_by_location(std::span<ReportedRace> races) {
  std::vector<Locations> firsts;  // of each group, the locations of its first member
  std::unordered_map<std::string_view, std::vector<size_t>> groups_with;
  for (ReportedRace& race : races) {
    Locations locations = locations_of(race);
    size_t group = firsts.size();
    for (const std::string_view location : locations)
      for (const size_t candidate : groups_with[location])
        if (candidate < group && are_alike(firsts[candidate], locations)) group = candidate;
    race.group = static_cast<int>(group) + 1;
    if (group < firsts.size()) continue;
    for (const std::string_view location : locations) groups_with[location].push_back(group);
    firsts.push_back(std::move(locations));
  }
}

}  // namespace deadheat
