// The detectors and filters there are, and how to make a worker of each. The tables in registry.cpp are the only lists.
#pragma once

#include <memory>

#include "engine/analysis.h"
#include "engine/worker.h"

namespace deadheat {

// Throws std::invalid_argument for a name that is in no table.
std::unique_ptr<Worker> make_worker(const AnalysisOptions& options, Share share);

}  // namespace deadheat
