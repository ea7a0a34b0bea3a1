// Suppressions: the pattern language against a slow reference, every type, both of our own forms, and what is refused.
#include "race/suppressions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace deadheat {
namespace {

// The same language by trying everything.
bool reference(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return true;
  if (pattern == "$") return name.empty();
  if (pattern[0] == '*') {
    for (size_t i = 0; i <= name.size(); ++i)
      if (reference(pattern.substr(1), name.substr(i))) return true;
    return false;
  }
  return !name.empty() && pattern[0] == name[0] && reference(pattern.substr(1), name.substr(1));
}
bool slow_match(std::string_view pattern, std::string_view name) {
  if (pattern.empty() || name.empty()) return false;
  if (pattern[0] == '^') return reference(pattern.substr(1), name);
  for (size_t i = 0; i <= name.size(); ++i)
    if (reference(pattern, name.substr(i))) return true;
  return false;
}

std::vector<std::string> all_words(const std::string& letters, size_t longest) {
  std::vector<std::string> words = {""};
  for (size_t begin = 0, length = 1; length <= longest; ++length) {
    const size_t end = words.size();
    for (; begin < end; ++begin)
      for (const char c : letters) words.push_back(words[begin] + c);
  }
  return words;
}

TEST(SuppressionPattern, AgreesWithTheReferenceOnAllSmallPatterns) {
  const std::vector<std::string> names = all_words("ab", 5);
  for (const std::string& middle : all_words("ab*", 4))
    for (const char* front : {"", "^"})
      for (const char* back : {"", "$"}) {
        const std::string pattern = front + middle + back;
        for (const std::string& name : names)
          ASSERT_EQ(matches_pattern(pattern, name), slow_match(pattern, name)) << pattern << " on " << name;
      }
}

struct Rules {
  Arena arena;
  Suppressions rules{arena};
  std::vector<std::string> problems;

  explicit Rules(std::string_view text) {
    rules.parse(
        text,
        [](void* context, uint32_t line, std::string_view, const char*) {
          static_cast<Rules*>(context)->problems.push_back("line " + std::to_string(line));
        },
        this);
  }

  // The rule that hides a race of `first` with `second`, each a stack of functions, top first.
  std::string race(std::vector<std::string> first, std::vector<std::string> second, std::string_view global = {},
                   std::vector<std::string> other = {}) {
    const auto frames = [](const std::vector<std::string>& functions) {
      std::vector<StackFrame> stack;
      for (const std::string& function : functions)
        stack.push_back({.function = function,
                         .file = "/src/a.cpp",
                         .module = "/usr/lib/libx.so.1",
                         .offset = 0x1000 + function.size()});
      return stack;
    };
    const std::vector<StackFrame> one = frames(first), two = frames(second), three = frames(other);
    const Side sides[] = {{.kind = AccessKind::kRead, .stack = one}, {.kind = AccessKind::kWrite, .stack = two}};
    Finding finding;
    finding.sides = sides;
    finding.memory.kind = Memory::kGlobal;
    finding.memory.name = global;
    finding.memory.stack = three;
    const Suppression* rule = rules.match(finding);
    return rule == nullptr ? "" : std::string(rule->written);
  }
};

TEST(Suppressions, AnyFrameOfAnyStackAndTheGlobalForRace) {
  Rules r("race:^middle$\nrace:^made$\nrace:^counter$\n");
  EXPECT_EQ(r.race({"top", "middle", "main"}, {"x"}), "race:^middle$");
  EXPECT_EQ(r.race({"x"}, {"top", "middle"}), "race:^middle$");
  EXPECT_EQ(r.race({"x"}, {"y"}, "", {"made"}), "race:^made$");
  EXPECT_EQ(r.race({"x"}, {"y"}, "counter"), "race:^counter$");
  EXPECT_EQ(r.race({"x"}, {"y"}, "counters"), "");
  EXPECT_EQ(r.rules.rules()[0].hits, 2u);
  EXPECT_EQ(r.rules.rules()[1].hits, 1u);
}

TEST(Suppressions, OnlyTheTopFramesOfTheAccessesForRaceTop) {
  Rules r("race_top:^f$");
  EXPECT_EQ(r.race({"f", "main"}, {"x"}), "race_top:^f$");
  EXPECT_EQ(r.race({"x"}, {"f", "main"}), "race_top:^f$");
  EXPECT_EQ(r.race({"g", "f"}, {"x", "f"}, "f", {"f"}), "");
}

TEST(Suppressions, FilesAndModulesCount) {
  EXPECT_EQ(Rules("race:a.cpp").race({"f"}, {"g"}), "race:a.cpp");
  EXPECT_EQ(Rules("race:libx.so").race({"f"}, {"g"}), "race:libx.so");
  EXPECT_EQ(Rules("race:^libx.so").race({"f"}, {"g"}), "");
}

TEST(Suppressions, ByModuleAndOffsetIsExact) {
  EXPECT_EQ(Rules("race:libx.so.1+0x1003").race({"abc"}, {"g"}), "race:libx.so.1+0x1003");
  EXPECT_EQ(Rules("race:libx.so.1+0x1003").race({"abcd"}, {"g"}), "");
  EXPECT_EQ(Rules("race:libx.so.1+0x100").race({"abc"}, {"g"}), "");
  EXPECT_EQ(Rules("race:liby.so+0x1003").race({"abc"}, {"g"}), "");
  EXPECT_EQ(Rules("race:^operator+$").race({"operator+"}, {"g"}), "race:^operator+$") << "no offset: a name";
}

TEST(Suppressions, APairNeedsBothSidesInEitherOrder) {
  Rules r("race:^reader$ && ^writer$");
  EXPECT_NE(r.race({"reader"}, {"writer"}), "");
  EXPECT_NE(r.race({"x", "writer"}, {"y", "reader"}), "");
  EXPECT_EQ(r.race({"reader"}, {"x"}), "");
  EXPECT_EQ(r.race({"reader"}, {"reader"}), "");
  EXPECT_EQ(r.race({"reader", "writer"}, {"x"}), "");
  EXPECT_NE(Rules("race_top:^reader$ && libx.so.1+0x1002").race({"reader"}, {"ab"}), "");
}

TEST(Suppressions, OtherTypesHideOnlyTheirOwnKind) {
  Rules r("mutex:lock\nthread:spawn\nsignal:handler\ndeadlock:take\ncalled_from_lib:libz.so\n");
  const StackFrame frames[] = {{"main"}, {"take"}};
  const FindingStack stacks[] = {{.stack = frames}};
  Finding finding;
  finding.stacks = stacks;
  finding.kind = FindingKind::kLockOrder;
  EXPECT_NE(r.rules.match(finding), nullptr);
  finding.kind = FindingKind::kDoubleLock;
  EXPECT_EQ(r.rules.match(finding), nullptr);
  EXPECT_EQ(r.race({"take", "lock"}, {"spawn"}), "");
  EXPECT_NE(r.rules.match_library("/lib/libz.so.1"), nullptr);
  EXPECT_EQ(r.rules.match_library("/lib/libzz.so.1"), nullptr);
  EXPECT_FALSE(r.rules.has(SuppressionType::kRace));
  EXPECT_TRUE(r.rules.has(SuppressionType::kSignal));
}

TEST(Suppressions, CommentsBlanksAndLineEndsOfOtherSystems) {
  Rules r("# race:f\n\n  race:^f$ \r\n\trace_top:g\r\nrace:last");
  EXPECT_TRUE(r.problems.empty());
  ASSERT_EQ(r.rules.rules().size(), 3u);
  EXPECT_EQ(r.rules.rules()[0].line, 3u);
  EXPECT_EQ(r.race({"f"}, {"x"}), "race:^f$");
  EXPECT_EQ(r.race({"last"}, {"x"}), "race:last");
}

TEST(Suppressions, BadLinesAreToldAndTheOthersCount) {
  Rules r("rice:f\nno colon\nrace:\nrace:f\n");
  EXPECT_EQ(r.problems, (std::vector<std::string>{"line 1", "line 2", "line 3"}));
  EXPECT_EQ(r.rules.rules().size(), 1u);
}

TEST(Suppressions, TheTextMayGoAwayAfterwards) {
  Arena arena;
  Suppressions rules(arena);
  {
    std::string text = "called_from_lib:gone";
    rules.parse(text, [](void*, uint32_t, std::string_view, const char*) {}, nullptr);
    text.assign(text.size(), 'x');
  }
  EXPECT_NE(rules.match_library("gone"), nullptr);
}

}  // namespace
}  // namespace deadheat
