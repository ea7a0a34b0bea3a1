#include "event/byte_stream.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/temporary_folder.h"

namespace deadheat::test {
namespace {

template <class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const TraceError& error) {
    return error.what();
  }
  return "";
}

TEST(OutputFile, AppearsWholeOrNotAtAll) {
  const TemporaryFolder folder;
  folder.write("out", "old");
  {
    OutputFile file(folder.path("out"));
    file.write("half");
    EXPECT_EQ(folder.read("out"), "old");
  }
  EXPECT_EQ(folder.read("out"), "old");
  EXPECT_EQ(folder.files(), 1u) << "nothing is left of the attempt";
  {
    OutputFile file(folder.path("out"));
    file.write("whole");
    file.commit();
  }
  EXPECT_EQ(folder.read("out"), "whole");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(OutputFile, KeepsPermissionsAndFollowsLinks) {
  const TemporaryFolder folder;
  folder.write("real", "old");
  chmod(folder.path("real").c_str(), 0640);
  std::filesystem::create_symlink(folder.path("real"), folder.path("link"));
  OutputFile file(folder.path("link"));
  file.write("new");
  file.commit();
  EXPECT_EQ(folder.read("real"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  struct stat status = {};
  stat(folder.path("real").c_str(), &status);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST(OutputFile, SaysWhyItCannotBeWritten) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of([&] { OutputFile file(folder.path("no/such")); }),
            folder.path("no/such") + ": cannot be created: No such file or directory");
  EXPECT_EQ(error_of([&] { OutputFile file(folder.path("")); }), folder.path("") + ": is a directory; expected a file");
  EXPECT_EQ(error_of([] {
              OutputFile file("/dev/full");
              file.write("x");
              file.commit();
            }),
            "/dev/full: cannot be written: No space left on device");
}

TEST(OutputFile, WhatIsNoRegularFileIsWrittenDirectly) {
  OutputFile file("/dev/null");
  file.write("x");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(InputFile, ReadsOnAndKnowsHowFarItIs) {
  const TemporaryFolder folder;
  InputFile file(folder.write("in", "0123456789"));
  char bytes[8];
  EXPECT_EQ(file.read(bytes, 4), 4u);
  EXPECT_DOUBLE_EQ(file.progress(), 0.4);
  EXPECT_EQ(file.read(bytes, 8), 6u);
  EXPECT_EQ(file.read(bytes, 8), 0u);
  EXPECT_DOUBLE_EQ(file.progress(), 1);
  EXPECT_LT(InputFile("/dev/null").progress(), 0);
}

}  // namespace
}  // namespace deadheat::test
