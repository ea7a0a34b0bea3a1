#include "event/binary_trace.h"

#include <gtest/gtest.h>

#include <cstring>

#include "support/trace_files.h"

namespace deadheat::test {
namespace {

// One of everything.
constexpr std::string_view kSampler =
    "T1|fork(T2)|1\nT1|begin\n-|nop\nT2|r(x)|7\nT2|w(A[7])|8\nT1|vr(v)\nT1|vw(v)|9\nT2|ld(x,acquire)|1\n"
    "T2|st(x,release)\nT1|rmw(x,acq_rel)\nT1|cas(x,seq_cst,ok)\nT1|cas(x,relaxed,fail)\nT1|acq(L)|2\nT1|rel(L)|3\n"
    "T2|racq(L)\nT2|rrel(L)\nT2|fence(seq_cst)\nT2|wait(C)\nT1|notify(C)\nT1|benter(B)\nT1|bleave(B)\nT1|post(S)\n"
    "T2|swait(S)\nT2|snd(M)\nT1|rcv(M)\nT1|alloc(A,64)\nT1|alloc(0x100,64)\nT1|r(0xffffffffffffffff:1)\n"
    "T1|w(0x10:8)|5\nT1|r(0x10)\nT1|r(0x10.f)\nT1|free(0x100)\nT1|free(A)\nT2|end\nT1|gone(T2)\nT1|join(T2)|4\n";

// Enough events for several blocks, with fields that every column has to carry.
std::string long_text(int events) {
  std::string text;
  uint64_t state = 1;
  for (int i = 0; i < events; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const uint64_t r = state >> 33;
    const std::string thread = "T" + std::to_string(r % 50);
    const std::string place = r % 3 == 0 ? "" : "|f.c:" + std::to_string(r % 400);
    switch (r % 5) {
      case 0:
        text += thread + "|r(V" + std::to_string(r % 30000) + ")" + place + "\n";
        break;
      case 1:
        text += thread + "|w(A[" + std::to_string(i) + "])" + place + "\n";
        break;
      case 2:
        text += thread + "|w(0x" + std::to_string(r) + ":" + std::to_string(1 + r % 8) + ")" + place + "\n";
        break;
      case 3:
        text += thread + "|snd(M" + std::to_string(r % 7) + ")" + place + "\n";
        break;
      default:
        text += thread + "|ld(V" + std::to_string(r % 100) + ",acquire)" + place + "\n";
    }
  }
  return text;
}

struct Block {
  size_t offset;
  BlockHeader header;
};

std::vector<Block> blocks_of(std::string_view file) {
  std::vector<Block> blocks;
  for (size_t at = kFileHeadBytes; at < file.size();) {
    BlockHeader header;
    EXPECT_TRUE(parse_header(file.substr(at), header));
    blocks.push_back({at, header});
    at += kBlockHeaderBytes + header.stored_size;
  }
  return blocks;
}

class BinaryTrace : public testing::Test {
 protected:
  // The binary form of a text, as bytes.
  std::string binary(std::string_view text) {
    convert(folder_.write("t.std", text), folder_.path("t.dht"), TraceForm::kBinary);
    return folder_.read("t.dht");
  }
  ReadTrace read_bytes(std::string_view bytes, bool lenient = false) {
    return read_all(folder_.write("r.dht", bytes), lenient);
  }

  TemporaryFolder folder_;
};

TEST_F(BinaryTrace, RoundTripIsIdentical) {
  for (const std::string& text : {std::string(kSampler), long_text(140000), std::string()}) {
    binary(text);
    const ReadTrace from_text = read_all(folder_.path("t.std"));
    const ReadTrace from_binary = read_all(folder_.path("t.dht"));
    EXPECT_EQ(from_binary.error, "");
    EXPECT_FALSE(from_binary.losses.truncated);
    EXPECT_TRUE(from_binary.text == text);
    EXPECT_TRUE(from_binary.events == from_text.events);
    EXPECT_TRUE(from_binary.numbers == from_text.numbers);
    EXPECT_TRUE(from_binary.variables == from_text.variables);
  }
}

TEST_F(BinaryTrace, TheSamplerHasEveryKind) {
  binary(kSampler);
  std::array<bool, kEventKindCount> seen{};
  for (const Event& event : read_all(folder_.path("t.dht")).events) seen[static_cast<size_t>(event.kind)] = true;
  for (size_t i = 0; i < seen.size(); ++i) EXPECT_TRUE(seen[i]) << kEventKinds[i].meaning;
}

TEST_F(BinaryTrace, ANopNeedsNoThread) {
  binary("-|nop\n-|nop\n");
  EXPECT_EQ(read_all(folder_.path("t.dht")).text, "-|nop\n-|nop\n");
}

TEST_F(BinaryTrace, TheFormIsToldByMagicNotBySuffix) {
  binary(kSampler);
  convert(folder_.path("t.dht"), folder_.path("again.dht"), TraceForm::kText);
  EXPECT_EQ(folder_.read("again.dht"), kSampler);
  EXPECT_EQ(read_all(folder_.path("again.dht")).text, kSampler);
}

TEST_F(BinaryTrace, AFileCutAnywhereIsReadToItsLastWholeBlockAndSaid) {
  const std::string text = long_text(70000);
  const std::string file = binary(text);
  const std::vector<Block> blocks = blocks_of(file);
  ASSERT_GE(blocks.size(), 4u);
  std::vector<size_t> cuts;
  for (const Block& block : blocks)
    for (size_t more : {size_t{0}, size_t{1}, size_t{48}, size_t{49}}) cuts.push_back(block.offset + more);
  for (size_t cut = 1; cut <= kFileHeadBytes; ++cut) cuts.push_back(cut);
  for (size_t cut : cuts) {
    if (cut >= file.size()) continue;
    const ReadTrace trace = read_bytes(std::string_view(file).substr(0, cut));
    ASSERT_EQ(trace.error, "") << cut;
    ASSERT_TRUE(trace.losses.truncated) << cut;
    uint64_t whole = 0;
    for (const Block& block : blocks)
      if (block.header.type == static_cast<uint16_t>(BlockType::kEvents) &&
          block.offset + kBlockHeaderBytes + block.header.stored_size <= cut)
        whole += block.header.count;
    ASSERT_EQ(trace.events.size(), whole) << cut;
    ASSERT_TRUE(text.starts_with(trace.text)) << cut;
  }
}

TEST_F(BinaryTrace, EveryFlippedBitIsNoticed) {
  const std::string file = binary(kSampler);
  for (size_t at = 0; at < file.size(); ++at) {
    if (at >= 12 && at < kFileHeadBytes) continue;  // reserved
    std::string damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    const ReadTrace trace = read_bytes(damaged);
    ASSERT_NE(trace.error, "") << at;
    if (at < kFileHeadBytes) continue;
    ASSERT_NE(trace.error.find("corrupt block at offset"), std::string::npos) << trace.error;
    ASSERT_EQ(trace.error.find('\n'), std::string::npos);
    const ReadTrace lenient = read_bytes(damaged, true);
    ASSERT_EQ(lenient.error, "") << at;
    ASSERT_GE(lenient.losses.skipped_blocks, 1u) << at;
  }
}

TEST_F(BinaryTrace, LenientSkipsACorruptBlockAndKeepsTheNumbers) {
  // All names appear early, so that losing a later block loses nothing else.
  std::string text;
  for (int i = 0; i < 140000; ++i) text += "T" + std::to_string(i % 3) + "|w(V" + std::to_string(i % 1000) + ")|1\n";
  const std::string file = binary(text);
  const std::vector<Block> blocks = blocks_of(file);
  const ReadTrace whole = read_bytes(file);
  for (const Block& block : blocks) {
    if (block.header.type != static_cast<uint16_t>(BlockType::kEvents)) continue;
    for (size_t where : {size_t{2}, size_t{20}, size_t{60}}) {  // marker, header, payload
      std::string damaged = file;
      damaged[block.offset + where] = static_cast<char>(damaged[block.offset + where] ^ 0x55);
      const ReadTrace strict = read_bytes(damaged);
      EXPECT_NE(strict.error.find("corrupt block at offset " + std::to_string(block.offset)), std::string::npos);
      EXPECT_EQ(strict.events.size(), block.header.first_event);
      const ReadTrace lenient = read_bytes(damaged, true);
      EXPECT_EQ(lenient.error, "");
      EXPECT_EQ(lenient.losses.skipped_blocks, 1u + (block.offset == blocks[blocks.size() - 2].offset ? 1 : 0))
          << "the end block also disagrees if the last events are lost";
      ASSERT_EQ(lenient.events.size(), whole.events.size() - block.header.count);
      for (size_t i = 0; i < lenient.events.size(); ++i)
        ASSERT_EQ(lenient.events[i], whole.events[lenient.numbers[i]]) << i;
    }
  }
}

TEST_F(BinaryTrace, UnknownBlocksAreSkipped) {
  std::string file = binary(kSampler);
  const std::string_view payload = "whatever a later version keeps here";
  BlockHeader header;
  header.type = 77;
  header.flags = 0xff;
  header.stored_size = static_cast<uint32_t>(payload.size());
  std::string block;
  append_header(block, header);
  block += payload;
  for (const Block& before : blocks_of(file)) {
    std::string with_block = file;
    with_block.insert(before.offset, block);
    const ReadTrace trace = read_bytes(with_block);
    EXPECT_EQ(trace.error, "");
    EXPECT_EQ(trace.text, kSampler);
    EXPECT_EQ(trace.losses.skipped_blocks, 0u);
  }
}

TEST_F(BinaryTrace, HeadersThatMakeNoSenseAreRefused) {
  const std::string file = binary(kSampler);
  const std::vector<Block> blocks = blocks_of(file);
  const auto with_header = [&](size_t which, auto&& change) {
    std::string changed = file;
    BlockHeader header = blocks[which].header;
    change(header);
    std::string bytes;
    append_header(bytes, header);
    changed.replace(blocks[which].offset, bytes.size(), bytes);
    return read_bytes(changed).error;
  };
  ASSERT_EQ(blocks.size(), 3u);  // names, events, end
  const auto contains = [](const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(contains(with_header(1, [](BlockHeader& h) { h.raw_size = UINT32_MAX; }), "makes no sense"));
  EXPECT_TRUE(contains(with_header(1, [](BlockHeader& h) { h.raw_size += 1; }), "cannot be decompressed"));
  EXPECT_TRUE(contains(with_header(1, [](BlockHeader& h) { h.flags = 2; }), "makes no sense"));
  EXPECT_TRUE(contains(with_header(1, [](BlockHeader& h) { h.flags = 0; }), "makes no sense"));
  EXPECT_TRUE(contains(with_header(1, [](BlockHeader& h) { h.first_event = 5; }), "expected event 0"));
  EXPECT_TRUE(contains(with_header(1, [](BlockHeader& h) { h.count += 1; }), "do not add up"));
  EXPECT_TRUE(contains(with_header(1, [](BlockHeader& h) { h.count = UINT32_MAX; }), "too many events"));
  EXPECT_TRUE(contains(with_header(0, [](BlockHeader& h) { h.count -= 1; }), "number of names"));
  EXPECT_TRUE(contains(with_header(2, [](BlockHeader& h) { h.first_event = 1; }), "ends the trace after 1 events"));
  // A size beyond the end of the file is a file that ends early.
  std::string cut = file;
  BlockHeader header = blocks[1].header;
  header.stored_size = 1 << 20;
  std::string bytes;
  append_header(bytes, header);
  cut.replace(blocks[1].offset, bytes.size(), bytes);
  EXPECT_TRUE(read_bytes(cut).losses.truncated);
}

TEST_F(BinaryTrace, OtherVersionsAndTrailingBytesAreRefused) {
  std::string file = binary(kSampler);
  std::string newer = file;
  newer[8] = 2;
  EXPECT_NE(read_bytes(newer).error.find("is a binary trace of version 2; expected version 1"), std::string::npos);
  EXPECT_NE(read_bytes(file + "x").error.find("bytes after the end"), std::string::npos);
  EXPECT_NE(read_bytes(file + file).error.find("bytes after the end"), std::string::npos);
}

TEST_F(BinaryTrace, PositionsNameEventAndBlock) {
  const std::string file = binary(kSampler);
  EXPECT_EQ(read_all(folder_.path("t.dht")).positions.at(7),
            folder_.path("t.dht") + ": event 7 (block at offset " + std::to_string(blocks_of(file).at(1).offset) + ")");
}

TEST(NamesBlock, RefusesWhatNoTextCouldHold) {
  struct Case {
    char table;
    std::string name;
    bool good;
  };
  const Case cases[] = {{1, "x", true},      {1, "", false},   {1, "a|b", false}, {1, "a\nb", false},
                        {1, "0x1:8", false}, {1, "0x1", true}, {0, "0x1", true},  {2, "#T", false},
                        {3, "#L", true},     {9, "x", false},  {8, "a\tb", true}, {2, "\xEF\xBB\xBFT", false}};
  for (const Case& c : cases) {
    std::string payload(1, c.table);
    append_varint(payload, 0);
    append_varint(payload, 1);
    append_varint(payload, c.name.size());
    payload += c.name;
    Names names;
    EXPECT_EQ(decode_names(payload, 1, names) == nullptr, c.good) << int{c.table} << " '" << c.name << "'";
    Names again;
    EXPECT_NE(decode_names(payload, 2, again), nullptr);
    for (size_t cut = 1; cut < payload.size(); ++cut) {
      Names fresh;
      EXPECT_NE(decode_names(std::string_view(payload).substr(0, cut), 1, fresh), nullptr);
    }
  }
}

TEST(NamesBlock, RefusesANameTwice) {
  std::string payload;
  for (int i : {1, 0, 2}) payload += static_cast<char>(i);
  payload += "\1x\1x";
  Names names;
  EXPECT_STREQ(decode_names(payload, 2, names), "it has a name twice");
}

}  // namespace
}  // namespace deadheat::test
