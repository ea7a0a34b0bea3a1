// docs/trace-format.md must say what the code does: its table of operations is compared with kEventKinds row by row,
// and its binary constants with binary_format.h.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "event/binary_format.h"
#include "event/text_notation.h"
#include "support/paths.h"

namespace deadheat::test {
namespace {

std::string document() {
  std::ifstream file(source_folder() + "/docs/trace-format.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

// What the code says about an operation, as a row of the document.
std::string row_of(const EventKindInfo& kind) {
  std::string notation = usage_of(kind.kind);
  const size_t outcome = notation.find("ok|fail");
  if (outcome != std::string::npos) notation.replace(outcome, 7, kind.kind == EventKind::kCasOk ? "ok" : "fail");
  return fmt::format("| {} | `{}` | {} |", static_cast<int>(kind.kind), notation, kind.meaning);
}

TEST(TraceFormatDocument, ListsEveryOperationAndNoOther) {
  std::vector<std::string> rows;
  std::ifstream file(source_folder() + "/docs/trace-format.md");
  bool in_table = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "| number | notation | meaning |") {
      in_table = true;
      std::getline(file, line);
    } else if (in_table && line.starts_with("|")) {
      rows.push_back(line);
    } else {
      in_table = false;
    }
  }
  std::vector<std::string> expected;
  for (const EventKindInfo& kind : kEventKinds) expected.push_back(row_of(kind));
  EXPECT_EQ(rows, expected);
}

TEST(TraceFormatDocument, NamesTheConstants) {
  const std::string text = document();
  const auto says = [&text](const std::string& part) { return text.find(part) != std::string::npos; };
  std::string magic, marker;
  for (unsigned char c : kBinaryMagic) magic += fmt::format("{}{:02x}", magic.empty() ? "" : " ", c);
  for (unsigned char c : kBlockMarker) marker += fmt::format("{}{:02x}", marker.empty() ? "" : " ", c);
  EXPECT_TRUE(says("`" + magic + "`"));
  EXPECT_TRUE(says("`" + marker + "`"));
  EXPECT_TRUE(says(fmt::format("version is {}", kBinaryVersion)));
  EXPECT_TRUE(says(fmt::format("at most {} events", kMaxBlockEvents)));
  EXPECT_TRUE(says(fmt::format("at most {} bytes", kMaxRawBytes)));
  for (std::string_view order : kMemoryOrderNames) EXPECT_TRUE(says(fmt::format("`{}`", order))) << order;
}

}  // namespace
}  // namespace deadheat::test
