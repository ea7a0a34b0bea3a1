// What a live run reported against what the oracle says of the program.
#pragma once

#include <string>
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
  // Every byte's first race is reported by the access that completes it. Every earlier access that this one races with is
  // reported too, or one that stands for it: a later one that supersedes it, or one of the same epoch. Needs a site
  // for each step.
  void check_first_races_are_told();

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
    int first, second;  // steps
    uint64_t begin, end;
  };

  const Step& step(int number) const { return program_.steps[static_cast<size_t>(number)]; }
  void find_first_races();
  std::vector<size_t> events_that_fit(const LiveSide& side) const;
  bool is_race_on(const LiveReport& report, size_t a, size_t b, Told& told) const;
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
