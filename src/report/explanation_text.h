// Why the two accesses of a race are not ordered, in sentences; the same for all formats.
#pragma once

#include <string>
#include <vector>

#include "race/finding.h"

namespace deadheat {

// A sentence each, without the end of the line; names may have any bytes.
std::vector<std::string> explanation_lines(const Finding& finding);

}  // namespace deadheat
