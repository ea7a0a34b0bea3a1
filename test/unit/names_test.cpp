#include "event/names.h"

#include <gtest/gtest.h>

#include <string>

namespace deadheat::test {
namespace {

TEST(StringTable, NumbersNamesByFirstAppearance) {
  StringTable table;
  EXPECT_EQ(table.find("a"), StringTable::kNotFound);
  for (uint32_t i = 0; i < 100000; ++i) ASSERT_EQ(table.intern("name" + std::to_string(i)), i);
  for (uint32_t i = 0; i < 100000; ++i) {
    ASSERT_EQ(table.intern("name" + std::to_string(i)), i);
    ASSERT_EQ(table.find("name" + std::to_string(i)), i);
    ASSERT_EQ(table[i], "name" + std::to_string(i));
  }
  EXPECT_EQ(table.size(), 100000u);
  EXPECT_EQ(table.intern(""), 100000u);
  EXPECT_EQ(table.intern(""), 100000u);
  const std::string long_name(1 << 20, 'x');
  EXPECT_EQ(table.intern(long_name), 100001u);
  EXPECT_EQ(table[100001], long_name);
}

TEST(StringTable, AppendAddsOnlyNewNames) {
  StringTable table;
  std::vector<std::string> strings;
  for (int i = 0; i < 1000; ++i) strings.push_back(std::to_string(i));
  const std::vector<std::string_view> views(strings.begin(), strings.end());
  const std::span all(views);
  EXPECT_TRUE(table.append(all.first(3)));
  EXPECT_TRUE(table.append(all.subspan(3)));
  EXPECT_TRUE(table.append({}));
  EXPECT_EQ(table.size(), 1000u);
  for (uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(table.intern(strings[i]), i);
  const std::vector<std::string_view> twice = {"x", "y", "x", "z"};
  EXPECT_FALSE(table.append(twice));
  EXPECT_EQ(table.size(), 1002u);
  EXPECT_FALSE(table.append(all.first(1)));
}

TEST(Names, ObjectsOfVariables) {
  constexpr uint64_t kNone = VariableInfo::kNotAnElement;
  struct Case {
    std::string_view name, object;
    uint64_t element;
  };
  for (const Case& c : {Case{"x", "x", kNone},
                        {"A[7]", "A", 7},
                        {"A[07]", "A", kNone},
                        {"A[0]", "A", 0},
                        {"A[]", "A", kNone},
                        {"A[-1]", "A", kNone},
                        {"A[1][2]", "A", kNone},
                        {"p.q", "p", kNone},
                        {"p.q[3]", "p", kNone},
                        {"A[3].f", "A", kNone},
                        {".x", ".x", kNone},
                        {"[3]", "[3]", kNone},
                        {"A[99999999999999999999]", "A", kNone}}) {
    const VariableName split = split_variable_name(c.name);
    EXPECT_EQ(split.object, c.object) << c.name;
    EXPECT_EQ(split.element, c.element) << c.name;
  }
}

TEST(Names, AppendedVariablesAreAsInternedOnes) {
  const std::vector<std::string_view> list = {"a.x", "a.y", "b", "a.z", "c[1]", "c[2]", "b.q", "a"};
  Names one_by_one, at_once;
  for (std::string_view name : list) one_by_one.intern_variable(name);
  EXPECT_TRUE(at_once.append_variables(list));
  EXPECT_EQ(one_by_one.variable_info, at_once.variable_info);
  EXPECT_EQ(at_once.objects.size(), 3u);
}

}  // namespace
}  // namespace deadheat::test
