#include "event/byte_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace deadheat {

InputFile::InputFile(const std::string& path) : name_(path == "-" ? "<stdin>" : path) {
  fd_ = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) throw TraceError(fmt::format("{}: cannot be opened: {}", name_, std::strerror(errno)));
  struct stat status = {};
  if (fstat(fd_, &status) != 0) status = {};
  if (S_ISDIR(status.st_mode)) {
    close(fd_);
    throw TraceError(fmt::format("{}: is a directory; expected a trace file", name_));
  }
  if (S_ISREG(status.st_mode)) size_ = static_cast<uint64_t>(status.st_size);
}

InputFile::InputFile(InputFile&& other) noexcept
    : name_(std::move(other.name_)), fd_(std::exchange(other.fd_, -1)), read_(other.read_), size_(other.size_) {}

InputFile::~InputFile() {
  if (fd_ >= 0) close(fd_);
}

size_t InputFile::read(char* buffer, size_t size) {
  size_t got = 0;
  while (got < size) {
    const ssize_t n = ::read(fd_, buffer + got, size - got);
    if (n == 0) break;
    if (n < 0) {
      if (errno == EINTR) continue;
      throw TraceError(fmt::format("{}: cannot be read at offset {}: {}", name_, read_ + got, std::strerror(errno)));
    }
    got += static_cast<size_t>(n);
  }
  read_ += got;
  return got;
}

double InputFile::progress() const {
  if (size_ == 0) return -1;
  return std::min(1.0, static_cast<double>(read_) / static_cast<double>(size_));
}

OutputFile::OutputFile(const std::string& path, bool growing) : name_(path == "-" ? "<stdout>" : path) {
  if (path == "-") {
    fd_ = dup(STDOUT_FILENO);
    if (fd_ < 0) fail("cannot be written", errno);
    return;
  }
  struct stat status = {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw TraceError(fmt::format("{}: is a directory; expected a file", name_));
  if (exists && !S_ISREG(status.st_mode)) {
    fd_ = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) fail("cannot be written", errno);
    return;
  }
  if (growing) {
    fd_ = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd_ < 0) fail("cannot be created", errno);
    return;
  }
  target_ = path;
  if (exists) {  // the file behind a symbolic link is replaced, not the link
    const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), std::free);
    if (real != nullptr) target_ = real.get();
  }
  temporary_ = fmt::format("{}.part{}", target_, getpid());
  fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd_ < 0) {
    const int error = errno;
    temporary_.clear();
    fail("cannot be created", error);
  }
  if (exists && fchmod(fd_, status.st_mode & 07777) != 0) fail("cannot be given its permissions", errno);
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      fail("cannot be written", errno);
    }
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

void OutputFile::commit() {
  const int fd = std::exchange(fd_, -1);
  if (close(fd) != 0) fail("cannot be written", errno);
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot be put in place", errno);
  temporary_.clear();
}

void OutputFile::fail(const char* what, int error) const {
  throw TraceError(fmt::format("{}: {}: {}", name_, what, std::strerror(error)));
}

}  // namespace deadheat
