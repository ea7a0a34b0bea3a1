// Sockets and waiting for descriptors.
//
// connect is ordered before the accept of the connection, and a send before the receive at the other end
// (live/descriptors.h). A wait that finds a descriptor ready takes the clock of what it leads to: what made it
// ready was done before.
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>

#include <cerrno>

#include "capture/intercept.h"

using namespace deadheat::live;

namespace {

struct Address {
  static constexpr uint64_t kEnd = 1, kListener = 2;  // what a number stands for

  sockaddr_storage bytes = {};
  socklen_t length = sizeof bytes;

  const sockaddr_in& v4() const { return reinterpret_cast<const sockaddr_in&>(bytes); }
  const sockaddr_in6& v6() const { return reinterpret_cast<const sockaddr_in6&>(bytes); }
  uint16_t port() const { return bytes.ss_family == AF_INET ? v4().sin_port : v6().sin6_port; }
  bool by_port() const { return bytes.ss_family == AF_INET || bytes.ss_family == AF_INET6; }

  // A number that stands for the address; one end may call it an IPv4 address and the other an IPv6 one.
  uint64_t end() const {
    if (!by_port()) return mix_bytes(kEnd, &bytes, length);
    const uint64_t hash = mix(kEnd, port());
    if (bytes.ss_family == AF_INET) return mix_bytes(hash, &v4().sin_addr, 4);
    const unsigned char* const in6 = v6().sin6_addr.s6_addr;
    return IN6_IS_ADDR_V4MAPPED(&v6().sin6_addr) ? mix_bytes(hash, in6 + 12, 4) : mix_bytes(hash, in6, 16);
  }
  // The same for one that is listened at: on all addresses of the machine, often.
  uint64_t listener() const { return by_port() ? mix(kListener, port()) : mix_bytes(kListener, &bytes, length); }
};

bool ask(long call, int fd, Address& address) {
  return !sys::failed(
      sys::call(call, fd, reinterpret_cast<long>(&address.bytes), reinterpret_cast<long>(&address.length)));
}

bool is_stream(int fd) {
  int type = 0;
  socklen_t length = sizeof type;
  return !sys::failed(sys::call(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, reinterpret_cast<long>(&type),
                                reinterpret_cast<long>(&length))) &&
         type != SOCK_DGRAM && type != SOCK_RAW;
}

// The two ends of a stream: `wanted` is the other one where the system does not say yet.
void connected(const Entry& entry, int fd, const Address* wanted) {
  Address own, other;
  if (!ask(SYS_getsockname, fd, own)) return;
  if (ask(SYS_getpeername, fd, other))
    fd_connected(entry, fd, own.end(), other.end());
  else if (wanted != nullptr)
    fd_connected(entry, fd, own.end(), wanted->end());
}

}  // namespace

DEADHEAT_INTERCEPT(int, socket, int domain, int type, int protocol) {
  Entry entry(DEADHEAT_CALLER);
  const int fd = REAL(socket)(domain, type, protocol);
  if (fd >= 0) fd_opened_socket(entry, fd);
  return fd;
}
DEADHEAT_INTERCEPT(int, connect, int fd, const sockaddr* address, socklen_t length) {
  Entry entry(DEADHEAT_CALLER);
  fd_release(entry, fd);
  Address wanted;
  const bool stream = address != nullptr && length >= sizeof(sa_family_t) && length <= sizeof wanted.bytes &&
                      entry.thread() != nullptr && is_stream(fd);
  if (stream) {
    __builtin_memcpy(&wanted.bytes, address, length);
    wanted.length = length;
    fd_connecting(entry, wanted.listener());
  }
  const int result = REAL(connect)(fd, address, length);
  const int error = errno;
  if (stream && (result == 0 || error == EINPROGRESS || error == EINTR)) connected(entry, fd, &wanted);
  if (result == 0) fd_acquire(entry, fd);
  errno = error;
  return result;
}
DEADHEAT_WATCHED(int, bind, (int fd, const sockaddr* address, socklen_t length), fd_used(entry, fd),
                 REAL(bind)(fd, address, length))
DEADHEAT_INTERCEPT(int, listen, int fd, int backlog) {
  Entry entry(DEADHEAT_CALLER);
  Address own;
  const auto listens = [&] {
    if (entry.thread() != nullptr && ask(SYS_getsockname, fd, own)) fd_listens(entry, fd, own.listener());
    fd_release(entry, fd);
  };
  listens();
  const int result = REAL(listen)(fd, backlog);
  if (result == 0 && own.by_port() && own.port() == 0) listens();  // it has a port only now
  return result;
}
DEADHEAT_WATCHED(int, shutdown, (int fd, int how), fd_release(entry, fd), REAL(shutdown)(fd, how))

namespace {

int accepted(const Entry& entry, int listener, int fd) {
  if (fd >= 0) {
    fd_acquire(entry, listener);
    fd_opened_socket(entry, fd);
    if (entry.thread() != nullptr && is_stream(fd)) connected(entry, fd, nullptr);
  }
  return fd;
}

}  // namespace

DEADHEAT_WATCHED(int, accept, (int fd, sockaddr* address, socklen_t* length),
                 accepted(entry, fd, REAL(accept)(fd, address, length)))
DEADHEAT_WATCHED(int, accept4, (int fd, sockaddr* address, socklen_t* length, int flags),
                 accepted(entry, fd, REAL(accept4)(fd, address, length, flags)))

// ---- waiting ----

namespace {

int polled(const Entry& entry, const pollfd* fds, nfds_t count, int result) {
  for (nfds_t i = 0; result > 0 && i < count; ++i)
    if (fds[i].fd >= 0 && fds[i].revents != 0) fd_acquire(entry, fds[i].fd);
  for (nfds_t i = 0; result >= 0 && i < count; ++i) write_range(entry, &fds[i].revents, sizeof fds[i].revents);
  return result;
}

int selected(const Entry& entry, int count, const fd_set* readable, int result) {
  for (int fd = 0; result > 0 && readable != nullptr && fd < count; ++fd)
    if (FD_ISSET(fd, readable)) fd_acquire(entry, fd);
  return result;
}

int waited(const Entry& entry, int epoll, const epoll_event* events, int result) {
  if (result <= 0) return result;
  fd_acquire_watched(entry, epoll);
  write_range(entry, events, static_cast<size_t>(result) * sizeof *events);
  return result;
}

}  // namespace

DEADHEAT_WATCHED(int, poll, (pollfd* fds, nfds_t count, int limit),
                 polled(entry, fds, count, REAL(poll)(fds, count, limit)))
DEADHEAT_WATCHED(int, ppoll, (pollfd* fds, nfds_t count, const timespec* limit, const sigset_t* signals),
                 polled(entry, fds, count, REAL(ppoll)(fds, count, limit, signals)))
DEADHEAT_WATCHED(int, select, (int count, fd_set* readable, fd_set* writable, fd_set* failed, timeval* limit),
                 selected(entry, count, readable, REAL(select)(count, readable, writable, failed, limit)))
DEADHEAT_WATCHED(int, pselect,
                 (int count, fd_set* readable, fd_set* writable, fd_set* failed, const timespec* limit,
                  const sigset_t* signals),
                 selected(entry, count, readable, REAL(pselect)(count, readable, writable, failed, limit, signals)))

DEADHEAT_INTERCEPT(int, epoll_ctl, int epoll, int operation, int fd, epoll_event* event) {
  Entry entry(DEADHEAT_CALLER);
  fd_used(entry, fd);
  // Before the call: from then on a wait may find the descriptor ready.
  if (operation == EPOLL_CTL_ADD) fd_watched(entry, epoll, fd);
  if (operation != EPOLL_CTL_DEL) fd_release(entry, epoll);
  return REAL(epoll_ctl)(epoll, operation, fd, event);
}
DEADHEAT_WATCHED(int, epoll_wait, (int epoll, epoll_event* events, int most, int limit),
                 waited(entry, epoll, events, REAL(epoll_wait)(epoll, events, most, limit)))
DEADHEAT_WATCHED(int, epoll_pwait, (int epoll, epoll_event* events, int most, int limit, const sigset_t* signals),
                 waited(entry, epoll, events, REAL(epoll_pwait)(epoll, events, most, limit, signals)))
DEADHEAT_WATCHED(int, epoll_pwait2,
                 (int epoll, epoll_event* events, int most, const timespec* limit, const sigset_t* signals),
                 waited(entry, epoll, events, REAL(epoll_pwait2)(epoll, events, most, limit, signals)))
