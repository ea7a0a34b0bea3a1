// Groups of warnings: the same places in the code are one bug, on however many objects.
#include "race/groups.h"

#include <gtest/gtest.h>

#include "race/findings.h"

namespace deadheat::test {
namespace {

FindingStore store;

Finding warning(std::string_view variable, const std::vector<std::string>& locations) {
  std::vector<Side> sides;
  for (const std::string& location : locations)
    sides.push_back({.kind = AccessKind::kWrite, .stack = store.location(location)});
  Finding race;
  race.memory.kind = Memory::kVariable;
  race.memory.name = store.text(variable);
  race.sides = store.copy<Side>(sides);
  return race;
}

TEST(Groups, WarningsFromTheSamePlacesBelongTogether) {
  std::vector<Finding> races = {
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
  for (const Finding& race : races) groups.push_back(race.group);
  EXPECT_EQ(groups, (std::vector{1, 1, 2, 1, 1, 3, 4, 5}));
}

}  // namespace
}  // namespace deadheat::test
