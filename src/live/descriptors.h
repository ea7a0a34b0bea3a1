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
// Tested by test/unit/live_descriptors_test.cpp, test/programs/fd_*.c, pipe_*.c, socket_*.c, epoll_*.c, eventfd_*.c
#pragma once

#include "live/api.h"

namespace deadheat::live {

// What is said of descriptors: live/api.h; what reports ask: live/order/descriptors.h.
void fd_signal_sent(const Entry& entry, int signal);  // before it

}  // namespace deadheat::live
