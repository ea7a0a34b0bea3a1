// What was found: races and warnings, resolved to names, in the order in which they completed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/stats.h"

namespace deadheat {

// One side of a race, as a reader of the report sees it.
struct ReportedAccess {
  std::string thread;
  uint64_t event = 0;
  std::string_view op;   // read, write, atomic-read, atomic-write, free
  std::string location;  // empty if the trace gave none
};

struct ReportedRace {
  std::string variable;                 // a name, or a range of bytes `0x10:8`
  std::string_view kind;                // write-read, read-write, write-write
  std::optional<ReportedAccess> first;  // none where an imprecise detector does not know it
  ReportedAccess second;
  std::vector<ReportedAccess> more;  // further threads that came by later (RaceTrack)
  int rank = 0;                      // RaceTrack: higher is more likely real; 0 for detectors that do not rank
  int group = 0;                     // of ranked warnings: those with one number are probably one bug (groups.h)
};

struct TraceCounts {
  uint64_t events = 0;
  uint64_t threads = 0;
  uint64_t variables = 0;
  uint64_t locks = 0;
};

struct Findings {
  std::string detector;
  bool precise = true;  // else the races are warnings
  std::string filter;   // empty for none
  TraceCounts trace;
  std::vector<ReportedRace> races;
  Stats stats;  // empty unless asked for
};

}  // namespace deadheat
