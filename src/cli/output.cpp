#include "cli/output.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/commands.h"

namespace deadheat::cli {

namespace {

// A device or a pipe cannot be replaced by a rename, and must not be: `--output /dev/null` writes to it.
bool is_written_in_place(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

}  // namespace

Output::Output(const std::string& path) : path_(path == "-" ? "" : path), file_(stdout) {
  if (path_.empty()) return;
  if (is_written_in_place(path_)) {
    file_ = std::fopen(path_.c_str(), "w");
    if (file_ == nullptr) fail(errno);
    return;
  }
  struct stat status{};
  if (stat(path_.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) fail(EISDIR);
  temporary_path_ = path_ + ".XXXXXX";
  const int descriptor = mkstemp(temporary_path_.data());
  if (descriptor < 0) {
    temporary_path_.clear();
    fail(errno);
  }
  // mkstemp makes the file private; the result gets the rights any new file would have.
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(descriptor, 0666 & ~mask);
  file_ = fdopen(descriptor, "w");
}

Output::~Output() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
  if (!temporary_path_.empty()) unlink(temporary_path_.c_str());
}

void Output::finish() {
  if (std::fflush(file_) != 0) fail(errno);
  if (std::ferror(file_) != 0) fail(EIO);
  if (file_ != stdout) {
    std::FILE* closing = file_;
    file_ = nullptr;
    if (std::fclose(closing) != 0) fail(errno);
  }
  if (!temporary_path_.empty()) {
    if (std::rename(temporary_path_.c_str(), path_.c_str()) != 0) fail(errno);
    temporary_path_.clear();
  }
}

void Output::fail(int error) const {
  throw UsageError(
      fmt::format("cannot write {}: {}", path_.empty() ? "standard output" : path_.c_str(), std::strerror(error)));
}

void print_to_stdout(std::string_view text) {
  Output output("-");
  std::fwrite(text.data(), 1, text.size(), output.file());
  output.finish();
}

}  // namespace deadheat::cli
