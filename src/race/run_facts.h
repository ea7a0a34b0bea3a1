// What is known of a run whose findings are reported.
#pragma once

#include <cstdint>
#include <string_view>

namespace deadheat {

// One process, watched from its start or from a fork on; or one analysis of a trace. Texts that are not known are
// empty.
struct RunFacts {
  std::string_view id = {};  // tells it from all others
  std::string_view version = {};
  int process = 0;
  uint64_t started = 0;  // seconds since 1970; 0 if not known
  std::string_view host = {};
  std::string_view program = {};
  std::string_view arguments = {};  // each followed by a zero byte, as the system gives them
  std::string_view label = {};      // what the user said of it: a commit, a build
  std::string_view detector = {};   // of an analysis; the run time's own is not named
};

// What a process said when it ended in order.
struct RunEnd {
  uint64_t reports = 0;     // that it told
  uint64_t suppressed = 0;  // that a suppression hid
  uint64_t repeated = 0;    // races that it had told before and that came up again
};

}  // namespace deadheat
