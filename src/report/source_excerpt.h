// A few lines of source around a place in the code.
//
// Promises Each file is read once, and not at all if it is large or no plain file. Where the file is newer than the run
//          the lines may be other ones: `is_newer` says so, and a writer must tell it. Lines are bytes as they are in the
//          file: the writer escapes them, and shortens what is long.
// Tested by test/unit/report_model_test.cpp
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "race/finding.h"

namespace deadheat {

struct SourceExcerpt {
  struct Line {
    int number = 0;         // from 1
    std::string_view text;  // without the end of the line; lives as long as the SourceFiles
    bool is_place = false;  // the line of the frame
  };
  std::vector<Line> lines;  // empty if the file cannot be read or has no such line
  bool is_newer = false;    // the file was changed after the run began

  bool empty() const { return lines.empty(); }
};

class SourceFiles {
 public:
  // Relative names are looked for in `root`; empty is the current folder.
  explicit SourceFiles(std::string root = {}) : root_(std::move(root)) {}

  // The frame's line and up to `around` lines before and after it. `run_started` is in seconds since 1970; 0 if it is
  // not known. Locations of traces ("bank.cpp:17") are understood.
  SourceExcerpt around(const StackFrame& frame, uint64_t run_started, int around = 3);

 private:
  struct File {
    std::string text;
    std::vector<std::string_view> lines;
    uint64_t changed = 0;  // seconds since 1970
  };
  const File& file(std::string_view name);

  std::string root_;
  std::map<std::string, File, std::less<>> files_;
};

// A location of a trace split into file and line; line 0 if it has none.
struct FileAndLine {
  std::string_view file;
  int line = 0;
};
FileAndLine file_and_line(const StackFrame& frame);

}  // namespace deadheat
