#include "event/event_block.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace deadheat::test {
namespace {

// Tables of ten names each.
Names ten_of_each() {
  Names names;
  for (int i = 0; i < 10; ++i) {
    const std::string name = "n" + std::to_string(i);
    names.intern_variable(name);
    names.threads.intern(name);
    names.locks.intern(name);
    names.messages.intern(name);
    names.barriers.intern(name);
    names.semaphores.intern(name);
    names.conditions.intern(name);
    names.locations.intern(name);
  }
  return names;
}

bool is_sane(const Event& event) {
  const EventKindInfo& row = info(event.kind);
  if (event.kind == EventKind::kNothing) return event == Event{};
  if (index(event.thread) >= 10 || (event.location != kNoLocation && index(event.location) >= 10)) return false;
  if (event.order > MemoryOrder::kSeqCst || (!row.has_order && event.order != MemoryOrder::kRelaxed)) return false;
  if (event.is_range) {
    if (row.operand != Operand::kVariable && row.operand != Operand::kObject) return false;
    if (row.operand == Operand::kVariable && event.size == 0 && !is_atomic_access(event.kind)) return false;
    return event.size == 0 || event.size - 1 <= UINT64_MAX - event.target;
  }
  if (event.size != 0 && event.kind != EventKind::kAlloc) return false;
  return row.operand == Operand::kNone ? event.target == 0 : event.target < 10;
}

// Any events that a reader may hand out.
std::vector<Event> random_events(std::mt19937_64& random, size_t count) {
  std::vector<Event> events;
  while (events.size() < count) {
    Event event;
    event.kind = static_cast<EventKind>(random() % kEventKindCount);
    const EventKindInfo& row = info(event.kind);
    if (event.kind != EventKind::kNothing) {
      event.thread = static_cast<ThreadId>(random() % 4 == 0 ? random() % 10 : 3);
      if (random() % 4 != 0) event.location = static_cast<LocationId>(random() % 10);
      if (row.has_order) event.order = static_cast<MemoryOrder>(random() % 6);
      event.is_range = (row.operand == Operand::kVariable || row.operand == Operand::kObject) && random() % 2 == 0;
      if (row.operand != Operand::kNone) event.target = event.is_range ? random() >> random() % 64 : random() % 10;
      if (event.kind == EventKind::kAlloc || (event.is_range && row.operand == Operand::kVariable))
        event.size = 1 + random() % 100;
    }
    if (is_sane(event)) events.push_back(event);
  }
  return events;
}

std::string encode(const std::vector<Event>& events) {
  EventBlockEncoder encoder;
  encoder.add(events);
  std::string payload;
  for (const std::string_view column : encoder.finish()) payload += column;
  return payload;
}

// Decodes a whole block in chunks of any size. What is wrong with it, or nullptr.
const char* decode(const std::string& payload, uint32_t count, const Names& names, std::vector<Event>& events) {
  std::string with_slack = payload;
  with_slack.append(EventBlockDecoder::kSlackBytes, '\xEE');
  EventBlockDecoder decoder;
  if (const char* wrong = decoder.begin(std::string_view(with_slack).substr(0, payload.size()), count, names))
    return wrong;
  uint32_t chunk = 1;
  while (decoder.remaining() > 0) {
    const uint32_t n = std::min(decoder.remaining(), chunk);
    const size_t before = events.size();
    events.resize(before + n);
    if (const char* wrong = decoder.decode(events.data() + before, n)) {
      events.resize(before);
      return wrong;
    }
    chunk = chunk * 3 % 4099 + 1;
    chunk = std::min<uint32_t>(chunk, EventBlockDecoder::kChunkEvents);
  }
  return nullptr;
}

// The events of all blocks that these become, and how many blocks they are.
size_t through_blocks(std::span<const Event> events, const Names& names, std::vector<Event>& decoded) {
  EventBlockEncoder encoder;
  size_t blocks = 0;
  for (std::span<const Event> left = events; !left.empty(); ++blocks) {
    const size_t taken = encoder.add(left);
    if (taken == 0) break;
    std::string payload;
    for (const std::string_view column : encoder.finish()) payload += column;
    EXPECT_EQ(decode(payload, static_cast<uint32_t>(taken), names, decoded), nullptr);
    left = left.subspan(taken);
  }
  return blocks;
}

TEST(EventBlock, GivesBackWhatWentIn) {
  const Names names = ten_of_each();
  std::mt19937_64 random(1);
  for (size_t count : {1u, 2u, 10u, 1000u, kMaxBlockEvents}) {
    const std::vector<Event> events = random_events(random, count);
    std::vector<Event> decoded;
    EXPECT_LE(through_blocks(events, names, decoded), 1 + count / 5000) << count;
    ASSERT_TRUE(decoded == events) << count;
  }
}

// A row, by its first event.
struct Row {
  Event event;
  size_t count;
  uint64_t step;

  uint32_t known(size_t i, uint64_t& target) const {
    target = event.target + i * step;
    return EventBlockEncoder::kNoSite;
  }
  EventSite site(size_t) const { return {event.size, event.location, event.kind, event.order, event.is_range}; }
  void found(size_t, uint32_t) {}
};

TEST(EventBlock, ARowIsAsItsEventsOneByOne) {
  const Names names = ten_of_each();
  std::mt19937_64 random(7);
  EventBlockEncoder encoder;
  std::vector<Event> events, decoded;
  const auto end_block = [&] {
    const uint32_t count = encoder.count();
    std::string payload;
    for (const std::string_view column : encoder.finish()) payload += column;
    ASSERT_EQ(decode(payload, count, names, decoded), nullptr);
  };
  for (int i = 0; i < 400; ++i) {
    // Accesses in between, so that a row meets any history.
    for (const Event& event : random_events(random, random() % 4)) {
      if (encoder.add({&event, 1}) == 0) {
        end_block();
        encoder.add({&event, 1});
      }
      events.push_back(event);
    }
    Row row{{}, 1 + (random() % 3 == 0 ? random() % 3 : random() % 3000), 0};
    row.event.kind = random() % 2 == 0 ? EventKind::kRead : EventKind::kWrite;
    row.event.thread = static_cast<ThreadId>(random() % 3);
    row.event.location = static_cast<LocationId>(random() % 3);
    row.event.is_range = true;
    row.event.size = uint64_t{1} << random() % 4;
    row.event.target = (uint64_t{1} << 40) + random() % 64;
    const uint64_t far = uint64_t{1} << random() % 26;
    row.step = row.event.size * (random() % 2 == 0 ? far : 0 - far);
    while (row.count > 0) {
      const size_t taken = encoder.add_row(row.event.thread, row.count, row.step, row);
      for (size_t n = 0; n < taken; ++n, row.event.target += row.step) events.push_back(row.event);
      row.count -= taken;
      if (row.count > 0) end_block();
    }
  }
  end_block();
  ASSERT_EQ(decoded.size(), events.size());
  ASSERT_TRUE(decoded == events);
}

TEST(EventBlock, AnEncoderStartsAfreshAfterEachBlock) {
  std::mt19937_64 random(2);
  const std::vector<Event> first = random_events(random, 500), second = random_events(random, 700);
  EventBlockEncoder encoder;
  const auto encode_with = [&encoder](const std::vector<Event>& events) {
    encoder.add(events);
    std::string payload;
    for (const std::string_view column : encoder.finish()) payload += column;
    return payload;
  };
  encode_with(first);
  EXPECT_EQ(encode_with(second), encode(second));
}

Names many_of_each() {
  Names names;
  for (int i = 0; i < 3000; ++i) {
    names.threads.intern("T" + std::to_string(i));
    names.locations.intern(std::to_string(i));
    names.intern_variable("V" + std::to_string(i));
  }
  return names;
}

TEST(EventBlock, ManySitesNeedWideIndexes) {
  const Names names = many_of_each();
  std::vector<Event> events;
  for (uint32_t i = 0; i < kMaxBlockEvents; ++i)
    events.push_back({i * 7 % 3000, 0, ThreadId{i / 5 % 2}, LocationId{i * 13 % 2999}, EventKind::kWrite});
  std::vector<Event> decoded;
  ASSERT_EQ(decode(encode(events), kMaxBlockEvents, names, decoded), nullptr);
  EXPECT_TRUE(decoded == events);
}

TEST(EventBlock, ABlockIsFullBeforeSitesOfThreadsShareAPlace) {
  const Names names = many_of_each();
  std::vector<Event> events;
  for (uint32_t i = 0; i < kMaxBlockEvents / 8; ++i)
    events.push_back({i * 7 % 3000, 0, ThreadId{i * 11 % 3000}, LocationId{i * 13 % 2999}, EventKind::kWrite});
  std::vector<Event> decoded;
  const size_t blocks = through_blocks(events, names, decoded);
  EXPECT_GT(blocks, 1u);
  EXPECT_LT(blocks, events.size() / 200);
  EXPECT_TRUE(decoded == events);
}

TEST(EventBlock, AWalkThroughAnArrayIsNearlyFree) {
  std::vector<Event> events;
  for (uint32_t i = 0; i < 1000; ++i) events.push_back({i, 0, ThreadId{0}, LocationId{0}, EventKind::kRead});
  EventBlockEncoder encoder;
  encoder.add(events);
  const EventColumns& columns = encoder.finish();
  EXPECT_LE(columns[0].size() + columns[1].size(), 30u) << "dictionary and runs do not grow with the events";
  EXPECT_EQ(columns[2].size(), 1000u);
  EXPECT_EQ(columns[3].size(), 0u);
  EXPECT_LE(columns[4].size(), 1000u) << "a difference of one is one byte";
}

TEST(EventBlock, AnObjectIsNotAllocatedByANameThatReadsAsAnAddress) {
  Names names;
  names.threads.intern("T");
  names.intern_variable("0x10");
  std::vector<Event> decoded;
  EXPECT_EQ(decode(encode({{0, 0, ThreadId{0}, kNoLocation, EventKind::kRead}}), 1, names, decoded), nullptr);
  EXPECT_STREQ(decode(encode({{0, 0, ThreadId{0}, kNoLocation, EventKind::kFree}}), 1, names, decoded),
               "it allocates or frees an object by an impossible name");
}

// Damaged payloads whose checksum is right: only the decoder stands between them and the analysis.
TEST(EventBlock, NeverHandsOutWhatCannotBe) {
  const Names names = ten_of_each();
  const Names none;
  std::mt19937_64 random(3);
  size_t refused = 0;
  constexpr int kTries = 20000;
  for (int i = 0; i < kTries; ++i) {
    const auto count = static_cast<uint32_t>(1 + random() % 40);
    std::string payload = encode(random_events(random, count));
    for (uint64_t changes = 1 + random() % 3; changes > 0; --changes) {
      const size_t at = random() % payload.size();
      switch (random() % 3) {
        case 0:
          payload[at] = static_cast<char>(random());
          break;
        case 1:
          payload.erase(at, 1 + random() % 3);
          break;
        default:
          payload.insert(at, 1 + random() % 3, static_cast<char>(random()));
      }
      if (payload.empty()) payload = "x";
    }
    std::vector<Event> decoded;
    if (decode(payload, count, names, decoded) != nullptr) ++refused;
    for (const Event& event : decoded) ASSERT_TRUE(is_sane(event)) << "seed 3, try " << i;
    std::vector<Event> nameless;
    decode(payload, count, none, nameless);
    for (const Event& event : nameless) ASSERT_TRUE(event.kind == EventKind::kNothing) << "seed 3, try " << i;
  }
  EXPECT_GT(refused, size_t{kTries} / 2);
  EXPECT_LT(refused, size_t{kTries});
}

}  // namespace
}  // namespace deadheat::test
