// Pieces of the command line that a transcript cannot show well.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "cli/trace_analysis.h"
#include "cli/usage.h"

namespace deadheat::cli {
namespace {

namespace fs = std::filesystem;

TEST(Nearest, FindsWhatWasMeant) {
  const std::vector<std::string> names = {"empty", "basicvc", "djit+", "fasttrack", "slimstate"};
  EXPECT_EQ(nearest("fastrack", names), "fasttrack");
  EXPECT_EQ(nearest("fsattrack", names), "fasttrack");
  EXPECT_EQ(nearest("djit", names), "djit+");
  EXPECT_EQ(nearest("basic", names), "basicvc");
  EXPECT_EQ(nearest("zzz", names), "");
  EXPECT_EQ(nearest("x", names), "");
  EXPECT_EQ(nearest("", names), "");
}

TEST(ProgressLine, HasBarSpeedAndTimeLeft) {
  EXPECT_EQ(progress_line({25'000'000, 0.25}, 2.0),
            "[######..................]  25 %  25.0 M events, 12.5 M events/s, 0:06 left");
  EXPECT_EQ(progress_line({1'500, 1.0}, 3.0),
            "[########################] 100 %  1.5 k events, 500 events/s, 0:00 left");
  EXPECT_EQ(progress_line({3'000'000'000, 0.5}, 7200),
            "[############............]  50 %  3.00 G events, 416.7 k events/s, 2:00:00 left");
}

TEST(ProgressLine, PromisesNoEndOfAPipe) {
  EXPECT_EQ(progress_line({4'000'000, -1}, 2.0), "4.0 M events, 2.0 M events/s");
  EXPECT_EQ(progress_line({4'000'000, -1}, 2.0, "records"), "4.0 M records, 2.0 M records/s");
}

TEST(Losses, AreSaidOnlyIfThereAreAny) {
  EXPECT_EQ(describe_losses({}), "");
  Losses losses;
  losses.skipped_lines = 3;
  losses.repaired_events = 1;
  EXPECT_EQ(describe_losses(losses), "3 malformed lines skipped, 1 event repaired");
}

class OutputTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/deadheat-output-XXXXXX";
    folder_ = mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string content() const {
    std::ifstream file(folder_ / "out");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  size_t files() const { return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {})); }

  fs::path folder_;
};

TEST_F(OutputTest, KeepsTheOldFileUntilTheNewOneIsWhole) {
  std::ofstream(folder_ / "out") << "old";
  {
    Output output(folder_ / "out");
    std::fputs("new", output.file());
    std::fflush(output.file());
    EXPECT_EQ(content(), "old");
    output.finish();
    EXPECT_EQ(content(), "new");
  }
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputTest, LeavesNothingBehindWhenItIsNotFinished) {
  {
    Output output(folder_ / "out");
    std::fputs("half", output.file());
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(OutputTest, SaysThatTheDiskIsFull) {
  Output output("/dev/full");
  std::fputs("text", output.file());
  try {
    output.finish();
    FAIL() << "nothing was said";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "cannot write /dev/full: No space left on device");
  }
}

}  // namespace
}  // namespace deadheat::cli
