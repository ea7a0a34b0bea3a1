// The build id of a loaded module, read from its notes in memory.
#pragma once

#include <cstddef>

#include "live/modules/module_table.h"

namespace deadheat::live {

inline constexpr size_t kMostBuildId = 64;  // bytes; usual are 20
// As lower-case hex with a zero at its end; empty if the module has none.
void find_build_id(const Module& module, char (&hex)[2 * kMostBuildId + 1]);

}  // namespace deadheat::live
