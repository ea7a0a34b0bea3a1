#include "live/ground/own_file.h"

#include <sys/stat.h>

#include "live/ground/sys.h"

namespace deadheat::live {
namespace {

bool look(int fd, uint64_t& device, uint64_t& inode) {
  struct stat about = {};
  if (sys::failed(sys::call(SYS_fstat, fd, reinterpret_cast<long>(&about)))) return false;
  device = about.st_dev;
  inode = about.st_ino;
  return true;
}

}  // namespace

int out_of_the_way(int fd) {
  constexpr int kFrom = 1000;  // most limits are 1024, and a larger number would make the system's table larger
  const long moved = sys::call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, kFrom);
  if (sys::failed(moved)) return fd;
  sys::close(fd);
  return static_cast<int>(moved);
}

void OwnFile::take(int fd) {
  leave();
  fd_ = out_of_the_way(fd);
  look(fd_, device_, inode_);
}

void OwnFile::leave() {
  const int mine = fd();
  if (mine >= 0) sys::close(mine);
  fd_ = -1;
}

int OwnFile::fd() const {
  uint64_t device = 0, inode = 0;
  return fd_ >= 0 && look(fd_, device, inode) && device == device_ && inode == inode_ ? fd_ : -1;
}

}  // namespace deadheat::live
