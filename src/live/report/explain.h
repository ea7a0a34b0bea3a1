// Why the two accesses of a race are not ordered, as far as a live program knows (option `explain`): the steps of both
// threads around their accesses (order/steps.h), and the locks that other accesses of the memory held (shadow/uses.h).
// Tested by test/report/ways (explained)
#pragma once

#include "base/epoch.h"

namespace deadheat::live {

class Draft;

// The draft is of a race between accesses made in these epochs; its sides are resolved, its locks not yet complete.
void explain(Draft& draft, Epoch later, Epoch earlier);

}  // namespace deadheat::live
