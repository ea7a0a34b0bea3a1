// The options of this run: read at start (process/lifecycle.cpp), constant afterwards.
#pragma once

#include "base/runtime_options.h"

namespace deadheat::live {

extern RuntimeOptions options;

}  // namespace deadheat::live
