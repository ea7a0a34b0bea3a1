// File descriptors: the clocks of what they lead to, and the descriptor itself as a variable.
//
// Objects  A write to a pipe, socket or file is ordered before every later read of the same one. Descriptors that lead
// to
//          one object share its clock: both ends of a pipe or socket pair, and duplicates. Which sockets are the two
//          ends of a connection made by connect and accept is not asked: those share one clock.
// Watchers An object that an epoll descriptor watches brings its clock there too.
// Races    Using or replacing a descriptor reads it, closing it writes it: a close that races with a use is a race, on
//          bytes of ours that stand for the descriptor.
// Limits   65536 descriptors; higher ones are not looked at.
// Tested by test/programs/fd_*.c, pipe_*.c, socket_*.c
#pragma once

#include "runtime/api.h"
#include "runtime/stacks.h"
#include "runtime/thread.h"

namespace deadheat::live {

void fd_opened(const Entry& entry, int fd);                // leads to an object of its own
void fd_opened_pair(const Entry& entry, int a, int b);     // both lead to one new object
void fd_opened_socket(const Entry& entry, int fd);         // one end of a connection, the other is not known
void fd_duplicated(const Entry& entry, int from, int to);  // `to` was free, or is replaced
void fd_closed(const Entry& entry, int fd);                // before the real close
void fd_used(const Entry& entry, int fd);
void fd_acquire(const Entry& entry, int fd);  // after a read from it
void fd_release(const Entry& entry, int fd);  // before a write to it
void fd_watched(const Entry& entry, int epoll, int fd);
void fd_acquire_watched(const Entry& entry, int epoll);  // after a wait that found something

void descriptors_lock_for_fork();
void descriptors_unlock_after_fork();

// For reports: the descriptor whose bytes are at this address.
struct DescriptorInfo {
  int fd;
  ThreadUid thread;
  NodeId opened_at;
  bool closed;
};
bool descriptor_of(uintptr_t address, DescriptorInfo& info);

}  // namespace deadheat::live
