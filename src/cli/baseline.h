// What is known already: the fingerprints of an earlier report or of earlier records.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "race/report_model.h"

namespace deadheat::cli {

// Of a report that `--format json` or `--format sarif` wrote, or of a file of race records. Throws UsageError for a file
// that is none of these.
std::set<std::string> baseline_fingerprints(const std::string& path);

// The baseline that the user names, if any, as readers and Merge::finish take it. It is read before anything else is done.
class Baseline {
 public:
  explicit Baseline(const std::string& path) {
    if (!path.empty()) fingerprints_ = baseline_fingerprints(path);
  }
  const std::set<std::string>* known() const { return fingerprints_ ? &*fingerprints_ : nullptr; }

 private:
  std::optional<std::set<std::string>> fingerprints_;
};

// Takes the groups out of the model that the baseline knows, and counts them.
void leave_out_known(ReportModel& model);

}  // namespace deadheat::cli
