// Several detectors on the same trace, side by side: time, memory, races, and which detectors agree.
//
// Two detectors agree if they name the same variables and, for each, the same access that completes its first race.
#pragma once

#include <cstdio>
#include <span>

#include "race/findings.h"

namespace deadheat {

struct ComparedRun {
  Findings findings;  // the first race of each variable
  double seconds = 0;
  size_t memory_bytes = 0;
};

void write_text_comparison(std::span<const ComparedRun> runs, std::FILE* out);

// One object with the keys tool, version, trace, detectors.
void write_json_comparison(std::span<const ComparedRun> runs, std::FILE* out);

}  // namespace deadheat
