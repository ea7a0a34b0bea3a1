// Where file descriptors come from and go to: open, pipe, dup, close and their relatives.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/types.h>

#include <cstdarg>

#include "capture/intercept.h"

using namespace deadheat::live;

namespace {

int opened(const Entry& entry, int fd) {
  if (fd >= 0) fd_opened(entry, fd);
  return fd;
}
int opened_pair(const Entry& entry, int result, const int* fds) {
  if (result == 0) fd_opened_pair(entry, fds[0], fds[1]);
  return result;
}
int duplicated(const Entry& entry, int from, int to) {
  if (to >= 0) fd_duplicated(entry, from, to);
  return to;
}

}  // namespace

// The mode is read whether it was given or not, as the C library does: an argument that is not there is not used.
#define OPEN(name)                                                  \
  DEADHEAT_INTERCEPT(int, name, const char* path, int flags, ...) { \
    va_list arguments;                                              \
    va_start(arguments, flags);                                     \
    const mode_t mode = va_arg(arguments, mode_t);                  \
    va_end(arguments);                                              \
    Entry entry(DEADHEAT_CALLER);                                   \
    return opened(entry, REAL(name)(path, flags, mode));            \
  }
OPEN(open)
OPEN(open64)
#define OPENAT(name)                                                            \
  DEADHEAT_INTERCEPT(int, name, int folder, const char* path, int flags, ...) { \
    va_list arguments;                                                          \
    va_start(arguments, flags);                                                 \
    const mode_t mode = va_arg(arguments, mode_t);                              \
    va_end(arguments);                                                          \
    Entry entry(DEADHEAT_CALLER);                                               \
    return opened(entry, REAL(name)(folder, path, flags, mode));                \
  }
OPENAT(openat)
OPENAT(openat64)
#define CREAT(name) DEADHEAT_WATCHED(int, name, (const char* path, mode_t mode), opened(entry, REAL(name)(path, mode)))
CREAT(creat)
CREAT(creat64)

DEADHEAT_WATCHED(int, pipe, (int* fds), opened_pair(entry, REAL(pipe)(fds), fds))
DEADHEAT_WATCHED(int, pipe2, (int* fds, int flags), opened_pair(entry, REAL(pipe2)(fds, flags), fds))
DEADHEAT_INTERCEPT(int, socketpair, int domain, int type, int protocol, int* fds) {
  Entry entry(DEADHEAT_CALLER);
  const int result = REAL(socketpair)(domain, type, protocol, fds);
  if (result == 0) fd_opened_pair(entry, fds[0], fds[1], true);
  return result;
}

DEADHEAT_WATCHED(int, eventfd, (unsigned value, int flags), opened(entry, REAL(eventfd)(value, flags)))
DEADHEAT_INTERCEPT(int, signalfd, int fd, const uint64_t* signals, int flags) {
  Entry entry(DEADHEAT_CALLER);
  const int result = REAL(signalfd)(fd, signals, flags);
  if (fd == -1) opened(entry, result);
  if (result >= 0) fd_takes_signals(entry, result, *signals);
  return result;
}
DEADHEAT_WATCHED(int, timerfd_create, (int clock, int flags), opened(entry, REAL(timerfd_create)(clock, flags)))
DEADHEAT_WATCHED(int, timerfd_settime, (int fd, int flags, const itimerspec* to, itimerspec* old),
                 fd_release(entry, fd), REAL(timerfd_settime)(fd, flags, to, old))
DEADHEAT_WATCHED(int, memfd_create, (const char* name, unsigned flags), opened(entry, REAL(memfd_create)(name, flags)))
DEADHEAT_WATCHED(int, inotify_init, (), opened(entry, REAL(inotify_init)()))
DEADHEAT_WATCHED(int, inotify_init1, (int flags), opened(entry, REAL(inotify_init1)(flags)))
DEADHEAT_WATCHED(int, epoll_create, (int size), opened(entry, REAL(epoll_create)(size)))
DEADHEAT_WATCHED(int, epoll_create1, (int flags), opened(entry, REAL(epoll_create1)(flags)))

DEADHEAT_WATCHED(int, dup, (int from), duplicated(entry, from, REAL(dup)(from)))
DEADHEAT_WATCHED(int, dup2, (int from, int to), duplicated(entry, from, REAL(dup2)(from, to)))
DEADHEAT_WATCHED(int, dup3, (int from, int to, int flags), duplicated(entry, from, REAL(dup3)(from, to, flags)))
// The third argument is a number or a pointer; as a register it is the same.
#define FCNTL(name)                                                                             \
  DEADHEAT_INTERCEPT(int, name, int fd, int command, ...) {                                     \
    va_list arguments;                                                                          \
    va_start(arguments, command);                                                               \
    void* const argument = va_arg(arguments, void*);                                            \
    va_end(arguments);                                                                          \
    Entry entry(DEADHEAT_CALLER);                                                               \
    const int result = REAL(name)(fd, command, argument);                                       \
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) return duplicated(entry, fd, result); \
    return result;                                                                              \
  }
FCNTL(fcntl)
FCNTL(fcntl64)

#define CLOSE(name) DEADHEAT_WATCHED(int, name, (int fd), fd_closed(entry, fd), REAL(name)(fd))
CLOSE(close)
CLOSE(__close)
