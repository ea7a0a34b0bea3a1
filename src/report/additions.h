// What a report says beyond the form of ThreadSanitizer, line by line: of a group, and of the report as a whole. Every
// format for people has these lines.
//
// The lines have names of the program in them; whoever writes them has to escape these (parts.h: harmless).
// Tested by test/unit/report_model_test.cpp
#pragma once

#include <string>
#include <vector>

#include "race/report_model.h"

namespace deadheat {

// Counts and fingerprint, rank and reasons, history, why nothing orders the two, other places.
std::vector<std::string> additions_to(const Group& group);
// The suppressions that hide it.
std::vector<std::string> ways_to_suppress(const Group& group);
// The groups that the last runs do not have.
std::vector<std::string> gone_lines(const ReportModel& model);
// Suppressions that hid nothing, and what is missing.
std::vector<std::string> closing_lines(const ReportModel& model);
// "2 new bugs in 7 records of 3 runs; 4 known; 1 record suppressed."
std::string summary_of(const ReportModel& model);

}  // namespace deadheat
