// The offline engine: reads a trace once and runs one or several detectors over it.
//
//   reader -> validate -> batches -> [filter] -> shadow -> detector -> findings
//
// With several jobs the accesses are divided by variable: every worker runs a detector of its own on its share, and
// all of them see every synchronisation event. The findings do not depend on the number of jobs.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "detect/detector.h"
#include "engine/annotations.h"
#include "event/trace.h"
#include "race/findings.h"

namespace deadheat {

// One row of `deadheat detectors`. The table is the only list of detectors there is.
struct DetectorInfo {
  std::string_view name;
  bool precise;
  std::string_view promise;  // one line
  std::string_view paper;
};
std::span<const DetectorInfo> detectors();

struct FilterInfo {
  std::string_view name;
  std::string_view promise;
};
std::span<const FilterInfo> filters();

struct AnalysisOptions {
  std::string detector = "fasttrack";
  std::string filter;   // empty for none
  bool all = false;     // every access found racing, not only the first race of each variable
  bool coarse = false;  // an object is one variable
  bool fresh_is_new =
      false;  // bytes of a fresh block are reported again, if the two places are others (recorded programs)
  bool stats = false;
  unsigned jobs = 1;
  DetectorOptions detector_options;
};

struct AnalysisResult {
  Findings findings;
  double seconds = 0;       // CPU time in the detector (and filter), the slowest worker's
  size_t memory_bytes = 0;  // peak of what detector, filter and shadow allocated, all workers together
};

struct Progress {
  uint64_t events = 0;
  double fraction = -1;  // of the whole input; negative if unknown
};
using ProgressCallback = std::function<void(const Progress&)>;
// What one of the analyses has found since the last call, while the trace is still being read. The calls are further
// and further apart, unless the reader has nothing for a while (an empty batch). Ranked warnings come only at the end.
using FoundCallback = std::function<void(size_t analysis, Findings& found)>;

// Runs every analysis over the one trace. The validator's and the reader's losses are in `losses` afterwards. Throws
// TraceError for an input that makes no sense (unless `lenient`) and std::invalid_argument for an unknown name.
// `annotations`, if any, say what not to watch; `names` are for them, if the trace has only numbers.
std::vector<AnalysisResult> analyze(TraceReader& reader, std::span<const AnalysisOptions> analyses, bool lenient,
                                    Losses& losses, const ProgressCallback& progress = {},
                                    const Annotations* annotations = nullptr, const FoundCallback& found = {},
                                    RealNames* names = nullptr);

}  // namespace deadheat
