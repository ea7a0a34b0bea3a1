// Reading and writing through descriptors: the buffers are accesses of the caller, and a write is ordered before later
// reads of the same pipe, connection or file.
//
// The buffer of a write counts as read before the call, because the thread that receives the data may reuse the buffer
// at once. The buffer of a read counts as written after the call, as far as it was filled.
#include <sys/socket.h>
#include <sys/uio.h>

#include "capture/intercept.h"

using namespace deadheat::live;

namespace {

ssize_t was_read(const Entry& entry, int fd, void* data, ssize_t result) {
  if (result > 0) write_range(entry, data, static_cast<size_t>(result));
  if (result >= 0)
    fd_acquire(entry, fd);
  else
    fd_used(entry, fd);
  return result;
}

void will_write(const Entry& entry, int fd, const void* data, size_t bytes) {
  read_range(entry, data, bytes);
  fd_release(entry, fd);
}

// The parts of a vector up to `bytes` in all.
template <class Access>
void each_part(const iovec* parts, size_t count, size_t bytes, Access access) {
  for (size_t i = 0; i < count && bytes > 0; ++i) {
    const size_t part = parts[i].iov_len < bytes ? parts[i].iov_len : bytes;
    access(parts[i].iov_base, part);
    bytes -= part;
  }
}

void parts_written(const Entry& entry, const iovec* parts, size_t count, size_t bytes) {
  each_part(parts, count, bytes, [&](const void* at, size_t n) { write_range(entry, at, n); });
}
void parts_read(const Entry& entry, const iovec* parts, size_t count) {
  each_part(parts, count, SIZE_MAX, [&](const void* at, size_t n) { read_range(entry, at, n); });
}

ssize_t was_read_parts(const Entry& entry, int fd, const iovec* parts, int count, ssize_t result) {
  if (result > 0) parts_written(entry, parts, static_cast<size_t>(count), static_cast<size_t>(result));
  if (result >= 0) fd_acquire(entry, fd);
  return result;
}
void will_write_parts(const Entry& entry, int fd, const iovec* parts, int count) {
  if (count > 0) parts_read(entry, parts, static_cast<size_t>(count));
  fd_release(entry, fd);
}

// A message: its parts, and descriptors that come with it.
template <class Visit>
void each_descriptor(const msghdr& message, Visit visit) {
  for (cmsghdr* item = CMSG_FIRSTHDR(&message); item != nullptr;
       item = CMSG_NXTHDR(const_cast<msghdr*>(&message), item)) {
    if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_RIGHTS || item->cmsg_len < CMSG_LEN(0)) continue;
    const int* fds = reinterpret_cast<const int*>(CMSG_DATA(item));
    for (size_t i = 0, n = (item->cmsg_len - CMSG_LEN(0)) / sizeof(int); i < n; ++i) visit(fds[i]);
  }
}
void message_received(const Entry& entry, const msghdr& message, size_t bytes) {
  parts_written(entry, message.msg_iov, message.msg_iovlen, bytes);
  each_descriptor(message, [&](int fd) { fd_received(entry, fd); });
}
void message_sending(const Entry& entry, const msghdr& message) {
  parts_read(entry, message.msg_iov, message.msg_iovlen);
  each_descriptor(message, [&](int fd) { fd_sent(entry, fd); });
}

}  // namespace

DEADHEAT_WATCHED(ssize_t, read, (int fd, void* data, size_t bytes),
                 was_read(entry, fd, data, REAL(read)(fd, data, bytes)))
DEADHEAT_WATCHED(ssize_t, write, (int fd, const void* data, size_t bytes), will_write(entry, fd, data, bytes),
                 REAL(write)(fd, data, bytes))
#define POSITIONED(read_name, write_name, offset_type)                                                  \
  DEADHEAT_WATCHED(ssize_t, read_name, (int fd, void* data, size_t bytes, offset_type offset),        \
                   was_read(entry, fd, data, REAL(read_name)(fd, data, bytes, offset))) \
  DEADHEAT_WATCHED(ssize_t, write_name, (int fd, const void* data, size_t bytes, offset_type offset), \
                   will_write(entry, fd, data, bytes), REAL(write_name)(fd, data, bytes, offset))
POSITIONED(pread, pwrite, off_t)
POSITIONED(pread64, pwrite64, off64_t)

DEADHEAT_WATCHED(ssize_t, readv, (int fd, const iovec* parts, int count),
                 was_read_parts(entry, fd, parts, count, REAL(readv)(fd, parts, count)))
DEADHEAT_WATCHED(ssize_t, writev, (int fd, const iovec* parts, int count), will_write_parts(entry, fd, parts, count),
                 REAL(writev)(fd, parts, count))
#define POSITIONED_PARTS(read_name, write_name, offset_type)                                             \
  DEADHEAT_WATCHED(ssize_t, read_name, (int fd, const iovec* parts, int count, offset_type offset),    \
                   was_read_parts(entry, fd, parts, count, REAL(read_name)(fd, parts, count, offset))) \
  DEADHEAT_WATCHED(ssize_t, write_name, (int fd, const iovec* parts, int count, offset_type offset),   \
                   will_write_parts(entry, fd, parts, count), REAL(write_name)(fd, parts, count, offset))
POSITIONED_PARTS(preadv, pwritev, off_t)
POSITIONED_PARTS(preadv64, pwritev64, off64_t)

DEADHEAT_WATCHED(ssize_t, recv, (int fd, void* data, size_t bytes, int flags),
                 was_read(entry, fd, data, REAL(recv)(fd, data, bytes, flags)))
DEADHEAT_WATCHED(ssize_t, recvfrom, (int fd, void* data, size_t bytes, int flags, sockaddr* from, socklen_t* length),
                 was_read(entry, fd, data, REAL(recvfrom)(fd, data, bytes, flags, from, length)))
DEADHEAT_INTERCEPT(ssize_t, recvmsg, int fd, msghdr* message, int flags) {
  Entry entry(DEADHEAT_CALLER);
  const ssize_t result = REAL(recvmsg)(fd, message, flags);
  if (result >= 0) {
    fd_acquire(entry, fd);
    message_received(entry, *message, static_cast<size_t>(result));
  }
  return result;
}
DEADHEAT_INTERCEPT(int, recvmmsg, int fd, mmsghdr* messages, unsigned count, int flags, timespec* limit) {
  Entry entry(DEADHEAT_CALLER);
  const int result = REAL(recvmmsg)(fd, messages, count, flags, limit);
  if (result > 0) fd_acquire(entry, fd);
  for (int i = 0; i < result; ++i) message_received(entry, messages[i].msg_hdr, messages[i].msg_len);
  return result;
}
DEADHEAT_WATCHED(ssize_t, send, (int fd, const void* data, size_t bytes, int flags), will_write(entry, fd, data, bytes),
                 REAL(send)(fd, data, bytes, flags))
DEADHEAT_WATCHED(ssize_t, sendto,
                 (int fd, const void* data, size_t bytes, int flags, const sockaddr* to, socklen_t length),
                 will_write(entry, fd, data, bytes), REAL(sendto)(fd, data, bytes, flags, to, length))
DEADHEAT_INTERCEPT(ssize_t, sendmsg, int fd, const msghdr* message, int flags) {
  Entry entry(DEADHEAT_CALLER);
  message_sending(entry, *message);
  fd_release(entry, fd);
  return REAL(sendmsg)(fd, message, flags);
}
DEADHEAT_INTERCEPT(int, sendmmsg, int fd, mmsghdr* messages, unsigned count, int flags) {
  Entry entry(DEADHEAT_CALLER);
  for (unsigned i = 0; i < count; ++i) message_sending(entry, messages[i].msg_hdr);
  fd_release(entry, fd);
  return REAL(sendmmsg)(fd, messages, count, flags);
}

DEADHEAT_INTERCEPT(int, eventfd_read, int fd, uint64_t* value) {
  Entry entry(DEADHEAT_CALLER);
  const int result = REAL(eventfd_read)(fd, value);
  if (result == 0) was_read(entry, fd, value, sizeof *value);
  return result;
}
DEADHEAT_WATCHED(int, eventfd_write, (int fd, uint64_t value), fd_release(entry, fd), REAL(eventfd_write)(fd, value))

namespace {

template <class RealOperation>
ssize_t passed_on(const Entry& entry, int from, int to, RealOperation real_operation) {
  fd_passes(entry, from, to);
  const ssize_t result = real_operation();
  if (result > 0) fd_acquire(entry, from);
  return result;
}

}  // namespace

DEADHEAT_INTERCEPT(ssize_t, sendfile, int to, int from, off_t* offset, size_t bytes) {
  Entry entry(DEADHEAT_CALLER);
  return passed_on(entry, from, to, [&] { return REAL(sendfile)(to, from, offset, bytes); });
}
DEADHEAT_INTERCEPT(ssize_t, tee, int from, int to, size_t bytes, unsigned flags) {
  Entry entry(DEADHEAT_CALLER);
  return passed_on(entry, from, to, [&] { return REAL(tee)(from, to, bytes, flags); });
}
DEADHEAT_WATCHED(ssize_t, vmsplice, (int fd, const iovec* parts, size_t count, unsigned flags),
                 will_write_parts(entry, fd, parts, static_cast<int>(count)), REAL(vmsplice)(fd, parts, count, flags))
DEADHEAT_INTERCEPT(ssize_t, splice, int from, off64_t* from_offset, int to, off64_t* to_offset, size_t bytes,
                   unsigned flags) {
  Entry entry(DEADHEAT_CALLER);
  return passed_on(entry, from, to, [&] { return REAL(splice)(from, from_offset, to, to_offset, bytes, flags); });
}
