#include "runtime/log.h"

#include "base/text.h"
#include "runtime/lifecycle.h"
#include "runtime/message.h"
#include "runtime/modules.h"
#include "runtime/own_file.h"
#include "runtime/sys.h"

namespace deadheat::live {

int standard_error = 2;

namespace {

int given = 2;  // a descriptor of the program; used where there is no file of ours
constinit OwnFile own;
char own_name[4200];

// A program that has closed it finds all of it in the file all the same.
bool open_own(int flags) {
  const long file = sys::open(own_name, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
  if (!sys::failed(file))
    own.take(static_cast<int>(file));
  else
    say("cannot write %s (error %ld): reports go to standard error", own_name, -file);
  return !sys::failed(file);
}

int log_file() {
  if (own_name[0] == 0) return given;
  const int file = own.fd();
  if (file >= 0) return file;
  if (open_own(O_APPEND)) return own.fd();
  own_name[0] = 0;
  return given;
}

}  // namespace

void log_start() {
  if (sys::failed(sys::call(SYS_fcntl, 2, F_GETFD))) given = standard_error = -1;
}

void open_log() {
  const std::string_view path = options.log_path.view();
  own.leave();
  own_name[0] = 0;
  set_log(same_text(path, "stdout") ? 1 : standard_error);
  if (same_text(path, "stderr") || same_text(path, "stdout")) return;
  Text name(own_name, sizeof own_name);
  name.put(options.log_path.c_str());
  if (options.log_exe_name) name.add(".%s", program_name());
  name.add(".%d", sys::process_id());
  if (!open_own(O_TRUNC)) own_name[0] = 0;
}

void set_log(int fd) {
  given = fd;
  own_name[0] = 0;
}

bool log_in_colour() {
  const std::string_view wanted = options.color.view();
  if (same_text(wanted, "always")) return true;
  if (same_text(wanted, "never")) return false;
  char terminal[64];
  return !sys::failed(sys::call(SYS_ioctl, log_file(), 0x5401 /* TCGETS */, reinterpret_cast<long>(terminal)));
}

void write_log(const char* data, size_t bytes) {
  const int file = log_file();
  while (bytes > 0) {
    const long n = sys::write(file, data, bytes);
    if (n == -4 /* EINTR */) continue;
    if (n <= 0) return;
    data += n;
    bytes -= static_cast<size_t>(n);
  }
}

}  // namespace deadheat::live
