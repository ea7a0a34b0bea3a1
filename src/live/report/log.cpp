#include "live/report/log.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>

#include "base/text.h"
#include "live/ground/inside.h"
#include "live/ground/message.h"
#include "live/ground/options.h"
#include "live/ground/own_file.h"
#include "live/ground/sleep_lock.h"
#include "live/ground/sys.h"
#include "live/modules/symbols.h"

namespace deadheat::live {

namespace {

// All of this is guarded by the lock.
constinit SleepLock log_lock;
int given = 2;  // a descriptor of the program; used where there is no file of ours
constinit OwnFile own;
char own_name[4200];

// The names of logs can be guessed, and every user may be able to write into their folder. So another user could put
// something there first, above all a link, and we must not write to it. A file that is there already must be an
// ordinary file of this user, with no other name. (Links in the path of the folder are followed.)
long open_old(const char*& refused) {
  // A pipe without a reader must not hold us up.
  const long file = sys::open(own_name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_APPEND | O_CLOEXEC);
  if (file == -ELOOP) refused = "is a link";
  if (file == -ENXIO) refused = "is no ordinary file";
  if (sys::failed(file)) return file;
  struct stat about = {};
  if (sys::failed(sys::call(SYS_fstat, file, reinterpret_cast<long>(&about))) || !S_ISREG(about.st_mode))
    refused = "is no ordinary file";
  else if (about.st_uid != static_cast<uid_t>(sys::call(SYS_geteuid)))
    refused = "belongs to another user";
  else if (about.st_nlink > 1)
    refused = "has another name, too";
  if (refused == nullptr) return file;
  sys::close(static_cast<int>(file));
  return -EPERM;
}

// A program that has closed it finds all of it in the file all the same.
bool open_own(bool empty) {
  const char* refused = nullptr;
  long file = sys::open(own_name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (file == -EEXIST) {
    file = open_old(refused);
    if (!sys::failed(file) && empty) sys::call(SYS_ftruncate, file, 0);
  }
  if (!sys::failed(file)) {
    own.take(static_cast<int>(file));
    return true;
  }
  if (refused != nullptr)
    say("%s %s: reports go to standard error", own_name, refused);
  else
    say("cannot write %s (error %ld): reports go to standard error", own_name, -file);
  own_name[0] = 0;
  return false;
}

int log_file() {
  if (own_name[0] == 0) return given;
  const int file = own.fd();
  if (file >= 0) return file;
  return open_own(false) ? own.fd() : given;
}

}  // namespace

void log_start() {
  if (sys::failed(sys::call(SYS_fcntl, 2, F_GETFD))) given = standard_error = -1;
}

void open_log() {
  const BusyGuard held(log_lock);
  const std::string_view path = options.log_path.view();
  own.leave();
  own_name[0] = 0;
  given = same_text(path, "stdout") ? 1 : standard_error;
  if (same_text(path, "stderr") || same_text(path, "stdout")) return;
  Text name(own_name, sizeof own_name);
  name.put(options.log_path.c_str());
  if (options.log_exe_name) name.add(".%s", program_name());
  name.add(".%d", sys::process_id());
  open_own(true);
}

void set_log(int fd) {
  const BusyGuard held(log_lock);
  given = fd;
  own_name[0] = 0;
}

bool log_in_colour() {
  const std::string_view wanted = options.color.view();
  if (same_text(wanted, "always")) return true;
  if (same_text(wanted, "never")) return false;
  char terminal[64];
  const BusyGuard held(log_lock);
  return !sys::failed(sys::call(SYS_ioctl, log_file(), 0x5401 /* TCGETS */, reinterpret_cast<long>(terminal)));
}

void write_log(const char* data, size_t bytes) {
  const BusyGuard held(log_lock);
  write_whole(log_file(), data, bytes);
}

void write_whole(int file, const char* data, size_t bytes) {
  while (bytes > 0) {
    const long n = sys::write(file, data, bytes);
    if (n == -EINTR) continue;
    if (n == -EAGAIN) {  // the other end of a pipe is slow, and the program wants not to wait for it; we do
      constexpr int kPatience = 20'000;  // ms
      pollfd waiting = {file, POLLOUT, 0};
      if (const long ready = sys::call(SYS_poll, reinterpret_cast<long>(&waiting), 1, kPatience);
          ready > 0 || ready == -EINTR)
        continue;
    }
    if (n <= 0) return;
    data += n;
    bytes -= static_cast<size_t>(n);
  }
}

void log_after_fork() { log_lock.renew(); }

}  // namespace deadheat::live
