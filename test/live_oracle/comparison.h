// What a live run reported against what the oracle says of the program.
#pragma once

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "differential/oracle.h"
#include "live_oracle/live_run.h"
#include "live_oracle/program.h"

namespace deadheat::test {

class Comparison {
 public:
  Comparison(const Program& program, const LiveRun& run);

  // Every report is about two steps that race on all its bytes; threads, kinds, sizes, stacks and locks are theirs.
  void check_reports_are_real();
  // Every byte's first race is reported by the access that completes it. Every earlier access that this one races with
  // is reported too, or one that stands for it: a later one that supersedes it, or one of the same epoch. Needs a site
  // for each step.
  void check_first_races_are_told();

  // Every byte's first race is reported by the access that completes it, with one of the accesses that it races with.
  void check_first_races_are_there();
  // Of a detector that names a race of each byte, and not always the first (slimstate.h).
  void check_racy_bytes_are_there();

  // By the rule of docs/live.md, "What is told once": no two reports have the same two lines and object, and every race
  // that the two checks above ask for has a report with its lines and object. Sites may be shared.
  void check_pairs_are_told_once();
  // The earlier access is shown with the address and size that it had.
  void check_addresses();

  // Two lines, the smaller one first, and an object.
  using Pair = std::tuple<int, int, std::string>;
  // The pairs that the reports, all of which are real, are about.
  std::set<Pair> told_pairs() const;
  static std::string describe(const Pair& pair);

  void complain(std::string what) { complaints_.push_back(std::move(what)); }
  const std::vector<std::string>& complaints() const { return complaints_; }
  bool has_races() const { return !first_races_.empty(); }
  const ProgramTrace& trace() const { return trace_; }

 private:
  struct First {
    uint64_t place;
    Access second;
    std::vector<Access> firsts;
  };
  struct Told {
    size_t first, second;  // events
    uint64_t place;
    size_t report;
  };

  const Step& step(int number) const { return program_.steps[static_cast<size_t>(number)]; }
  void find_first_races();
  std::vector<size_t> events_that_fit(const LiveSide& side) const;
  std::vector<Told> races_of(size_t report, const std::vector<size_t>& firsts, size_t b) const;
  Pair pair_of(size_t a, size_t b, uint64_t place) const;
  std::string object_of(int block) const;
  bool stands_for(const Access& told, const Access& untold) const;
  bool same_epoch(size_t a, size_t b) const;
  std::string describe(int step) const;
  std::string describe(uint64_t place) const;

  const Program& program_;
  const LiveRun& run_;
  const ProgramTrace trace_;
  const Oracle oracle_;
  std::vector<First> first_races_;
  std::vector<Told> told_;
  std::vector<std::string> complaints_;
};

}  // namespace deadheat::test
