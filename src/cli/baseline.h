// What is known already: the fingerprints of an earlier report or of earlier records.
#pragma once

#include <set>
#include <string>

#include "race/report_model.h"

namespace deadheat::cli {

// Of a report that `--format json` or `--format sarif` wrote, or of a file of race records. Throws UsageError for a file
// that is none of these.
std::set<std::string> baseline_fingerprints(const std::string& path);

// Takes the groups out of the model that have a fingerprint in the baseline, and counts them.
void leave_out_known(ReportModel& model, const std::set<std::string>& known);

}  // namespace deadheat::cli
