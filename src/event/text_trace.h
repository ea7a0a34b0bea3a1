// Text traces as streams: reads and writes the lines of `text_notation.h`.
//
// Promises Memory is bounded by the names and one buffer. Only lines that carry an event are numbered. An error is
//          thrown only after the events before it have been handed out. So the first error of a file is the one that
//          the user sees, whether the reader finds it or a later stage.
// Cost     About 100 ns a line, most of it looking up three names.
// Tested by test/unit/text_trace_test.cpp, test/fuzz
#pragma once

#include <memory>
#include <string>

#include "event/byte_stream.h"
#include "event/text_notation.h"
#include "event/trace.h"

namespace deadheat {

class TextReader final : public TraceReader {
 public:
  // `head` is what was already read of the file to tell its form.
  TextReader(InputFile file, std::string_view head, const ReaderOptions& options);

  bool next(Batch& batch) override;
  std::string position(const Batch& batch, size_t i) const override;
  double progress() const override { return file_.progress(); }
  uint64_t bytes_read() const override { return bytes_before_ + begin_; }

 private:
  bool next_line(std::string_view& line);
  void malformed(Batch& batch, const std::string& problem);

  InputFile file_;
  ReaderOptions options_;
  LineParser parser_{names_};
  std::unique_ptr<char[]> buffer_;
  size_t begin_ = 0;  // the unread part of the buffer
  size_t end_ = 0;
  uint64_t bytes_before_ = 0;  // of the file before the buffer
  bool at_end_ = false;        // the file has no more bytes than the buffer
  bool line_too_long_ = false;
  uint64_t line_number_ = 0;  // of the line read last, from 1
  uint64_t events_ = 0;
  std::string error_;  // waits until the events before it are out
};

class TextWriter final : public TraceWriter {
 public:
  explicit TextWriter(const std::string& path) : file_(path) {}
  void write(const Batch& batch, const Names& names) override;
  void finish() override;

 private:
  OutputFile file_;
  std::string buffer_;
};

}  // namespace deadheat
