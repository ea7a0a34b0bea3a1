// The rank of a bug: what to read first.                                                RaceTrack, section 3.6
//
// RaceTrack puts warnings with several stacks above those with one, and those of its more accurate states above the
// others. To that we add what the accesses and the memory say: freed memory and two writes do more harm than a counter
// that is off by one or a flag that is seen late. A race whose stack runs through code without instrumentation may be
// ordered by something that nobody saw; it comes last.
// Tested by test/unit/report_model_test.cpp
#pragma once

#include "race/report_model.h"

namespace deadheat {

// Fills rank, reasons, pair, title, foreign_module and suppressions of a group from its examples and counts.
void rank_group(Group& group);

// Lines that hide the group: by the pair of functions, or by module and offset where there are no names.
enum class SuppressBy { kFunctions, kOffsets };
std::vector<std::string> suppressions_for(const Finding& finding, SuppressBy by = SuppressBy::kFunctions);

}  // namespace deadheat
