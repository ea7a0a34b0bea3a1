// The oracle: which accesses of a trace race, by brute force and without clocks.
//
// Idea     A trace is a graph: an edge from each event to the next of its thread, and from each event that publishes
//          to each event that takes what it published. Where the rules of order speak of a clock (of a lock, a
//          barrier's generation, an atomic object, a fence ...) the oracle keeps a set of events whose past the clock
//          stands for. One event is ordered before another if there is a path. Every pair of accesses is looked at.
// Promises Nothing is summarised or forgotten, so there is nothing to get wrong but the rules themselves.
// Cost     O(events^2) bits and O(accesses^2) checks: for tests only, linked into nothing else.
// Tested by test/differential/oracle_test.cpp: every rule with the edge there and the edge not there.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/test_trace.h"

namespace deadheat::test {

// What races are about: a variable with a name, or one byte.
struct Place {
  bool is_byte = false;
  uint64_t id = 0;  // of the variable, or the byte's address
  friend auto operator<=>(const Place&, const Place&) = default;
};

// The event graph of a trace, and which event is ordered before which.
class EventGraph {
 public:
  explicit EventGraph(const TestTrace& trace);
  // For a < b: there is a path from event a to event b.
  bool ordered(size_t a, size_t b) const { return past_[b * words_ + a / 64] >> a % 64 & 1; }

 private:
  size_t words_;
  std::vector<uint64_t> past_;  // one row of bits for each event: its past and itself
};

struct Access {
  size_t event;
  AccessKind kind;
};

struct FirstRace {
  size_t second = 0;           // the first access that completes a race on the place
  std::vector<size_t> firsts;  // all earlier accesses that it races with
};

class Oracle {
 public:
  // All accesses of a place in the order of the trace, cut wherever the place became fresh memory.
  using History = std::vector<std::vector<Access>>;

  // Coarse: all variables of an object are one place, named as the object.
  explicit Oracle(const TestTrace& trace, bool coarse = false);

  // The names of places that are no bytes, by Place::id.
  const std::vector<std::string>& names() const { return names_; }
  // Places accessed in the trace by anything but a free.
  size_t accessed_places() const { return accessed_; }
  // For each racy place its first race.
  std::map<Place, FirstRace> first_races() const;
  const std::map<Place, History>& histories() const { return histories_; }
  // Whether two accesses of one history of a place, the earlier one first, race.
  bool race(const Access& a, const Access& b) const;
  bool ordered(size_t a, size_t b) const { return graph_.ordered(a, b); }
  // Events a < b both access the place, and these accesses race.
  bool is_race(Place place, size_t a, size_t b) const;
  // The pairs of locations (smaller name first) of all races there are.
  std::set<std::pair<std::string, std::string>> location_pairs() const;

 private:
  void collect_accesses();

  const TestTrace& trace_;
  const bool coarse_;
  const EventGraph graph_;
  std::vector<std::string> names_;
  std::map<Place, History> histories_;
  size_t accessed_ = 0;
};

// How a kind of access appears in a report.
std::string_view operation_name(AccessKind kind);

}  // namespace deadheat::test
