// Which modules without instrumentation make a race doubtful.
#include "gtest/gtest.h"
#include "race/ranking.h"

namespace deadheat {
namespace {

std::string foreign_module_of(std::string_view module) {
  const StackFrame frames[] = {{.function = "f", .file = "a.cpp", .module = "/opt/a", .line = 3},
                               {.function = "start", .module = module, .offset = 16, .foreign = true}};
  const Side sides[] = {{.kind = AccessKind::kWrite, .thread = 1, .address = 8, .bytes = 4, .stack = frames},
                        {.kind = AccessKind::kWrite, .thread = 2, .address = 8, .bytes = 4, .stack = frames}};
  Finding finding;
  finding.sides = sides;
  finding.both_begin = 8;
  finding.both_end = 12;
  Group group;
  group.examples.push_back({finding, 0, 1});
  rank_group(group);
  return group.foreign_module;
}

TEST(ForeignModule, IsOneWhoseSynchronisationIsNotSeen) {
  EXPECT_EQ(foreign_module_of("/usr/lib/x86_64-linux-gnu/libz.so.1"), "libz.so.1");
  EXPECT_EQ(foreign_module_of("/usr/lib/libcrypto.so.3"), "libcrypto.so.3");
  // Every std::thread begins in the C++ library, which Deadheat understands.
  EXPECT_EQ(foreign_module_of("/usr/lib/x86_64-linux-gnu/libstdc++.so.6"), "");
  EXPECT_EQ(foreign_module_of("/usr/lib/x86_64-linux-gnu/libc.so.6"), "");
}

}  // namespace
}  // namespace deadheat
