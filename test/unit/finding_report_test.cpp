// One finding as text and JSON: every part of the full form, hostile names, and the same bytes inside and outside.
#include "report/finding_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "live/ground/message.h"
#include "report/parts.h"
#include "support/capture.h"

namespace deadheat {
namespace {

using Json = nlohmann::ordered_json;

// What a writer appends to a file, a string and a text of the run time: the same, or the test fails.
template <class Write>
std::string written(Write write) {
  std::string text;
  Sink string_sink([](void* to, std::string_view part) { static_cast<std::string*>(to)->append(part); }, &text);
  write(string_sink);
  const std::string in_file = test::captured([&](std::FILE* out) {
    Sink sink = sink_of(out);
    write(sink);
  });
  EXPECT_EQ(in_file, text);
  live::GrowingText inside;
  Sink inside_sink([](void* to, std::string_view part) { static_cast<live::Text*>(to)->put(part); }, &inside);
  write(inside_sink);
  EXPECT_EQ(std::string(inside.data(), inside.size()), text);
  return text;
}

std::string text_of(const Finding& finding, const ReportStyle& style = {}) {
  return written([&](Sink& out) { write_finding_text(finding, style, out); });
}
Json json_of(const Finding& finding, const ReportStyle& style = {}) {
  const std::string text = written([&](Sink& out) { write_finding_json(finding, style, out); });
  EXPECT_EQ(text.find('\n'), std::string::npos) << "one line";
  return Json::parse(text);
}

constexpr StackFrame kFrames[] = {
    {.function = "memcpy", .module = "/lib/libdeadheat.so", .offset = 0x10, .pc = 0x7f0000000010, .ours = true},
    {.function = "push",
     .file = "/src/queue.c",
     .module = "/bin/prog",
     .line = 42,
     .column = 7,
     .offset = 0x1234,
     .pc = 0x555555555234,
     .inlined = true},
    {.module = "/bin/prog", .offset = 0x1300, .pc = 0x555555555300},
    {.offset = 0x99, .pc = 0x99},
};
constexpr StackFrame kMain[] = {{.function = "main",
                                 .file = "/src/main.c",
                                 .module = "/bin/prog",
                                 .line = 3,
                                 .offset = 0x2000,
                                 .pc = 0x555555556000}};
constexpr SideLock kLocks[] = {{0x1000, false}, {0x2000, true}};

// A race with all that there may be.
struct Race {
  Side sides[2] = {
      {.kind = AccessKind::kWrite,
       .thread = 2,
       .address = 0x7fff00000008,
       .bytes = 4,
       .stack = kFrames,
       .locks = kLocks},
      {.kind = AccessKind::kAtomicRead, .thread = 0, .address = 0x7fff00000008, .bytes = 8, .stack = kMain}};
  FindingLock locks[2] = {{.address = 0x1000, .created_at = kMain}, {.address = 0x2000, .destroyed = true}};
  FindingThread threads[2] = {{.number = 2,
                               .name = "worker",
                               .os_id = 77,
                               .running = true,
                               .parent = 1,
                               .creation_known = true,
                               .created_at = kMain},
                              {.number = 0}};
  Finding finding;

  Race() {
    finding.sides = sides;
    finding.both_begin = 0x7fff00000008;
    finding.both_end = 0x7fff0000000c;
    finding.locks = locks;
    finding.threads = threads;
    finding.memory = {.kind = Memory::kHeap, .begin = 0x7fff00000000, .bytes = 64, .thread = 1, .stack = kMain};
  }
};

constexpr const char* kRaceText = R"(==================
WARNING: ThreadSanitizer: data race (pid=5)
  Write of size 4 at 0x7fff00000008 by thread T2 (mutexes: write M0, read M1):
    #0 memcpy <null> (libdeadheat.so+0x10)
    #1 push /src/queue.c:42:7 (prog+0x1234)
    #2 <null> <null> (prog+0x1300)
    #3 <null> <null> (0x99)

  Previous atomic read of size 8 at 0x7fff00000008 by main thread:
    #0 main /src/main.c:3 (prog+0x2000)

  Location is heap block of size 64 at 0x7fff00000000 allocated by thread T1:
    #0 main /src/main.c:3 (prog+0x2000)

  Mutex M0 (0x000000001000) created at:
    #0 main /src/main.c:3 (prog+0x2000)

  Mutex M1 (0x000000002000) is already destroyed.

  Thread T2 'worker' (tid=77, running) created by thread T1 at:
    #0 main /src/main.c:3 (prog+0x2000)

SUMMARY: ThreadSanitizer: data race /src/queue.c:42 in push
==================
)";

TEST(FullForm, ShowsAllOfARace) { EXPECT_EQ(text_of(Race().finding, {.process = 5}), kRaceText); }

TEST(FullForm, NamesOfTheProgramStayOnTheirLines) {
  constexpr std::string_view kHostile = "a\x1b[31m\n\xff\xe2\x80\xae z";
  Race race;
  const StackFrame frames[] = {{.function = kHostile, .file = kHostile, .module = kHostile, .line = 3}};
  for (Side& side : race.sides) side.stack = frames;
  race.threads[0].name = kHostile;
  race.finding.memory = {.kind = Memory::kGlobal, .name = kHostile, .bytes = 4, .module = kHostile};
  const std::string text = text_of(race.finding, {.token_length = 2});
  for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= ' ' && c < 0x7f)) << text;
  const std::string plain = text_of(Race().finding, {.token_length = 2});
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), std::count(plain.begin(), plain.end(), '\n'));
}

TEST(FullForm, TellsWhatTheMemoryIs) {
  Race race;
  Memory& memory = race.finding.memory;
  const auto location = [&] {
    const std::string text = text_of(race.finding);
    const size_t begin = text.find("  Location is"), end = text.find("  Mutex M0");
    return begin == std::string::npos ? "" : text.substr(begin, end - begin);
  };
  memory = {.kind = Memory::kUnknown};
  EXPECT_EQ(location(), "");
  memory = {.kind = Memory::kGlobal,
            .name = "table",
            .begin = 0x7fff00000000,
            .bytes = 16,
            .module = "prog",
            .offset = 0x4068};
  EXPECT_EQ(location(), "  Location is global 'table' of size 16 at 0x7fff00000000 (prog+0x4068), 8 bytes into it\n\n");
  memory.begin = 0x7fff00000008;
  EXPECT_EQ(location(), "  Location is global 'table' of size 16 at 0x7fff00000008 (prog+0x4068)\n\n");
  memory.name = {};
  EXPECT_EQ(location(), "  Location is global '<null>' at 0x7fff00000008 (prog+0x4068)\n\n");
  memory = {.kind = Memory::kStack, .thread = 0};
  EXPECT_EQ(location(), "  Location is stack of main thread.\n\n");
  memory = {.kind = Memory::kStack,
            .name = "buffer",
            .begin = 0x7fff00000000,
            .bytes = 16,
            .thread = 3,
            .stack = kMain,
            .declared = {.file = "/src/main.c", .line = 2}};
  EXPECT_EQ(location(),
            "  Location is stack of thread T3.\n"
            "    Variable 'buffer' of main, declared at /src/main.c:2 (bytes 8 to 11 of 16)\n"
            "    #0 main /src/main.c:3 (prog+0x2000)\n\n");
  memory = {.kind = Memory::kThreadLocal, .thread = 3};
  EXPECT_EQ(location(), "  Location is TLS of thread T3.\n\n");
  memory = {.kind = Memory::kDescriptor, .thread = 1, .fd = 5, .fd_closed = true, .stack = kMain};
  EXPECT_EQ(location(),
            "  Location is file descriptor 5 destroyed by thread T1 at:\n"
            "    #0 main /src/main.c:3 (prog+0x2000)\n\n");
}

TEST(FullForm, ShowsEveryOtherKindOfFinding) {
  const FindingStack stacks[] = {
      {.head = FindingStack::kAcquiredWhileHolding, .lock = 0x2000, .held = 0x1000, .thread = 1, .stack = kMain},
      {.head = FindingStack::kAcquiredBefore, .lock = 0x1000, .stack = kMain},
      {.head = FindingStack::kAnd, .stack = kMain},
      {.head = FindingStack::kSignal, .signal = 10, .stack = kMain},
      {.head = FindingStack::kCreatedAt, .thread = 4, .thread_name = "io", .stack = kMain},
      {.head = FindingStack::kIgnoredSince, .stack = kMain},
  };
  const FindingLock locks[] = {{.address = 0x1000, .destroyed = true}, {.address = 0x2000, .destroyed = true}};
  Finding finding;
  finding.kind = FindingKind::kLockOrder;
  finding.stacks = stacks;
  finding.locks = locks;
  finding.cycle_length = 2;
  finding.repeated = 3;
  const std::string frame = "    #0 main /src/main.c:3 (prog+0x2000)\n\n";
  EXPECT_EQ(text_of(finding, {.process = 5, .hint_second_stack = true, .token_length = 2}),
            "==================\n"
            "WARNING: ThreadSanitizer: lock-order-inversion (potential deadlock) (pid=5)\n"
            "  Cycle in lock order graph: M0 (0x000000001000) => M1 (0x000000002000) => M0 (0x000000001000)\n\n"
            "  Mutex M1 acquired here while holding mutex M0 in thread T1:\n" +
                frame + "  Mutex M0 previously acquired by the same thread here:\n" + frame + "  and:\n" + frame +
                "  Signal 10 handler invoked at:\n" + frame +
                "ThreadSanitizer: thread T4 io finished with ignores enabled, created at:\n" + frame +
                "  Ignore was enabled at:\n" + frame +
                "    Hint: use TSAN_OPTIONS=second_deadlock_stack=1 to get more informative warning message\n\n"
                "  Mutex M0 (0x000000001000) is already destroyed.\n\n"
                "  Mutex M1 (0x000000002000) is already destroyed.\n\n"
                "  And 2 more similar thread leaks.\n\n"
                "SUMMARY: ThreadSanitizer: lock-order-inversion (potential deadlock) /src/main.c:3 in main\n"
                "DEDUP_TOKEN: main\n"
                "==================\n");
  const Json json = json_of(finding);
  EXPECT_EQ(json["type"], "lock-order-inversion");
  EXPECT_EQ(json["stacks"].size(), 6u);
  EXPECT_EQ(json["locks"].dump(), "[4096,8192]");
}

TEST(FullForm, ExternalObjectsSleepsAndColours) {
  Race race;
  race.finding.kind = FindingKind::kExternalRace;
  race.finding.external_type = "Swift object";
  race.finding.sleep = kMain;
  const std::string text = text_of(race.finding);
  EXPECT_NE(text.find("WARNING: ThreadSanitizer: race on Swift object (pid=0)\n"
                      "  Modifying access of Swift object at 0x7fff00000008 by thread T2"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  Previous read-only access of Swift object at"), std::string::npos) << text;
  EXPECT_NE(text.find("  As if synchronized via sleep:\n    #0 main /src/main.c:3 (prog+0x2000)\n\n  Location"),
            std::string::npos)
      << text;
  std::string coloured = text_of(race.finding, {.in_colour = true});
  EXPECT_NE(coloured.find("\033[1m\033[31mWARNING"), std::string::npos);
  for (size_t at; (at = coloured.find('\033')) != std::string::npos;)
    coloured.erase(at, coloured.find('m', at) - at + 1);
  EXPECT_EQ(coloured, text);
}

TEST(FullForm, FramesAreWrittenAsTheUserWants) {
  const auto frame = [](const char* format, unsigned which) {
    return written([&](Sink& out) { write_frame(kFrames[which], which, format, out); });
  };
  EXPECT_EQ(frame("%n %p %m %o %f %q %s %l %c %F %% %x %", 1),
            "1 0x555555555234 /bin/prog 0x1234 push 0x0 /src/queue.c 42 7 in push % %x ");
  EXPECT_EQ(frame("%m %f %s %S %L %F|", 3), "<null> <null> <null> <null> <null> |");
  EXPECT_EQ(frame("%L %S %M", 2), "(/bin/prog+0x1300) <null> (prog+0x1300)");
  EXPECT_EQ(frame("%S", 1), "/src/queue.c:42:7");
}

TEST(FullForm, LocksBeyondTheMostShareTheLastNumber) {
  Race race;
  const SideLock many[] = {{0x1000}, {0x3000}};
  race.sides[0].locks = many;
  EXPECT_NE(text_of(race.finding).find("(mutexes: write M0, write M1)"), std::string::npos);
}

TEST(JsonForm, HasAllOfARace) {
  const Json json = json_of(Race().finding, {.process = 5});
  EXPECT_EQ(json["type"], "race");
  EXPECT_EQ(json["pid"], 5);
  EXPECT_EQ(json["address"], 0x7fff00000008);
  EXPECT_EQ(json["size"], 4);
  ASSERT_EQ(json["accesses"].size(), 2u);
  EXPECT_EQ(json["accesses"][0]["op"], "write");
  EXPECT_EQ(json["accesses"][0]["thread"], 2);
  EXPECT_EQ(json["accesses"][0]["stack"][1].dump(),
            R"({"function":"push","file":"/src/queue.c","line":42,"column":7,"module":"/bin/prog","offset":4660})");
  EXPECT_TRUE(json["accesses"][0]["stack"][2]["function"].is_null());
  EXPECT_EQ(json["accesses"][0]["locks"].dump(), R"([{"address":8192,"mode":"read"},{"address":4096,"mode":"write"}])");
  EXPECT_EQ(json["location"]["kind"], "heap");
  EXPECT_FALSE(json.contains("sleep"));
  EXPECT_FALSE(json.contains("races")) << "one race stands for itself";
}

TEST(JsonForm, CountsWhatWasFolded) {
  Race race;
  race.finding.races = 12;
  race.finding.variables = 3;
  EXPECT_EQ(json_of(race.finding)["races"], 12);
  EXPECT_EQ(json_of(race.finding)["variables"], 3);
}

// ---- names ----

// As JSON must have it: each byte that belongs to no character of UTF-8 is U+FFFD.
struct Name {
  std::string name, in_json;
};
const Name kNames[] = {
    {"a\"b\\c", "a\"b\\c"},
    {std::string("\0\x01\x1f\x7f", 4), std::string("\0\x01\x1f\x7f", 4)},
    {"tab\tand\nline", "tab\tand\nline"},
    {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8f\x81", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8f\x81"},
    {"\xff", "\xEF\xBF\xBD"},
    {"cut \xe2\x82", "cut \xEF\xBF\xBD\xEF\xBF\xBD"},                          // in the middle of a character
    {"\xc0\xaf", "\xEF\xBF\xBD\xEF\xBF\xBD"},                                  // too long a form of /
    {"\xed\xa0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},                  // half of a pair
    {"\xf4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},  // beyond the last character
    {"\x80ok", "\xEF\xBF\xBDok"},
    {std::string(1 << 20, 'x'), std::string(1 << 20, 'x')},
};

TEST(Names, AnyBytesGiveValidJsonAndHarmlessText) {
  for (const Name& row : kNames) {
    const StackFrame frames[] = {{.function = row.name, .file = row.name, .module = row.name, .line = 1}};
    Race race;
    race.sides[0].stack = frames;
    race.threads[0].name = row.name;
    race.finding.memory = {.kind = Memory::kGlobal, .name = row.name, .module = row.name};
    const Json json = json_of(race.finding);
    EXPECT_EQ(json["accesses"][0]["stack"][0]["function"], row.in_json);
    EXPECT_EQ(json["accesses"][0]["stack"][0]["module"], row.in_json);
    EXPECT_EQ(json["location"]["name"], row.in_json);
    const std::string text = text_of(race.finding);
    const std::string shown = harmless(row.name);
    EXPECT_NE(text.find("global '" + shown + "'"), std::string::npos);
    EXPECT_NE(text.find("#0 " + shown + " " + shown + ":1"), std::string::npos);

    const Side sides[] = {{.kind = AccessKind::kRead, .thread_name = row.name, .event = 1, .stack = frames}};
    Finding plain;
    plain.sides = sides;
    plain.memory = {.kind = Memory::kVariable, .name = row.name};
    EXPECT_EQ(json_of(plain)["variable"], row.in_json);
    EXPECT_EQ(json_of(plain)["second"]["thread"], row.in_json);
    EXPECT_EQ(json_of(plain)["second"]["location"], row.in_json);
  }
}

// All texts of two bytes and a letter behind: what the parser reads back is UTF-8, and as long as it should be.
TEST(Names, AllPairsOfBytes) {
  for (unsigned first = 0; first < 256; ++first)
    for (unsigned second = 0; second < 256; ++second) {
      const std::string name = {static_cast<char>(first), static_cast<char>(second), 'z'};
      std::string out;
      Sink sink([](void* to, std::string_view part) { static_cast<std::string*>(to)->append(part); }, &out);
      write_json_text(name, sink);
      const std::string back = Json::parse(out).get<std::string>();
      ASSERT_EQ(back.back(), 'z') << first << " " << second;
      if (first < 0x80 && second < 0x80) {
        ASSERT_EQ(back, name);
      }
    }
}

TEST(Sink, Numbers) {
  EXPECT_EQ(written([](Sink& out) {
              out.put(0, " ", -1, " ", INT64_MIN, " ", UINT64_MAX, " ", Hex{0}, " ", Hex{UINT64_MAX}, " ",
                      Address{0xab}, " ", Address{UINT64_MAX}, " ", Padded{"ab", 4}, "|", Padded{"abcd", 2}, 'x');
            }),
            "0 -1 -9223372036854775808 18446744073709551615 0x0 0xffffffffffffffff 0x0000000000ab 0xffffffffffffffff "
            "ab  |abcdx");
}

}  // namespace
}  // namespace deadheat
