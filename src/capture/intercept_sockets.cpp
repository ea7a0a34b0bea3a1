// Sockets and waiting for descriptors.
//
// What a thread did before connect is known to whoever accepts the connection. A wait that finds a descriptor ready
// takes the clock of what it leads to: what made it ready was done before.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>

#include "runtime/descriptors.h"

using namespace deadheat::live;

DEADHEAT_INTERCEPT(int, socket, int domain, int type, int protocol) {
  Entry entry(DEADHEAT_CALLER);
  const int fd = REAL(socket)(domain, type, protocol);
  if (fd >= 0) fd_opened_socket(entry, fd);
  return fd;
}
DEADHEAT_INTERCEPT(int, connect, int fd, const sockaddr* address, socklen_t length) {
  Entry entry(DEADHEAT_CALLER);
  fd_release(entry, fd);
  const int result = REAL(connect)(fd, address, length);
  if (result == 0) fd_acquire(entry, fd);
  return result;
}
DEADHEAT_INTERCEPT(int, bind, int fd, const sockaddr* address, socklen_t length) {
  Entry entry(DEADHEAT_CALLER);
  fd_used(entry, fd);
  return REAL(bind)(fd, address, length);
}
DEADHEAT_INTERCEPT(int, listen, int fd, int backlog) {
  Entry entry(DEADHEAT_CALLER);
  fd_release(entry, fd);
  return REAL(listen)(fd, backlog);
}
DEADHEAT_INTERCEPT(int, shutdown, int fd, int how) {
  Entry entry(DEADHEAT_CALLER);
  fd_release(entry, fd);
  return REAL(shutdown)(fd, how);
}

namespace {

int accepted(const Entry& entry, int listener, int fd) {
  if (fd >= 0) {
    fd_acquire(entry, listener);
    fd_opened_socket(entry, fd);
  }
  return fd;
}

}  // namespace

DEADHEAT_INTERCEPT(int, accept, int fd, sockaddr* address, socklen_t* length) {
  Entry entry(DEADHEAT_CALLER);
  return accepted(entry, fd, REAL(accept)(fd, address, length));
}
DEADHEAT_INTERCEPT(int, accept4, int fd, sockaddr* address, socklen_t* length, int flags) {
  Entry entry(DEADHEAT_CALLER);
  return accepted(entry, fd, REAL(accept4)(fd, address, length, flags));
}

// ---- waiting ----

namespace {

int polled(const Entry& entry, const pollfd* fds, nfds_t count, int result) {
  for (nfds_t i = 0; result > 0 && i < count; ++i)
    if (fds[i].fd >= 0 && fds[i].revents != 0) fd_acquire(entry, fds[i].fd);
  return result;
}

int selected(const Entry& entry, int count, const fd_set* readable, int result) {
  for (int fd = 0; result > 0 && readable != nullptr && fd < count; ++fd)
    if (FD_ISSET(fd, readable)) fd_acquire(entry, fd);
  return result;
}

int waited(const Entry& entry, int epoll, int result) {
  if (result > 0) fd_acquire_watched(entry, epoll);
  return result;
}

}  // namespace

DEADHEAT_INTERCEPT(int, poll, pollfd* fds, nfds_t count, int limit) {
  Entry entry(DEADHEAT_CALLER);
  return polled(entry, fds, count, REAL(poll)(fds, count, limit));
}
DEADHEAT_INTERCEPT(int, ppoll, pollfd* fds, nfds_t count, const timespec* limit, const sigset_t* signals) {
  Entry entry(DEADHEAT_CALLER);
  return polled(entry, fds, count, REAL(ppoll)(fds, count, limit, signals));
}
DEADHEAT_INTERCEPT(int, select, int count, fd_set* readable, fd_set* writable, fd_set* failed, timeval* limit) {
  Entry entry(DEADHEAT_CALLER);
  return selected(entry, count, readable, REAL(select)(count, readable, writable, failed, limit));
}
DEADHEAT_INTERCEPT(int, pselect, int count, fd_set* readable, fd_set* writable, fd_set* failed, const timespec* limit,
                   const sigset_t* signals) {
  Entry entry(DEADHEAT_CALLER);
  return selected(entry, count, readable, REAL(pselect)(count, readable, writable, failed, limit, signals));
}

DEADHEAT_INTERCEPT(int, epoll_ctl, int epoll, int operation, int fd, epoll_event* event) {
  Entry entry(DEADHEAT_CALLER);
  fd_used(entry, fd);
  // Before the call: from then on a wait may find the descriptor ready.
  if (operation == EPOLL_CTL_ADD) fd_watched(entry, epoll, fd);
  if (operation != EPOLL_CTL_DEL) fd_release(entry, epoll);
  return REAL(epoll_ctl)(epoll, operation, fd, event);
}
DEADHEAT_INTERCEPT(int, epoll_wait, int epoll, epoll_event* events, int most, int limit) {
  Entry entry(DEADHEAT_CALLER);
  return waited(entry, epoll, REAL(epoll_wait)(epoll, events, most, limit));
}
DEADHEAT_INTERCEPT(int, epoll_pwait, int epoll, epoll_event* events, int most, int limit, const sigset_t* signals) {
  Entry entry(DEADHEAT_CALLER);
  return waited(entry, epoll, REAL(epoll_pwait)(epoll, events, most, limit, signals));
}
DEADHEAT_INTERCEPT(int, epoll_pwait2, int epoll, epoll_event* events, int most, const timespec* limit,
                   const sigset_t* signals) {
  Entry entry(DEADHEAT_CALLER);
  return waited(entry, epoll, REAL(epoll_pwait2)(epoll, events, most, limit, signals));
}
