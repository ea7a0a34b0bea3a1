// Race records from files, with the names that they lack looked up, as one model.
//
// Names are looked up only in a module that still has the build id of the record: of one that is gone or was built anew,
// module and offset are shown, and a note says so.
// Tested by test/report
#pragma once

#include <set>
#include <string>
#include <vector>

#include "race/findings.h"
#include "race/report_model.h"
#include "race/suppressions.h"

namespace deadheat::cli {

// Reads all files ("-" is standard input), with a progress bar. Findings that a rule hides are counted only. Throws
// UsageError for a file that cannot be read or has no record in it. `known` has the fingerprints of a baseline, if there
// is one (Merge::finish).
ReportModel read_record_files(const std::vector<std::string>& paths, Suppressions& rules,
                              const std::set<std::string>* known = nullptr);

// Throws UsageError for a file that cannot be read and for a line that is no suppression.
void read_suppressions(const std::string& path, Suppressions& rules);

// Takes out what a rule hides, and counts it.
void leave_out_suppressed(Findings& findings, Suppressions& rules);
// The lines that hid nothing, as they are written.
std::vector<std::string> unused_lines(const Suppressions& rules);

// Reads a file of annotations, as suppressions.
void read_annotations(const std::string& path, Suppressions& rules);

}  // namespace deadheat::cli
