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

// Races of a read in `peek` with a write in `put(int)`, of what `memory` says.
struct Annotated {
  StackFrame reader[2] = {{.function = "pthread_mutex_lock", .ours = true}, {.function = "peek", .line = 3}};
  StackFrame writer[2] = {{.function = "put(int)", .line = 4}, {.function = "main", .line = 9}};
  StackFrame maker[1] = {{.function = "make", .line = 1}};
  Side sides[2] = {{.kind = AccessKind::kRead, .stack = reader}, {.kind = AccessKind::kWrite, .stack = writer}};
  Finding finding;

  explicit Annotated(Memory::Kind kind) {
    finding.sides = sides;
    finding.memory.kind = kind;
    if (kind == Memory::kHeap) finding.memory.stack = maker;
    if (kind == Memory::kGlobal) finding.memory.name = "table";
  }
  bool hidden_by(std::string_view text) const {
    Arena arena;
    Suppressions rules(arena);
    rules.parse_annotations(text, [](void*, uint32_t, std::string_view, const char*) { FAIL(); }, nullptr);
    return rules.match(finding) != nullptr;
  }
};

TEST(Annotations, HideByTheFunctionOfAnAccess) {
  const Annotated race(Memory::kGlobal);
  for (const char* line : {"Method peek", "Method put", "Method put(int)", "Method p*k", "# a\n Method  peek \r\n"})
    EXPECT_TRUE(race.hidden_by(line)) << line;
  for (const char* line : {"Method pee", "Method eek", "Method main", "Method make", "Method pthread_mutex_lock"})
    EXPECT_FALSE(race.hidden_by(line)) << line;
}

TEST(Annotations, HideByTheNameOfAGlobal) {
  const Annotated race(Memory::kGlobal);
  for (const char* line : {"Field table", "Field tab*", "Class table"}) EXPECT_TRUE(race.hidden_by(line)) << line;
  for (const char* line : {"Field tab", "Field able", "Field peek"}) EXPECT_FALSE(race.hidden_by(line)) << line;
}

TEST(Annotations, HideByWhoAllocated) {
  const Annotated race(Memory::kHeap);
  EXPECT_TRUE(race.hidden_by("Class make"));
  EXPECT_FALSE(race.hidden_by("Class put"));
  EXPECT_FALSE(race.hidden_by("Method make"));
}

TEST(Annotations, OnlyPlainAccessesAreUnwatched) {
  Annotated race(Memory::kGlobal);
  race.sides[0].kind = AccessKind::kAtomicRead;
  EXPECT_FALSE(race.hidden_by("Method peek"));
  EXPECT_TRUE(race.hidden_by("Field table")) << "the write is plain";
  race.sides[1].kind = AccessKind::kFree;
  EXPECT_FALSE(race.hidden_by("Field table"));
  race.finding.sides = {};
  race.finding.kind = FindingKind::kThreadLeak;
  EXPECT_FALSE(race.hidden_by("Method put"));
}

TEST(Annotations, BadLinesAreToldAndTheOthersCount) {
  Arena arena;
  Suppressions rules(arena);
  std::vector<std::string> problems;
  rules.parse_annotations(
      "Field\nAcquire lock\nVariable x\nField x\nRelease lock\n",
      [](void* to, uint32_t line, std::string_view, const char* problem) {
        static_cast<std::vector<std::string>*>(to)->push_back(std::to_string(line) + " " + std::string(problem, 7));
      },
      &problems);
  EXPECT_EQ(problems, (std::vector<std::string>{"1 expecte", "2 Acquire", "3 expecte", "5 Acquire"}));
  ASSERT_EQ(rules.rules().size(), 1u);
  EXPECT_EQ(to_string(rules.rules()[0].type), "Field");
  EXPECT_EQ(rules.rules()[0].written, "Field x");
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
