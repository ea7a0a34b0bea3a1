// The data of HTML reports: everything that a report shows is in them, and no text gets out of its place.
#include <fstream>
#include <nlohmann/json.hpp>

#include "gtest/gtest.h"
#include "report/formats.h"
#include "report/html_page.h"
#include "support/sample_report.h"

namespace deadheat {
namespace {

using nlohmann::json;

std::string page_of(const ReportModel& model, const FormatStyle& style = {}) {
  char* bytes = nullptr;
  size_t size = 0;
  std::FILE* const out = open_memstream(&bytes, &size);
  write_html(model, style, out);
  std::fclose(out);
  std::string page(bytes, size);
  std::free(bytes);
  return page;
}

// What stands between the two parts of the page, after a check that these are whole.
std::string data_text(const std::string& page) {
  EXPECT_TRUE(page.starts_with(kPageBeforeData));
  EXPECT_TRUE(page.ends_with(kPageAfterData));
  return page.substr(kPageBeforeData.size(), page.size() - kPageBeforeData.size() - kPageAfterData.size());
}

class SourceFile {
 public:
  explicit SourceFile(std::string_view text) : name_(::testing::TempDir() + "model_html_test.cpp.txt") {
    std::ofstream(name_, std::ios::binary) << text;
  }
  ~SourceFile() { std::remove(name_.c_str()); }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

TEST(ModelHtml, HasWhatAReportShows) {
  std::string lines;
  for (int i = 1; i <= 30; ++i) lines += "line " + std::to_string(i) + "\n";
  const SourceFile source(lines);
  const json data = json::parse(data_text(page_of(testing::varied_report(source.name()))));
  ASSERT_EQ(data["groups"].size(), 7u);
  const json& group = data["groups"][0];
  EXPECT_EQ(group["kindText"], "write-write race");
  EXPECT_EQ(group["races"], 1842);
  EXPECT_EQ(group["runs"], json::parse("[[0,1800],[1,42]]"));
  const json& example = group["examples"][0];
  ASSERT_EQ(example["sides"].size(), 2u);
  EXPECT_EQ(example["sides"][1]["threadName"], "worker-2");
  EXPECT_EQ(example["sides"][1]["locks"][0]["address"], example["locks"][0]["address"]);
  EXPECT_EQ(example["timeline"].size(), 6u);
  EXPECT_EQ(example["timeline"][0]["orders"], 1);
  EXPECT_EQ(example["timeline"][3]["access"], true);
  EXPECT_EQ(example["timeline"][3]["column"], 0) << "the earlier access is on the left";
  EXPECT_FALSE(example["why"].empty());
  // The frames and the source of the second access.
  const json& stack = data["stacks"][example["sides"][0]["stack"].get<size_t>()];
  EXPECT_EQ(data["frames"][stack[0].get<size_t>()][0], "Cache::flush()");
  const json& excerpt = data["excerpts"][example["sides"][0]["excerpt"].get<size_t>()];
  EXPECT_EQ(excerpt["lines"][4], json::parse(R"([17, "line 17", true])"));
  EXPECT_EQ(excerpt["newer"], true);
  // A trace has threads with names only, and its locations are split into file and line.
  const json& traced = data["groups"][6]["examples"][0]["sides"][1];
  EXPECT_EQ(traced["threadName"], "alice");
  EXPECT_EQ(traced["traced"], true);
  EXPECT_EQ(traced["event"], 9);
  EXPECT_EQ(data["frames"][data["stacks"][traced["stack"].get<size_t>()][0].get<size_t>()][2], 17);
}

TEST(ModelHtml, ShowsNoSourceIfNotAskedTo) {
  const SourceFile source("one\n");
  FormatStyle style;
  style.with_source = false;
  const json data = json::parse(data_text(page_of(testing::report_of("x", source.name()), style)));
  EXPECT_TRUE(data["excerpts"].empty());
}

TEST(ModelHtml, NoTextGetsOutOfTheData) {
  for (const std::string& text : testing::hostile_texts()) {
    const SourceFile source(text + "\n");
    const std::string data = data_text(page_of(testing::report_of(text, source.name())));
    for (const char c : data) {
      ASSERT_GE(c, ' ') << text;
      ASSERT_LE(c, '~') << text;
      ASSERT_TRUE(c != '<' && c != '>' && c != '&') << text;
    }
    ASSERT_TRUE(json::accept(data)) << text;
    const json parsed = json::parse(data);
    if (text.size() < 1000 && json::accept(json(text).dump(-1, ' ', true, json::error_handler_t::ignore)) &&
        json(text).dump(-1, ' ', true, json::error_handler_t::ignore) ==
            json(text).dump(-1, ' ', true, json::error_handler_t::replace)) {
      EXPECT_EQ(parsed["groups"][0]["title"], text);
      EXPECT_EQ(parsed["groups"][0]["examples"][0]["sides"][1]["threadName"], text);
    }
    EXPECT_LT(data.size(), 600'000u) << "long texts are cut";
  }
}

// The page itself: nothing is loaded from elsewhere, and only its own script may run.
TEST(ModelHtml, ThePageNeedsNoNetwork) {
  const std::string page = std::string(kPageBeforeData) + std::string(kPageAfterData);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(page.find("unsafe-"), std::string::npos);
  EXPECT_EQ(page.find("innerHTML"), std::string::npos);
  EXPECT_EQ(page.find('@' + std::string("SCRIPT")), std::string::npos);
  for (size_t at = page.find("http"); at != std::string::npos; at = page.find("http", at + 1))
    EXPECT_TRUE(page.compare(at, 10, "http-equiv") == 0 || page.compare(at, 26, "http://www.w3.org/2000/svg") == 0)
        << page.substr(at, 60);
}

}  // namespace
}  // namespace deadheat
