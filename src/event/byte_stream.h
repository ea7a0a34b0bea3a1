// Files as streams of bytes: an input that is only ever read forward, an output that appears whole or not at all.
//
// Promises "-" is standard input or output. Every failure is a TraceError of one line that names the file. An output
//          file is written beside its place and renamed when it is complete; if it never is, nothing is left behind.
//          What is not a regular file (a pipe, /dev/null) is written directly.
// Tested by test/unit/byte_stream_test.cpp
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "event/trace.h"

namespace deadheat {

class InputFile {
 public:
  explicit InputFile(const std::string& path);
  InputFile(InputFile&& other) noexcept;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  // Up to `size` bytes, fewer only at the end of the input.
  size_t read(char* buffer, size_t size);
  const std::string& name() const { return name_; }
  // The share of the file read so far; negative for a pipe.
  double progress() const;

 private:
  std::string name_;  // as errors show it
  int fd_ = -1;
  uint64_t read_ = 0;
  uint64_t size_ = 0;  // 0 if it is not known
};

class OutputFile {
 public:
  // `growing`: in its place from the beginning.
  explicit OutputFile(const std::string& path, bool growing = false);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view bytes);
  // Puts the file in its place. Without it the output is taken back.
  void commit();
  const std::string& name() const { return name_; }

 private:
  [[noreturn]] void fail(const char* what, int error) const;

  std::string name_;
  std::string target_;     // where the file goes in the end; empty if it is written directly
  std::string temporary_;  // where it is until then
  int fd_ = -1;
};

}  // namespace deadheat
