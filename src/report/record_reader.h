// Reads race records: one line after the other, whatever state the file is in.
//
// Idea     A line that is cut off, damaged, or of another version costs that line only; what was left out is counted.
//          If a program was killed while it wrote, another one's line may follow in the same line: the rest from its
//          head on is read.
// Stacks   Equal stacks are kept once, and equal texts as well, so a hundred thousand records of a few hundred bugs
//          take little memory. A stack whose names are not known is looked up by the caller (`resolve`), once.
// Promises Never fails because of what a file says. What it hands out lives as long as the store; the lists of a
//          finding (sides, threads, locks) only until the next one, unless they are kept (race/merge.h does that).
// Tested by test/unit/record_test.cpp
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "race/findings.h"
#include "report/record_format.h"

namespace deadheat {

// What became of the lines of one file.
struct RecordLosses {
  uint64_t lines = 0;          // that were records
  uint64_t damaged = 0;        // neither a record nor the rest of one
  uint64_t cut = 0;            // that end before the record does
  uint64_t other_version = 0;  // of a version that is not understood
  unsigned version = 0;        // the first of those
};

class RecordReader {
 public:
  struct Handler {
    virtual ~Handler() = default;
    virtual void run(const RunFacts& run) = 0;
    virtual void finding(const Finding& finding, std::string_view run, int process) = 0;
    virtual void end(std::string_view run, const RunEnd& end) = 0;
  };
  // Replaces the frames of a stack by better ones; called once for each distinct stack.
  using Resolve = std::function<void(std::vector<StackFrame>& frames, FindingStore& store)>;

  RecordReader(FindingStore& store, Resolve resolve);
  ~RecordReader();

  // One line, without its end. Counts into `losses`.
  void line(std::string_view text, Handler& handler, RecordLosses& losses);

 private:
  class Parser;
  std::unique_ptr<Parser> parser_;
};

// Reads all of an open file. `progress` gets the number of bytes read so far. False if reading fails (errno).
bool read_records(std::FILE* file, RecordReader& reader, RecordReader::Handler& handler, RecordLosses& losses,
                  const std::function<void(uint64_t)>& progress);

}  // namespace deadheat
