// One bug, one report: races between the same two places of the code become one that counts them.
//
// Idea     A loop that races on a thousand elements is one bug, and so is a pair of lines that races a thousand times
//          on one variable. In a recorded program the memory counts, too, as in live reports: the same two lines may
//          race on several globals, or on blocks that several lines allocate, in a function that gets them as
//          arguments.
// Promises The first race of a fold stands for it, so reports stay in the order of completion. A race with an access
//          whose place is not known stays alone. Races and variables are counted, so nothing is lost but names.
// Cost     O(races log races).
// Tested by test/unit/fold_test.cpp, test/golden/fold.transcript
#pragma once

#include "race/findings.h"

namespace deadheat {

void fold_by_places(Findings& findings);

}  // namespace deadheat
