// Race records: what is written is read again, and whatever else a file says does no harm.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "race/merge.h"
#include "report/json_cursor.h"
#include "report/record_format.h"
#include "report/record_reader.h"

namespace deadheat::test {
namespace {

Sink sink_of(std::string& text) {
  return {[](void* to, std::string_view part) { *static_cast<std::string*>(to) += part; }, &text};
}

// A race with everything that a record can have.
struct Sample {
  StackFrame writer[3] = {{.function = "memcpy", .offset = 16, .ours = true},
                          {.function = "put(int)",
                           .file = "/src/queue.cpp",
                           .module = "/bin/app",
                           .build_id = "ab12",
                           .line = 31,
                           .column = 5,
                           .offset = 4660,
                           .inlined = true},
                          {.function = "main",
                           .file = "/src/main.cpp",
                           .module = "/bin/app",
                           .build_id = "ab12",
                           .line = 7,
                           .offset = 4660}};
  StackFrame reader[2] = {{.function = "get()",
                           .file = "/src/queue.cpp",
                           .module = "/bin/app",
                           .build_id = "ab12",
                           .line = 40,
                           .offset = 5000},
                          {.module = "/lib/libother.so", .offset = 77, .foreign = true}};
  StackFrame birth[1] = {{.function = "main", .file = "/src/main.cpp", .line = 5}};
  SideLock held[2] = {{.address = 256}, {.address = 512, .for_reading = true}};
  Side sides[2] = {
      {.kind = AccessKind::kWrite, .thread = 2, .address = 4096, .bytes = 8, .stack = writer, .locks = held},
      {.kind = AccessKind::kAtomicRead, .address = 4100, .bytes = 4, .stack = reader}};
  FindingLock locks[2] = {{.address = 256, .created_at = birth}, {.address = 512, .destroyed = true}};
  FindingThread threads[1] = {{.number = 2,
                               .name = "worker",
                               .os_id = 99,
                               .running = true,
                               .parent = 0,
                               .creation_known = true,
                               .created_at = birth}};
  LockUse uses[1] = {{.lock = 256, .accesses = 4212, .held = {true, false}}};
  TimelineStep timeline[2] = {
      {.side = 1, .step = {.op = "rel", .object = "m", .address = 256, .event = 3}, .orders = 1},
      {.side = 0, .step = {.op = "acq", .object = "m", .address = 256, .event = 5}}};
  Explanation why;
  Finding finding;

  Sample() {
    why.other_accesses = 5000;
    why.lock_uses = uses;
    why.forgotten[1] = true;
    why.met_from = {.op = "rel", .object = "m", .address = 256, .event = 2, .stack = birth};
    why.met_to = {.op = "acq", .object = "m", .address = 256, .event = 4};
    why.after[1] = {.op = "end", .event = 9};
    why.timeline = timeline;
    why.before[0] = {.op = "lock", .object = "M0", .event = 8, .stack = birth};
    finding.sides = sides;
    finding.both_begin = 4100;
    finding.both_end = 4104;
    finding.locks = locks;
    finding.threads = threads;
    finding.memory = {.kind = Memory::kHeap, .begin = 4096, .bytes = 64, .thread = 2, .stack = birth};
    finding.explanation = &why;
  }
};

std::string record_of(const Finding& finding) {
  std::string text;
  Sink sink = sink_of(text);
  write_finding_record(finding, "run-1", 77, sink);
  return text;
}

struct Heard : RecordReader::Handler {
  void run(const RunFacts& run) override { runs.push_back(std::string(run.id) + " " + std::string(run.program)); }
  void end(std::string_view run, const RunEnd& end) override {
    ends.push_back(std::string(run) + " " + std::to_string(end.reports));
  }
  void finding(const Finding& finding, std::string_view run, int process) override {
    findings.push_back(record_of(finding));
    from.push_back(std::string(run) + " " + std::to_string(process));
  }
  std::vector<std::string> runs, ends, findings, from;
};

struct Reading {
  FindingStore store;
  RecordReader reader{store, {}};
  Heard heard;
  RecordLosses losses;

  explicit Reading(std::string_view text) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      reader.line(text.substr(0, end), heard, losses);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
};

TEST(Record, WhatIsWrittenIsReadAgain) {
  const Sample sample;
  const std::string line = record_of(sample.finding);
  ASSERT_FALSE(nlohmann::json::parse(line, nullptr, false).is_discarded()) << line;
  for (const std::string_view part : {R"("forgotten":[false,true])", R"("parent":0)", R"("held":[true,false])"})
    EXPECT_NE(line.find(part), std::string::npos) << part;
  const Reading reading(line);
  ASSERT_EQ(reading.heard.findings.size(), 1u);
  EXPECT_EQ(reading.heard.findings[0], line);
  EXPECT_EQ(reading.heard.from[0], "run-1 77");
}

TEST(Record, EveryKindOfFindingIsReadAgain) {
  const StackFrame frame = {.function = "f", .file = "f.c", .line = 1};
  const FindingStack stacks[] = {
      {.head = FindingStack::kAcquiredWhileHolding, .lock = 1, .held = 2, .thread = 3, .stack = {&frame, 1}},
      {.head = FindingStack::kSignal, .signal = 11, .stack = {&frame, 1}}};
  const FindingLock locks[] = {{.address = 1}, {.address = 2}};
#define DEADHEAT_CHECK(kind_, title, name, type)                                         \
  {                                                                                      \
    Finding finding;                                                                     \
    finding.kind = FindingKind::k##kind_;                                                \
    finding.stacks = stacks;                                                             \
    finding.locks = locks;                                                               \
    finding.cycle_length = 2;                                                            \
    const Side side = {.kind = AccessKind::kFree, .bytes = 1};                           \
    if (FindingKind::k##kind_ <= FindingKind::kExternalRace) finding.sides = {&side, 1}; \
    if (finding.is_race()) finding.stacks = {};                                          \
    const std::string line = record_of(finding);                                         \
    const Reading reading(line);                                                         \
    ASSERT_EQ(reading.heard.findings.size(), 1u) << line;                                \
    EXPECT_EQ(reading.heard.findings[0], line);                                          \
  }
  DEADHEAT_FINDINGS(DEADHEAT_CHECK)
#undef DEADHEAT_CHECK
}

TEST(Record, RunsHaveAnEnd) {
  std::string text;
  Sink sink = sink_of(text);
  write_run_record({.id = "a-1", .program = "/bin/x", .arguments = std::string_view("x\0-v\0", 5)}, sink);
  write_end_record("a-1", {.reports = 3}, sink);
  const Reading reading(text);
  EXPECT_EQ(reading.heard.runs, std::vector<std::string>{"a-1 /bin/x"});
  EXPECT_EQ(reading.heard.ends, std::vector<std::string>{"a-1 3"});
  EXPECT_NE(text.find(R"("arguments":["x","-v"])"), std::string::npos) << text;
}

TEST(Record, ALineThatIsCutCostsOnlyItself) {
  const Sample sample;
  const std::string line = record_of(sample.finding);
  for (size_t length = 1; length + 1 < line.size(); ++length) {
    const Reading reading(line.substr(0, length) + "\n" + line);
    ASSERT_EQ(reading.heard.findings.size(), 1u) << length;
    EXPECT_EQ(reading.losses.cut + reading.losses.damaged, 1u) << length;
  }
}

TEST(Record, TheNextRecordMayBeginInACutLine) {
  const Sample sample;
  const std::string line = record_of(sample.finding);
  const Reading reading(line.substr(0, line.size() / 2) + line);
  EXPECT_EQ(reading.heard.findings.size(), 1u);
  EXPECT_EQ(reading.losses.cut, 1u);
}

TEST(Record, OtherVersionsAreCountedAndNotRead) {
  const Sample sample;
  std::string line = record_of(sample.finding);
  line.replace(line.find("\"record\":1"), 10, "\"record\":7");
  const Reading reading(line);
  EXPECT_TRUE(reading.heard.findings.empty());
  EXPECT_EQ(reading.losses.other_version, 1u);
  EXPECT_EQ(reading.losses.version, 7u);
}

TEST(Record, UnknownKeysDoNoHarm) {
  const Sample sample;
  std::string line = record_of(sample.finding);
  const std::string plain = line;
  line.insert(line.find(",\"kind\""), R"(,"future":{"a":[1,-2.5e3,null,true,"\u00e9\ud83d\ude00"]})");
  EXPECT_EQ(Reading(line).heard.findings, std::vector<std::string>{plain});
}

TEST(Record, NumbersOutOfRangeAreNoRecord) {
  for (
      const std::string_view text :
      {R"({"tool":"deadheat","record":1,"type":"race","run":"r","accesses":[{"op":"read","stack":[{"offset":1,"module":3}]}]})",
       R"({"tool":"deadheat","record":1,"type":"race","run":"r","accesses":[]})",
       R"({"tool":"deadheat","record":1,"type":"end","run":"r","reports":99999999999999999999})",
       R"({"tool":"deadheat","record":1,"type":"race","run":"r","kind":"nothing","accesses":[{}]})"}) {
    const Reading reading(text);
    EXPECT_TRUE(reading.heard.findings.empty() && reading.heard.ends.empty()) << text;
    EXPECT_EQ(reading.losses.cut + reading.losses.damaged, 1u) << text;
  }
}

// The picture of the two threads follows the steps' numbers.
TEST(Record, AStepThatOrdersOneThatIsNotThereIsNoRecord) {
  const Sample sample;
  const std::string line = record_of(sample.finding), orders = R"("orders":1)";
  const size_t at = line.find(orders);
  ASSERT_NE(at, std::string::npos);
  EXPECT_TRUE(Reading(std::string(line).replace(at, orders.size(), R"("orders":2)")).heard.findings.empty());
}

// Any change of a record is read as some record or as none; nothing is read that is not there (make asan).
TEST(Record, HostileBytes) {
  const Sample sample;
  const std::string line = record_of(sample.finding);
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string hostile = line;
    for (int change = 0; change < 1 + round % 4; ++change) {
      const size_t at = random() % hostile.size();
      switch (random() % 3) {
        case 0:
          hostile[at] = static_cast<char>(random());
          break;
        case 1:
          hostile.erase(at, random() % 9);
          break;
        default:
          hostile.insert(at, hostile.substr(random() % hostile.size(), random() % 30));
      }
    }
    const Reading reading(hostile);
    Merge merge(std::make_shared<FindingStore>());
    EXPECT_LE(reading.heard.findings.size(), 2u);
  }
}

TEST(JsonCursor, TextsAreDecoded) {
  JsonCursor json(R"(["plain","a\"b\\\/\b\f\n\r\t","\u0041\u00e9\u20ac\ud83d\ude00","\ud800x","\udc00"])");
  std::vector<std::string> texts;
  json.array([&] { texts.emplace_back(json.text()); });
  EXPECT_FALSE(json.failed());
  EXPECT_EQ(texts, (std::vector<std::string>{"plain", "a\"b\\/\b\f\n\r\t", "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
                                             "\xef\xbf\xbdx", "\xef\xbf\xbd"}));
}

TEST(JsonCursor, WhatIsNoJsonFails) {
  for (const std::string_view text : {"[", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":}", "\"open", "\"\\x\"", "\"a\nb\"",
                                      "tru", "", "{\"a\":1,}", "\"\\u12\""}) {
    JsonCursor json(text);
    json.skip();
    EXPECT_TRUE(json.failed() || !json.at_end()) << text;
  }
  const std::string brackets(1000, '[');
  JsonCursor deep(brackets);
  deep.skip();
  EXPECT_TRUE(deep.failed());
}

TEST(JsonCursor, NumbersKeepAllBits) {
  JsonCursor json("[18446744073709551615,0,-9223372036854775807]");
  std::vector<uint64_t> numbers;
  int64_t last = 0;
  json.array([&] {
    if (numbers.size() < 2)
      numbers.push_back(json.number());
    else
      last = json.signed_number();
  });
  EXPECT_FALSE(json.failed());
  EXPECT_EQ(numbers, (std::vector<uint64_t>{UINT64_MAX, 0}));
  EXPECT_EQ(last, -9223372036854775807);
}

}  // namespace
}  // namespace deadheat::test
