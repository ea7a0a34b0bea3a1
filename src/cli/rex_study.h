// What a filter saves and what it costs: the numbers of the ReX paper's tables, by running the trace in more ways.
//
//   races   all that the detector finds, and how many pairs of locations they are, with the filter and without it
//   time    the paper's estimate of the best possible run time, X - Y + Z (1 - redundancy): X is the time of stream,
//           filter and detector, Y of stream and filter, Z of the stream alone
//
// `analyze --filter NAME --stats --study` adds them to the statistics. Costs four more analyses of the same reading.
// Tested by test/unit/rex_study_test.cpp
#pragma once

#include <span>
#include <vector>

#include "engine/analysis.h"

namespace deadheat::cli {

// The analysis with its filter, first, and the others that the study needs.
std::vector<AnalysisOptions> rex_study(const AnalysisOptions& filtered);
// Adds what the results of these say to the statistics of the first.
void conclude_rex_study(std::span<AnalysisResult> results);

}  // namespace deadheat::cli
