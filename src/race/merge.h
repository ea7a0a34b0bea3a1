// Many records become few groups: one bug, one entry.                                     RaceTrack, section 3.6
//
// Idea     Records with one fingerprint are one bug, whoever called the functions and whichever object it was. Different
//          fingerprints are one bug, too, if something else ties them (they race at the same pair of lines, or on the
//          same memory) and their stacks are alike: RaceTrack hashes the frames of a warning and calls two alike if
//          they have at least half of all their frames in common (the resemblance of Broder et al.). Races on two
//          globals that have names are two bugs, whatever their lines.
// Known    What a baseline has is told from what is new before anything is joined: a new pair of functions on the memory
//          of a known bug is a bug of its own. The same pair of lines under another fingerprint is known.
// Promises Groups, fingerprints, counts and ranks do not depend on the order of the records or files. Which examples are
//          kept may. Memory grows with the number of different stacks, not with the number of records.
// Cost     A lookup for each record whose stacks were seen before. Groups are compared only with those that share a
//          pair of lines or the memory, and at most with kMostCompared of them.
// Tested by test/unit/report_model_test.cpp
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "race/report_model.h"

namespace deadheat {

class Merge {
 public:
  // Texts and stacks of what is added must live as long as the store. Equal stacks should be the same memory, as the
  // reader of records gives them: different ones are only compared by their names.
  explicit Merge(std::shared_ptr<FindingStore> store);
  ~Merge();

  void add_run(const RunFacts& run);
  void end_run(std::string_view run, const RunEnd& end);
  void add(const Finding& finding, std::string_view run, int process);

  // Groups and ranks what was added. `known` has the fingerprints of a baseline, if there is one: what it has is marked
  // (Group::known).
  ReportModel finish(const std::set<std::string>* known = nullptr);

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace deadheat
