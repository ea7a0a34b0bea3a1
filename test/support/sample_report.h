// Reports made by hand, for tests of their formats: nothing is run or recorded for them.
#pragma once

#include <string>
#include <string_view>

#include "race/report_model.h"

namespace deadheat::testing {

// A report with bugs of every kind that looks different: races with and without an explanation, locks, heap, stack, a module without
// instrumentation, a lock order, a thread leak. `source` is a file whose lines are shown.
ReportModel varied_report(const std::string& source);

// So many bugs over a few files, functions and threads, with several stacks each.
ReportModel large_report(size_t groups, const std::string& source);

// Every text that a program can choose is this one.
ReportModel report_of(std::string_view text, const std::string& source);

// Texts that would do harm where a writer forgets to escape them.
std::vector<std::string> hostile_texts();

}  // namespace deadheat::testing
