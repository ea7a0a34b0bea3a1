// Groups of warnings: the same places in the code are one bug, on however many objects.
#include "race/groups.h"

#include <gtest/gtest.h>

namespace deadheat::test {
namespace {

ReportedRace warning(std::string variable, const std::vector<std::string>& locations) {
  ReportedRace race;
  race.variable = std::move(variable);
  race.second.location = locations.front();
  for (size_t i = 1; i < locations.size(); ++i) {
    ReportedAccess access;
    access.location = locations[i];
    race.more.push_back(access);
  }
  return race;
}

TEST(Groups, WarningsFromTheSamePlacesBelongTogether) {
  std::vector<ReportedRace> races = {
      warning("a.n", {"put", "get"}),           // 1
      warning("b.n", {"get", "put"}),           // the same places
      warning("c.n", {"put", "clear"}),         // one of three in common
      warning("d.n", {"put"}),                  // one of two
      warning("e.n", {"get", "put", "clear"}),  // like a.n and c.n: the first counts
      warning("f", {"log"}),
      warning("g", {""}),  // nothing is known
      warning("h", {""}),
  };
  group_by_location(races);
  std::vector<int> groups;
  for (const ReportedRace& race : races) groups.push_back(race.group);
  EXPECT_EQ(groups, (std::vector{1, 1, 2, 1, 1, 3, 4, 5}));
}

}  // namespace
}  // namespace deadheat::test
