// Where a subcommand writes its result: standard output, or a file that appears whole or not at all.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace deadheat::cli {

// Writes go to `file()`; `finish` says whether all of them arrived. A named file is written beside its place under
// another name and renamed by `finish`, so that a reader never sees half of it and a failure leaves the old one.
class Output {
 public:
  // "" and "-" are standard output. Throws UsageError if the file cannot be created.
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  std::FILE* file() { return file_; }
  // Must be called once at the end; throws UsageError if anything was not written.
  void finish();

 private:
  [[noreturn]] void fail(int error) const;

  std::string path_;            // empty for standard output
  std::string temporary_path_;  // empty if there is no file to rename
  std::FILE* file_;
};

// Throws UsageError if the file could not be created: before long work, whose result would be lost.
inline void check_writable(const std::string& path) { const Output tried(path); }

void print_to_stdout(std::string_view text);

}  // namespace deadheat::cli
