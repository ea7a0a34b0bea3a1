// Why one event of a trace is ordered before another: the chain of edges, or where the two threads last met.
//
// Idea     The rules of order (detect/order_rules.h) are followed with clocks that have one entry: how much of the first
//          event's thread is known. Each entry remembers the edge that brought it, and that edge the one before, so that
//          the chain can be told from its end.
// Promises Two events are ordered exactly if the precise detectors take them for ordered.
// Cost     One pass over the trace up to the second event; memory for the edges that brought something new.
// Tested by test/differential/order_chain_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "event/trace.h"

namespace deadheat {

// What a thread did up to `from` became known to the thread of `to`.
struct OrderEdge {
  uint64_t from = 0, to = 0;  // numbers of events
};

struct OrderAnswer {
  bool ordered = false;
  // Of ordered events: from the first to the second. Of others: how the thread of the second knows the last that it
  // knows of the first one's thread; empty if it knows nothing. Each edge begins in the thread where the one before it
  // ends.
  std::vector<OrderEdge> chain;
};

// `first` comes before `second` in the trace. Events that the trace does not have are not ordered; `events` is the number
// of those that were read.
OrderAnswer order_between(TraceReader& reader, uint64_t first, uint64_t second, bool lenient, uint64_t& events);

// Whether what it does can order its thread with others. A relaxed operation cannot by itself: the fence can.
bool can_order(const Event& e);

// Two events of different threads, of which the first one's thread is known.
struct OrderQuestion {
  ThreadId thread{};
  uint64_t first = 0, second = 0;
};
// The same for several pairs in one pass over a trace: an answer to each, whose chain has the same ends.
std::vector<OrderAnswer> orders_between(TraceReader& reader, std::span<const OrderQuestion> questions);

}  // namespace deadheat
