// Where an access began, from any of its bytes and the code that its origin has.
#include <gtest/gtest.h>

#include <set>

#include "live/paths/stacks.h"

namespace deadheat::live {
namespace {

TEST(AccessShape, AnyByteTellsWhereItBegan) {
  std::set<uint32_t> codes;
  for (const size_t bytes : {1, 2, 4, 8, 16}) {
    for (uintptr_t begin = 4096; begin < 4096 + 32; ++begin) {
      const uint32_t what = what_code(begin, bytes, 3);
      EXPECT_EQ(what >> 5, 3u);
      EXPECT_NE(what & 31, kRangeCode);
      codes.insert(what);
      const AccessShape shape = shape_of(what);
      EXPECT_EQ(shape.bytes, bytes);
      for (uintptr_t byte = begin; byte < begin + bytes; ++byte) EXPECT_EQ(shape.begin_of(byte), begin);
    }
  }
  EXPECT_EQ(codes.size(), 31u);  // all but that of ranges
}

TEST(AccessShape, ARangeHasNoSize) {
  for (const size_t bytes : {3, 5, 24, 4096}) {
    const AccessShape shape = shape_of(what_code(4097, bytes, 1));
    EXPECT_EQ(shape.bytes, 0u);
    EXPECT_EQ(shape.begin_of(4100), 4100u);
  }
}

TEST(AccessShape, LeavesTheAddressOfTheCode) {
  const uintptr_t pc = 0x7fff'ffff'f123;
  const Node node{access_key(pc, what_code(15, 16, 4)), kNoNode, 0};
  EXPECT_EQ(node.address(), pc);
  EXPECT_EQ(node.kind(), NodeKind::kAccess);
}

}  // namespace
}  // namespace deadheat::live
