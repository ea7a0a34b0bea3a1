// Plays a program live and reads what was reported.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "live_oracle/program.h"
#include "support/temporary_folder.h"

namespace deadheat::test {

struct LiveSide {
  std::string operation;
  uint64_t address = 0, size = 0;
  int thread = 0;
  std::vector<int> sites;  // the frames of its stack that are sites, the innermost first
  std::vector<HeldLock> locks;
};

struct LiveReport {
  uint64_t address = 0, size = 0;  // the bytes that both accesses touched
  LiveSide sides[2];               // the access that completed the race, the earlier one
  std::string object;              // what it says the memory is
  std::string text;                // as it was read
};

// Where the player's sites and locks are.
struct Places {
  std::map<uint64_t, int> sites;  // by offset in the program
  std::map<uint64_t, HeldLock> locks;

  int site_at(uint64_t offset) const {
    constexpr uint64_t kLongest = 32;  // instructions of a site
    const auto after = sites.upper_bound(offset);
    if (after == sites.begin()) return -1;
    const auto& [begin, site] = *std::prev(after);
    return offset - begin < kLongest ? site : -1;
  }
};

struct LiveRun {
  std::vector<std::string> complaints;  // the run itself failed
  std::vector<LiveReport> reports;
  std::map<std::pair<int, int>, uint64_t> bases;  // block and step: where it is from that step on

  uint64_t base_of(int block, int step) const;
};

// The player, compiled once with the wrapper that a user has.
class Player {
 public:
  Player();
  // `options` as in DEADHEAT_OPTIONS.
  LiveRun play(const Program& program, const std::string& options) const;
  // Records it (`kind` is an option of record, or nothing), and what the detector says of all of the trace.
  LiveRun play_recorded(const Program& program, const std::string& kind, const std::string& detector) const;

 private:
  void read_answer(LiveRun& result) const;
  void add_report(const std::string& line, LiveRun& result) const;

  int run(const std::string& command) const;

  TemporaryFolder folder_;
  mutable Places places_;  // of the last program
};

}  // namespace deadheat::test
