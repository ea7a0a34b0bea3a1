// Classification of warnings: one bug is one group.                                      RaceTrack, section 3.6
//
// Idea     A bug in one piece of code shows on every object that the code touches, so warnings whose accesses come from
//          the same places belong together. Two warnings are alike if their sets of locations have in common at least
//          half of their union (the resemblance of Broder et al.). A warning joins the first group whose first member
//          it is like. A trace has only the innermost frame of each stack, the location; a warning without a location
//          stays alone.
// Cost     O(locations) for each warning, times the groups that share one with it.
// Tested by test/unit/groups_test.cpp
#pragma once

#include <span>

#include "race/finding.h"

namespace deadheat {

// Numbers the groups from 1, in the order of their first members.
void group_by_location(std::span<Finding> races);

}  // namespace deadheat
