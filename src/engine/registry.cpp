#include "engine/registry.h"

#include <array>
#include <stdexcept>

#include "detect/djit.h"
#include "detect/empty.h"
#include "detect/eraser.h"
#include "detect/fasttrack.h"
#include "detect/goldilocks.h"
#include "detect/multirace.h"
#include "detect/racetrack.h"
#include "detect/slimstate.h"
#include "detect/touch.h"
#include "engine/worker_of.h"
#include "filter/rex.h"
#include "filter/rex_recent.h"

namespace deadheat {

namespace {

using MakeWorker = std::unique_ptr<Worker> (*)(const AnalysisOptions&, Share);

template <class D, class F>
std::unique_ptr<Worker> make(const AnalysisOptions& options, Share share) {
  return std::make_unique<WorkerOf<D, F>>(
      WorkerOptions{options.all, options.coarse, options.fresh_is_new, options.detector_options}, share);
}

template <class D>
std::unique_ptr<Worker> make_with_filter(const AnalysisOptions& options, Share share) {
  if (options.filter.empty()) return make<D, PassAll>(options, share);
  if (options.filter == "rex" || options.filter == "rex-lockset") {
    AnalysisOptions filtered = options;
    filtered.detector_options.rex_lockset = options.filter == "rex-lockset";
    return make<D, Rex>(filtered, share);
  }
  if (options.filter == "rex-recent") return make<D, RexRecent>(options, share);
  throw std::invalid_argument("unknown filter '" + options.filter + "'");
}

constexpr std::array kDetectors = {
    DetectorInfo{"empty", false, "reports nothing: the cost of the event stream itself", "FastTrack, section 4"},
    DetectorInfo{"eraser", false, "warns where no lock protected all accesses", "Savage et al. 1997"},
    DetectorInfo{"basicvc", true, "exact; compares vector clocks at every access", "FastTrack, section 4"},
    DetectorInfo{"djit+", true, "exact; compares vector clocks once per epoch", "Pozniansky and Schuster 2003"},
    DetectorInfo{"multirace", false, "some of djit+'s races; compares clocks only where no lock protected all accesses",
                 "Pozniansky and Schuster 2003"},
    DetectorInfo{"goldilocks", true, "exact; locksets that say what is ordered after an access, computed lazily",
                 "Elmas, Qadeer and Tasiran 2006"},
    DetectorInfo{"racetrack", false, "warns where concurrent accesses had no common lock; ranked", "Yu et al. 2005"},
    DetectorInfo{"fasttrack", true, "exact; epochs instead of vector clocks (the default)", "Flanagan and Freund 2009"},
    DetectorInfo{"slimstate", true, "exact; fasttrack with compressed shadow for arrays (pair not always the earliest)",
                 "Wilcox et al. 2015"},
};
constexpr std::array<MakeWorker, kDetectors.size()> kMakers = {
    make_with_filter<Empty>,     make_with_filter<Eraser>,    make_with_filter<BasicVC>,
    make_with_filter<Djit>,      make_with_filter<MultiRace>, make_with_filter<Goldilocks>,
    make_with_filter<RaceTrack>, make_with_filter<FastTrack>, make_with_filter<SlimState>,
};

constexpr std::array kFilters = {
    FilterInfo{"rex", "drops accesses that repeat one of the same thread, location and context; loses no race"},
    FilterInfo{"rex-recent", "rex with a small table of the latest accesses only, which is faster; loses no race"},
    FilterInfo{"rex-lockset", "rex across critical sections of the same locks; may lose races"},
};

}  // namespace

std::span<const DetectorInfo> detectors() { return kDetectors; }
std::span<const FilterInfo> filters() { return kFilters; }

std::unique_ptr<Worker> make_worker(const AnalysisOptions& options, Share share) {
  for (size_t i = 0; i < kDetectors.size(); ++i)
    if (kDetectors[i].name == options.detector) return kMakers[i](options, share);
  if (options.detector == "touch") return make_with_filter<Touch>(options, share);  // benchmarks only
  throw std::invalid_argument("unknown detector '" + options.detector + "'");
}

}  // namespace deadheat
