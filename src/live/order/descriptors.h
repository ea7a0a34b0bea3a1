// File descriptors: the clocks of what they lead to, and the descriptor itself as a variable.
//
// Objects  A write to a pipe, socket or file is ordered before every later read of the same one. Descriptors that lead
//          to one object share its clock: both ends of a pipe, and duplicates. Sockets have two, one for each way; the
//          two ends of a connection find each other by their addresses (streams that were connected by address; those
//          of a local socket by the server's name, so all its clients share them). All other sockets share one.
// Numbers  Closing a descriptor is ordered before the call that is given its number again.
// Watchers What an epoll descriptor watches brings its clock there, too; so does what is passed on by splice.
// Signals  Sending one is a write to all descriptors that signals are read from.
// Races    Using or replacing a descriptor reads it, closing it writes it: a close that races with a use is a race, on
//          bytes of ours that stand for the descriptor.
// Limits   65536 descriptors; higher ones are not looked at.
// Tested by test/programs/fd_*.c, pipe_*.c, socket_*.c, epoll_*.c, eventfd_*.c
#pragma once

#include "live/api.h"
#include "live/order/thread.h"
#include "live/paths/stacks.h"

namespace deadheat::live {

void fd_opened(const Entry& entry, int fd);  // leads to an object of its own
// Both lead to one new object, or (two ways) each to what is written to the other.
void fd_opened_pair(const Entry& entry, int a, int b, bool two_ways = false);
void fd_opened_socket(const Entry& entry, int fd);  // one end of a connection, the other is not known
// A socket that listens under this name (any number that both sides agree on), and before a connection to it is asked
// for.
void fd_listens(const Entry& entry, int fd, uint64_t name);
void fd_connecting(const Entry& entry, uint64_t name);
// The socket is one end of a connection between these addresses, given by any numbers that both ends agree on.
void fd_connected(const Entry& entry, int fd, uint64_t own_end, uint64_t other_end);
void fd_duplicated(const Entry& entry, int from, int to);  // `to` was free, or is replaced
void fd_closed(const Entry& entry, int fd);                // before the real close
void fd_used(const Entry& entry, int fd);
void fd_acquire(const Entry& entry, int fd);           // after a read from it
void fd_release(const Entry& entry, int fd);           // before a write to it
void fd_passes(const Entry& entry, int from, int to);  // before what is read from one is written to the other
void fd_watched(const Entry& entry, int epoll, int fd);
void fd_acquire_watched(const Entry& entry, int epoll);  // after a wait that found something

// A descriptor is sent in a message, and received: under another number it leads to the same object.
void fd_sent(const Entry& entry, int fd);
void fd_received(const Entry& entry, int fd);

// The signals of this set, bit 0 the first, are read from the descriptor; and before one is sent.
void fd_takes_signals(const Entry& entry, int fd, uint64_t signals);
void fd_signal_sent(const Entry& entry, int signal);

// For reports: the descriptor whose bytes are at this address.
struct DescriptorInfo {
  int fd;
  ThreadUid thread;
  NodeId opened_at;
  bool closed;
};
bool descriptor_of(uintptr_t address, DescriptorInfo& info);

}  // namespace deadheat::live
